package io.forebay.server;

import org.jspecify.annotations.Nullable;

/**
 * Whether purges can be made durable, as the last one found out. A node whose purges fail goes on
 * serving what they should have killed, so it reports itself as not ready until one works again:
 * the one that failed has to be repeated anyway. Any thread.
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
