package io.forebay.server.cluster.member;

import io.forebay.server.config.ClusterConfig.CutOff;
import java.time.Duration;

/**
 * Until when the node may use what it has stored without validation: it knew all purges a short
 * time ago. Event loops read it; one thread extends it.
 */
public final class Fence {
  private final CutOff cutOff;
  private final long afterNanos;

  /** By {@link System#nanoTime}. In the past until the node has caught up for the first time. */
  private volatile long until;

  /** The same whatever is done past it. */
  private volatile long provenUntil;

  public Fence(CutOff cutOff, Duration after) {
    this.cutOff = cutOff;
    this.afterNanos = after.toNanos();
    close();
  }

  /** Whether stored responses must not be used as they are. */
  public boolean isPast(long nanoTime) {
    return nanoTime - until >= 0;
  }

  /** Whether requests are refused while it is past. */
  public boolean isRefusing() {
    return cutOff == CutOff.REFUSE;
  }

  /**
   * Whether the proof is too old, or there was none yet; with {@code serve} stored responses are
   * used nevertheless.
   */
  public boolean isProofOld(long nanoTime) {
    return nanoTime - provenUntil >= 0;
  }

  /**
   * The node has applied all purges that were in the log at some moment after this one.
   *
   * @param since by {@link System#nanoTime}, from before the log was read
   */
  public void extend(long since) {
    provenUntil = since + afterNanos;
    until = cutOff == CutOff.SERVE ? since + Long.MAX_VALUE / 2 : provenUntil;
  }

  /** The node knows that purges are missing here. */
  public void close() {
    long past = System.nanoTime() - 1;
    provenUntil = past;
    until = past;
  }
}
