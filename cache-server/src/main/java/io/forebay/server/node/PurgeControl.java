package io.forebay.server.node;

import io.forebay.server.purge.PurgeDone;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.storage.purge.PurgeEstimate;
import io.forebay.storage.purge.PurgeStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The purges of a running node and their progress. Any thread. */
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
    throw new PurgeRefusedException(
        "there is no store to count in", PurgeRefusedException.Refusal.FOR_NOW);
  }

  /**
   * Takes back a soft purge of this node: when this returns, that is durable and in force.
   *
   * @param id of its receipt
   * @throws PurgeRefusedException when it cannot be undone; nothing has changed
   */
  default PurgeDone undo(long id) throws PurgeRefusedException {
    throw new PurgeRefusedException("there is no store", PurgeRefusedException.Refusal.FOR_NOW);
  }

  /** What became of a purge; null when nothing is known of it. */
  default @Nullable PurgeStatus purgeStatus(long id) {
    return null;
  }

  /** The latest purges, newest first. */
  default List<PurgeStatus> latestPurges(int most) {
    return List.of();
  }

  /** Under which other schemes and ports something is stored for a URL's host, path and query. */
  default List<String> storedElsewhere(String url) {
    return List.of();
  }
}
