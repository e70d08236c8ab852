package io.forebay.storage.purge;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The store's side of a log of purges that several nodes follow. Purges of the log and those of
 * this node alone share the journal, the table and the sequence.
 *
 * <p>One thread applies the log, in the order of its revisions; it blocks for the disk, so it is no
 * event loop. All other methods may be called by any thread and never block.
 */
public final class ReplicatedPurges {
  /** The largest number of purges in one call of {@link #apply}. */
  public static final int MAX_BATCH = 256;

  private final Purges purges;

  public ReplicatedPurges(Purges purges) {
    this.purges = purges;
  }

  /**
   * Puts the next purges of the log in force, together with the position after them. Their scopes
   * are this node's own, made from the text in the log.
   *
   * <p>{@link #begun} shows the position first. Then the purges take their numbers, so everything
   * that was born on this node until then dies. Purges and position are one append to the journal
   * and one force of its first copy, the position last: after a stop at any byte the journal has
   * the position only if it has all of the purges. Then the purges enter the table, and at last
   * {@link #applied} shows the position.
   *
   * <p>The second copy guards against damage. It follows with {@link #mirror}, because nobody has
   * to wait for it: if a stop before that and damage to the first copy take the append away, the
   * node is at the position before, and reads the purges from the log again before it uses what it
   * has stored.
   *
   * @param batch at most {@link #MAX_BATCH}, in the order of the log, whole revisions; may be empty
   *     where entries of the log are no purges
   * @param position of the last entry of the batch; after {@link #applied} in the same log
   * @return the number that each purge got on this node
   * @throws IOException when it is not durable: nothing of the batch is in force and the position
   *     stands still; the caller repeats the call
   * @throws PurgesFullException when it has more patterns than have places: nothing has been done.
   *     The places get free when the store has been swept. A caller that has waited long enough
   *     puts {@link Purge#everything} in the place of the patterns
   * @throws IllegalArgumentException when the position does not follow {@link #applied}, or a purge
   *     is not well-formed, for example a pattern that cannot be read: nothing has been done
   */
  public long[] apply(List<Purge> batch, PurgePosition position)
      throws IOException, PurgesFullException {
    return purges.apply(batch, position);
  }

  /**
   * Makes the second copy of the journal level with the first one. The thread that applies the log
   * calls this after each {@link #apply}, when it has told others of the position.
   *
   * @throws IOException when it could not: the caller repeats the call, which writes both anew
   */
  public void mirror() throws IOException {
    purges.mirror();
  }

  /**
   * Begins to follow a log at a position without the purges before it, whatever was applied before:
   * a first start in a cluster, another epoch, a log that was set back, or history that is gone.
   * The floor takes its number in this call. So a caller reads the position from the log first, and
   * everything that is stored on this node when the position is read is older than the floor.
   *
   * <p>Floor and position are one append to the journal, the position last, as in {@link #apply}.
   * On an empty store {@link PurgeGap#EMPTY} costs nothing.
   *
   * @return the number of the floor
   * @throws IOException when it is not durable: nothing is in force and the position stands still
   */
  public long skipTo(PurgePosition position, PurgeGap gap) throws IOException {
    return purges.skipTo(position, gap);
  }

  /**
   * The position up to which purges have begun to take numbers; null when the node follows no log.
   * Never behind {@link #applied}. It travels with requests to other nodes, see {@link Birth}.
   */
  public @Nullable PurgePosition begun() {
    return purges.begun();
  }

  /**
   * The position up to which all purges are durable and in force on this node; null when it follows
   * no log. A thread that reads it sees the table that belongs to it. After a restart it is what
   * the journal has.
   */
  public @Nullable PurgePosition applied() {
    return purges.applied();
  }

  /** Takes a number and then reads {@link #begun}. */
  Birth birth() {
    long number = purges.next();
    return new Birth(number, purges.begun());
  }

  /**
   * How many more scopes the purge table has places for. A batch above that is still applied: it
   * counts as a purge of everything.
   */
  public int freeScopes() {
    return Math.max(0, purges.tableCapacity() - purges.tableSize());
  }

  /** How many soft purges from a revision of the log can be undone on this node. */
  public int openAt(long revision) {
    return purges.openAt(revision);
  }

  /** Patterns that have a place until the store is swept for them. */
  public int patternsInForce() {
    return purges.predicateCount();
  }
}
