package io.forebay.server.cluster.purge;

import io.forebay.server.purge.PurgeOrder;
import io.forebay.storage.purge.PurgePosition;
import io.forebay.storage.purge.PurgesFullException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The purges of the log on this node. */
public interface LoggedPurges {

  /** Up to where they are durable and in force; null where the node has followed no log. */
  @Nullable PurgePosition applied();

  /**
   * Puts the next purges of the log in force, with the position after them. An order that this node
   * cannot carry out becomes a purge of everything.
   *
   * @throws IOException when they are not durable: nothing has changed
   * @throws PurgesFullException when there are too many patterns for now: nothing has changed
   */
  void apply(List<PurgeOrder> orders, PurgePosition position)
      throws IOException, PurgesFullException;

  /**
   * Goes on at a position without the purges before it: all that is stored counts as purged, or is
   * validated before it is used.
   */
  void skipTo(PurgePosition position) throws IOException;

  /** How many more scopes can be purged before all that is stored has to be. */
  int freeScopes();

  /** Patterns in force. */
  int patternsInForce();
}
