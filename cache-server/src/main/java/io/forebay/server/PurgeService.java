package io.forebay.server;

import io.forebay.core.key.Scopes;
import io.forebay.server.cluster.Cluster;
import io.forebay.server.cluster.purge.Receipt;
import io.forebay.server.node.PurgeControl;
import io.forebay.server.purge.CacheGroup;
import io.forebay.server.purge.KnownRecipes;
import io.forebay.server.purge.PurgeDone;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeOrder.Reach;
import io.forebay.server.purge.PurgePredicate;
import io.forebay.server.purge.PurgeQueue;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.server.purge.PurgeRefusedException.Refusal;
import io.forebay.server.purge.PurgeScopes;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeEstimate;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeReceipt;
import io.forebay.storage.purge.PurgeStatus;
import io.forebay.storage.purge.UndoRefusedException;
import io.forebay.storage.purge.UndoRefusedException.Why;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Executes purges: resolves what an operator names, makes the purge durable, and records whether
 * that succeeded. Any thread.
 */
final class PurgeService implements PurgeControl {
  private static final int MAX_SHOWN = 200;

  private final ObjectStore store;
  private final ActiveConfig activeConfig;
  private final KnownRecipes recipes;
  private final PurgeHealth purgeHealth = new PurgeHealth();

  /** For messages; the store writes it. */
  private final Path journalFile;

  /** Null where the node is alone. */
  private @Nullable Cluster cluster;

  PurgeService(ObjectStore store, ActiveConfig activeConfig, KnownRecipes recipes, Path data) {
    this.store = store;
    this.activeConfig = activeConfig;
    this.recipes = recipes;
    this.journalFile = data.resolve("purge.journal");
  }

  /** From now on, before the first order, purges go to all nodes of a cluster. */
  void join(Cluster joined) {
    cluster = joined;
  }

  /** Why the last purge could not be made durable; null when it was. */
  @Nullable String failure() {
    return purgeHealth.failure();
  }

  @Override
  public @Nullable String purgeProblem(PurgeOrder order) {
    try {
      purgeOf(order);
      return null;
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  /**
   * The scopes of an order by the routes in force.
   *
   * @throws IllegalArgumentException when it cannot be carried out
   */
  Purge purgeOf(PurgeOrder order) {
    Purge all = allOf(order);
    Instant time = order.storedBefore();
    if (time == null) {
      return all;
    }
    String text =
        switch (order.kind()) {
          case PATTERN -> PurgePredicate.onTimeAnd(time, order.text());
          case EVERYTHING -> PurgePredicate.onTime(time, "");
          default ->
              PurgePredicate.onTime(time, order.kind().label() + " " + shortened(all.text()));
        };
    return new Purge(PurgeKind.PATTERN, all.scopes(), order.isSoft(), text);
  }

  /** For receipts alone: what the purge is limited to is told by its scopes. */
  private static String shortened(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + " …";
  }

  private Purge allOf(PurgeOrder order) {
    // Scopes are confined to a thread: purges come from many.
    PurgeScopes scopes =
        new PurgeScopes(activeConfig.config().routes(), recipes, new Scopes(store.secret()));
    return switch (order.kind()) {
      case EVERYTHING -> Purge.everything(order.isSoft(), order.text());
      case URL ->
          // Beyond the URL as written there is no count at once that would be true.
          new Purge(
              PurgeKind.URL,
              scopes.url(order.text(), order.reach()),
              order.isSoft(),
              order.reach() == Reach.AS_WRITTEN
                  ? order.text()
                  : order.text()
                      + (order.reach() == Reach.ANY_PORT ? " (any port)" : " (any scheme)"),
              order.reach() != Reach.ANY_PORT);
      case HOST -> purge(PurgeKind.HOST, scopes.host(order.text()), order);
      case PREFIX -> purge(PurgeKind.PREFIX, scopes.prefix(order.text()), order);
      case TAG -> purge(PurgeKind.TAG, scopes.tag(order.text()), order);
      case GROUP -> purge(PurgeKind.GROUP, scopes.group(CacheGroup.parse(order.text())), order);
      case UNDO -> Purge.undo(order.undone(), order.text());
      case PATTERN -> {
        String host = PurgePredicate.parse(order.text()).host();
        yield purge(PurgeKind.PATTERN, host == null ? new long[0] : scopes.host(host), order);
      }
    };
  }

  @Override
  public PurgeDone purge(PurgeOrder order) throws PurgeRefusedException {
    Purge own = understood(order);
    return cluster == null ? purge(own) : purge(cluster, List.of(order));
  }

  /** In a cluster: done once all nodes that the configuration names have it in force. */
  private static PurgeDone purge(Cluster cluster, List<PurgeOrder> orders)
      throws PurgeRefusedException {
    Receipt receipt = cluster.purge(orders, null, null);
    if (!receipt.isAcknowledged()) {
      throw new PurgeRefusedException(
          receipt.isQueued()
              ? "the purge is in force on this node, and waits for the log"
              : "the purge c-"
                  + receipt.revision()
                  + " is in the log, and not confirmed yet by "
                  + String.join(", ", receipt.pending().keySet()),
          Refusal.FOR_NOW);
    }
    return new PurgeDone(
        receipt.revision(), receipt.revision(), OptionalLong.empty(), receipt.tookNanos());
  }

  /**
   * Several orders of one kind and hardness as one purge: one entry of the journal, one receipt.
   */
  PurgeDone purgeTogether(List<PurgeOrder> orders) throws PurgeRefusedException {
    if (orders.size() == 1) {
      return purge(orders.getFirst());
    }
    Set<Long> scopes = new LinkedHashSet<>();
    for (PurgeOrder order : orders) {
      for (long scope : understood(order).scopes()) {
        scopes.add(scope);
      }
    }
    if (cluster != null) {
      return purge(cluster, orders);
    }
    PurgeOrder all = PurgeQueue.summary(orders);
    return purge(
        new Purge(
            all.kind(),
            scopes.stream().mapToLong(Long::longValue).toArray(),
            all.isSoft(),
            all.text()));
  }

  /** On this node alone, also in a cluster. */
  void purgeHere(List<PurgeOrder> orders) throws IOException {
    for (PurgeOrder order : orders) {
      try {
        PurgeDone ignored = purge(understood(order));
      } catch (PurgeRefusedException e) {
        throw new IOException(e.getMessage(), e);
      }
    }
  }

  private PurgeDone purge(Purge purge) throws PurgeRefusedException {
    try {
      PurgeReceipt receipt = store.purge(purge);
      purgeHealth.worked();
      return new PurgeDone(
          receipt.id(), receipt.sequence(), receipt.matched(), receipt.tookNanos());
    } catch (PurgeFailedException e) {
      if (e.isForNow()) {
        throw new PurgeRefusedException(String.valueOf(e.getMessage()), Refusal.FOR_NOW);
      }
      String why = e.getMessage() + " (" + journalFile + ")";
      purgeHealth.failed(why);
      throw new PurgeRefusedException(why, Refusal.JOURNAL);
    }
  }

  @Override
  public PurgeDone undo(long id) throws PurgeRefusedException {
    if (cluster != null) {
      throw new PurgeRefusedException(
          "in a cluster an undo is for all nodes: name the receipt of the cluster, as in c-" + id,
          Refusal.ORDER);
    }
    try {
      PurgeReceipt receipt = store.undo(id);
      purgeHealth.worked();
      return new PurgeDone(
          receipt.id(), receipt.sequence(), receipt.matched(), receipt.tookNanos());
    } catch (UndoRefusedException e) {
      throw new PurgeRefusedException(
          e.why().text(), e.why() == Why.UNKNOWN ? Refusal.UNKNOWN : Refusal.FINAL);
    } catch (PurgeFailedException e) {
      // A purge that stays in force serves nothing that it should not: the node is still healthy.
      throw new PurgeRefusedException(e.getMessage() + " (" + journalFile + ")", Refusal.JOURNAL);
    }
  }

  private Purge understood(PurgeOrder order) throws PurgeRefusedException {
    try {
      return purgeOf(order);
    } catch (IllegalArgumentException e) {
      throw new PurgeRefusedException(String.valueOf(e.getMessage()), Refusal.ORDER);
    }
  }

  @Override
  public PurgeEstimate dryRun(PurgeOrder order, long mostMillis) throws PurgeRefusedException {
    PurgeEstimate estimate = store.estimate(understood(order), mostMillis);
    if (estimate == null) {
      throw new PurgeRefusedException(
          "another dry run is in progress: wait until it ends", Refusal.FOR_NOW);
    }
    return estimate;
  }

  @Override
  public @Nullable PurgeStatus purgeStatus(long id) {
    return store.purgeStatus(id);
  }

  @Override
  public List<PurgeStatus> latestPurges(int most) {
    return store.latestPurges(most);
  }

  private static Purge purge(PurgeKind kind, long[] scopes, PurgeOrder order) {
    return new Purge(kind, scopes, order.isSoft(), order.text());
  }
}
