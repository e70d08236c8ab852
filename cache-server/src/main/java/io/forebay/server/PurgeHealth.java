package io.forebay.server;

import org.jspecify.annotations.Nullable;

/**
 * Whether purges can be made durable, by the result of the last one. A node whose purges fail would
 * serve what should have been purged, so it reports that it is not ready until a purge succeeds.
 * Any thread.
 */
final class PurgeHealth {

  private volatile @Nullable String failure;

  void worked() {
    failure = null;
  }

  void failed(String why) {
    failure = why;
  }

  /** Why the last purge failed, or null when it worked or there was none. */
  @Nullable String failure() {
    return failure;
  }
}
