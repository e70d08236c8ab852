package io.forebay.server.origin.call;

import java.time.Duration;

/**
 * Which requests go first where requests wait at an origin's limit, the most urgent first.
 *
 * <p>A request counts as having come later than it did: by a share of the time that requests may
 * wait at most. So those of lower priority wait behind others, and none is overtaken for ever: once
 * it has waited that long, requests that come from then on no longer pass it.
 */
public enum Priority {
  /** A client waits for it. */
  CLIENT(0),
  /** A refresh of what is served meanwhile. */
  REFRESH(1),
  /** A warm-up: nobody has asked for it yet. */
  WARM_UP(2),
  /**
   * A fetch ahead of clients. It never waits at a limit, so requests that join it do not either.
   */
  PREFETCH(3);

  private static final int SHARES = 4;

  private final int shares;

  Priority(int shares) {
    this.shares = shares;
  }

  /** By how much later it counts as having come. */
  public long handicapNanos(Duration longestWait) {
    return longestWait.toNanos() / SHARES * shares;
  }
}
