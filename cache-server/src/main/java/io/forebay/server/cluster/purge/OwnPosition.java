package io.forebay.server.cluster.purge;

import io.forebay.storage.purge.PurgePosition;
import org.jspecify.annotations.Nullable;

/** How far this node has come. */
public interface OwnPosition {

  /** Up to where all purges are durable and in force here; null where the node has no position. */
  @Nullable PurgePosition applied();

  /** Waits until a revision is applied, or for some time; says whether it is. */
  boolean await(long revision, String epoch, long nanos) throws InterruptedException;

  /** Why the log is not followed at the moment; null when it is. */
  @Nullable String problem();
}
