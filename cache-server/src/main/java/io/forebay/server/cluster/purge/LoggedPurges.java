package io.forebay.server.cluster.purge;

import io.forebay.server.purge.PurgeOrder;
import io.forebay.storage.purge.PurgePosition;
import io.forebay.storage.purge.PurgesFullException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Carries out the purges of the log on this node. */
public interface LoggedPurges {

  /** An order and the revision at which the log has it. */
  record Logged(PurgeOrder order, long revision) {}

  /**
   * The position up to which they are durable and in force; null where the node has followed no
   * log.
   */
  @Nullable PurgePosition applied();

  /**
   * Puts the next purges of the log in force, with the position after them. An order that this node
   * cannot carry out becomes a purge of everything.
   *
   * @throws IOException when they are not durable: nothing has changed
   * @throws PurgesFullException when there are too many patterns for now: nothing has changed
   */
  void apply(List<Logged> orders, PurgePosition position) throws IOException, PurgesFullException;

  /**
   * Makes a second copy of what was applied, against damage. Follows each {@link #apply}, when
   * others know the position: until then damage after a stop takes the node back to a position
   * before, from which it reads the log again.
   *
   * @throws IOException when it could not; the caller repeats the call
   */
  void mirror() throws IOException;

  /**
   * Continues at a position without the purges before it. Every stored object counts as purged, or
   * is validated before its next use.
   */
  void skipTo(PurgePosition position) throws IOException;

  /** Scopes that can still be purged; one more purges everything. */
  int freeScopes();

  /** How many soft purges of a revision can be undone on this node. */
  int openAt(long revision);

  /** Patterns in force. */
  int patternsInForce();
}
