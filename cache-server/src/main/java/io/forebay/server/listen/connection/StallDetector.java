package io.forebay.server.listen.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;

/**
 * Distinguishes a client that reads nothing from a slow one. Called several times within the
 * timeout, it compares the bytes queued here and in the kernel with the previous call; any progress
 * restarts the timeout.
 */
public final class StallDetector {

  /** Looks taken within the bound. */
  public static final int LOOKS = 4;

  private final Channel channel;
  private final SocketBacklog sendQueue;
  private long lastPending = -1;
  private long lastProgress = -1;
  private int lastInKernel = -1;
  private int stuckLooks;

  public StallDetector(Channel channel, SocketBacklog sendQueue) {
    this.channel = channel;
    this.sendQueue = sendQueue;
  }

  /** Forgets what was seen; for when something new begins. */
  public void reset() {
    stuckLooks = 0;
    lastPending = -1;
  }

  /** Whether the client has taken nothing over the last {@link #LOOKS} looks though data waits. */
  public boolean isStalled() {
    ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
    long pending = queue == null ? 0 : queue.totalPendingWriteBytes();
    if (queue == null || pending == 0) {
      reset();
      return false;
    }
    long progress = queue.currentProgress();
    int inKernel = sendQueue.lengthBytes(channel);
    boolean isStuck =
        pending == lastPending && progress == lastProgress && inKernel == lastInKernel;
    lastPending = pending;
    lastProgress = progress;
    lastInKernel = inKernel;
    stuckLooks = isStuck ? stuckLooks + 1 : 0;
    return stuckLooks >= LOOKS;
  }
}
