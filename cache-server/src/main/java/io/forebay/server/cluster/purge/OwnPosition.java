package io.forebay.server.cluster.purge;

import io.forebay.storage.purge.PurgePosition;
import org.jspecify.annotations.Nullable;

/** The position of this node in the log of purges. */
public interface OwnPosition {

  /**
   * The position up to which all purges are durable and in force here; null where the node has
   * none.
   */
  @Nullable PurgePosition applied();

  /** Waits until a revision is applied, for a limited time; false when it is not. */
  boolean await(long revision, String epoch, long nanos) throws InterruptedException;

  /** Why the node does not follow the log now; null when it does. */
  @Nullable String problem();
}
