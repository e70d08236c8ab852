package io.forebay.server.purge;

import io.forebay.server.audit.AuditActor;
import io.forebay.server.audit.AuditActor.By;
import io.forebay.server.audit.AuditEvent;
import io.forebay.server.audit.AuditEvent.Result;
import io.forebay.server.audit.AuditLog;
import io.forebay.server.purge.PurgeRefusedException.Refusal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of purges ordered by client requests. They are executed outside the event loops,
 * because each waits for the journal's disk; concurrent ones share one fsync.
 *
 * <pre>
 *   loop ── submit ──▶ virtual thread ── Purger (journal forced, in force) ──▶ whenOver
 * </pre>
 *
 * Any thread.
 */
public final class PurgeQueue implements AutoCloseable {

  /** Requests whose purges are under way at once, in the whole node. */
  static final int MAX_WAITING = 256;

  /** As long as the journal keeps. */
  private static final int MAX_TEXT = 1000;

  private final Purger purger;
  private final AuditLog audit;
  private final Semaphore places = new Semaphore(MAX_WAITING);
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("purge-", 0).factory());

  /** A queue without an audit log. */
  public PurgeQueue(Purger purger) {
    this(purger, AuditLog.OFF);
  }

  /** A queue whose purges the audit log tells of. */
  public PurgeQueue(Purger purger, AuditLog audit) {
    this.purger = purger;
    this.audit = audit;
  }

  /** Makes purges, and returns when they are on disk and in force. */
  @FunctionalInterface
  public interface Purger {
    /**
     * Purges what one or several orders of one kind and hardness name, as one purge.
     *
     * @throws PurgeRefusedException when none of it was purged
     */
    PurgeDone purge(List<PurgeOrder> orders) throws PurgeRefusedException;
  }

  /**
   * Has orders carried out.
   *
   * @param whenOver told on another thread, with null when all of it is on disk and in force, else
   *     with the reason why some of it is not
   * @return false, and nothing is done, where too many wait
   */
  public boolean submit(
      List<PurgeOrder> orders, String caller, Consumer<@Nullable PurgeRefusedException> whenOver) {
    if (!places.tryAcquire()) {
      return false;
    }
    threads.execute(() -> {
      PurgeRefusedException failure = null;
      try {
        failure = run(orders, caller);
      } catch (RuntimeException e) {
        failure = new PurgeRefusedException("internal error: " + e, Refusal.JOURNAL);
        throw e;
      } finally {
        places.release();
        whenOver.accept(failure);
      }
    });
    return true;
  }

  private @Nullable PurgeRefusedException run(List<PurgeOrder> orders, String caller) {
    for (List<PurgeOrder> alike : batches(orders)) {
      PurgeOrder shown = summary(alike);
      try {
        PurgeAudit.done(caller, shown, purger.purge(alike));
        tell(caller, shown, Result.DONE);
      } catch (PurgeRefusedException e) {
        tell(caller, shown, Result.FAILED);
        PurgeAudit.failed(caller, shown, String.valueOf(e.getMessage()));
        return e;
      }
    }
    return null;
  }

  private void tell(String caller, PurgeOrder order, Result result) {
    audit.record(
        AuditEvent.of(
            new AuditActor(By.NETWORK, caller, null, null),
            "PURGE " + order.kind().label() + (order.isSoft() ? " soft" : ""),
            order.text(),
            result));
  }

  /** Tags go into one purge, soft ones into another; all else is a purge by itself. */
  private static List<List<PurgeOrder>> batches(List<PurgeOrder> orders) {
    Map<Object, List<PurgeOrder>> batches = new LinkedHashMap<>();
    for (PurgeOrder order : orders) {
      Object of =
          switch (order.kind()) {
            case TAG -> order.isSoft();
            default -> order;
          };
      batches.computeIfAbsent(of, _ -> new ArrayList<>()).add(order);
    }
    return List.copyOf(batches.values());
  }

  /** What stands in the journal, in receipts and in the log for orders that make one purge. */
  public static PurgeOrder summary(List<PurgeOrder> alike) {
    PurgeOrder first = alike.getFirst();
    if (alike.size() == 1) {
      return first;
    }
    StringBuilder text = new StringBuilder();
    for (PurgeOrder order : alike) {
      if (text.length() + order.text().length() > MAX_TEXT) {
        text.append(" …");
        break;
      }
      text.append(text.isEmpty() ? "" : " ").append(order.text());
    }
    return new PurgeOrder(first.kind(), text.toString(), first.isSoft(), first.reach());
  }

  /** Waits for what is under way. */
  @Override
  public void close() {
    threads.close();
  }
}
