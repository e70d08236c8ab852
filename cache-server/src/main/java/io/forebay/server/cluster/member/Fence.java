package io.forebay.server.cluster.member;

import io.forebay.server.config.ClusterConfig.CutOff;
import java.time.Duration;

/**
 * The time until which the node may use stored objects without validation, because it knew all
 * purges a short time ago. One thread extends it; event loops read it.
 */
public final class Fence {
  private final CutOff cutOff;
  private final long afterNanos;

  /** By {@link System#nanoTime}. In the past until the node has caught up for the first time. */
  private volatile long until;

  /** The end of the latest proof, also with {@code serve}. */
  private volatile long provenUntil;

  public Fence(CutOff cutOff, Duration after) {
    this.cutOff = cutOff;
    this.afterNanos = after.toNanos();
    close();
  }

  /** Whether the node must validate stored objects before it uses them. */
  public boolean isPast(long nanoTime) {
    return nanoTime - until >= 0;
  }

  /** Whether the node refuses requests while the fence is past. */
  public boolean isRefusing() {
    return cutOff == CutOff.REFUSE;
  }

  /**
   * Whether the proof is too old, or there was none yet. With {@code serve} the node uses stored
   * objects nevertheless.
   */
  public boolean isProofOld(long nanoTime) {
    return nanoTime - provenUntil >= 0;
  }

  /**
   * Records a proof: the node has applied all purges that were in the log at {@code since}.
   *
   * @param since by {@link System#nanoTime}, from before the log was read
   */
  public void extend(long since) {
    provenUntil = since + afterNanos;
    until = cutOff == CutOff.SERVE ? since + Long.MAX_VALUE / 2 : provenUntil;
  }

  /** Puts the fence into the past: the node knows that it lacks purges. */
  public void close() {
    long past = System.nanoTime() - 1;
    provenUntil = past;
    until = past;
  }
}
