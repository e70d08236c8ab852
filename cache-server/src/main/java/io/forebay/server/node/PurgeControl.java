package io.forebay.server.node;

import io.forebay.storage.purge.PurgeEstimate;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeStatus;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Purges of a running node and what became of them. Any thread. */
public interface PurgeControl {

  /**
   * What is wrong with an order, found without purging anything; null when it can be carried out.
   * Every order of a batch is asked for before the first one is made.
   */
  default @Nullable String purgeProblem(PurgeOrder order) {
    return null;
  }

  /**
   * Purges durably: when this returns, nothing the order matches is served to a later request.
   *
   * @throws PurgeRefusedException when the order cannot be understood or could not be made durable;
   *     nothing was purged
   */
  PurgeDone purge(PurgeOrder order) throws PurgeRefusedException;

  /**
   * Counts what an order would purge, and purges nothing. Blocks while it counts, at most so long.
   *
   * @throws PurgeRefusedException when the order cannot be understood, or while another is counted
   */
  default PurgeEstimate dryRun(PurgeOrder order, long mostMillis) throws PurgeRefusedException {
    throw new PurgeRefusedException("there is no store to count in", Refusal.FOR_NOW);
  }

  /** What became of a purge; null when nothing is known of it. */
  default @Nullable PurgeStatus purgeStatus(long id) {
    return null;
  }

  /** The latest purges, newest first. */
  default List<PurgeStatus> latestPurges(int most) {
    return List.of();
  }

  /**
   * One thing to purge; {@code text} is the URL, host, prefix or tag as the operator wrote it, or a
   * pattern as {@link io.forebay.server.purge.PurgePredicate} reads it.
   */
  record PurgeOrder(PurgeKind kind, String text, boolean isSoft) {}

  /**
   * A purge that is on disk and in force.
   *
   * @param matched objects it killed at once, where that is known without a sweep
   */
  record PurgeDone(long id, long sequence, OptionalLong matched, long tookNanos) {}

  /** Whose doing it is that a purge was refused. */
  enum Refusal {
    /** The order itself is wrong. */
    ORDER,
    /** The journal can't be written. */
    JOURNAL,
    /** There is too much of it at the moment. */
    FOR_NOW
  }

  /** Nothing was purged, and why. */
  final class PurgeRefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Refusal refusal;

    public PurgeRefusedException(String message, Refusal refusal) {
      super(message);
      this.refusal = refusal;
    }

    public Refusal refusal() {
      return refusal;
    }
  }
}
