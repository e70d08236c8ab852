package io.forebay.server.pacing;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.unix.IntegerUnixChannelOption;

/**
 * The rate at which the kernel sends on a TCP connection: {@code SO_MAX_PACING_RATE} (socket(7)).
 * TCP keeps to it by a timer of its own where the network device has no {@code fq}. Sockets without
 * this option, of macOS or of the nio transport, are not paced. Confined to the loop of its
 * connection.
 */
public final class SocketPace {
  private static final ChannelOption<Integer> MAX_RATE =
      new IntegerUnixChannelOption("SO_MAX_PACING_RATE", 1, 47);

  /** All bits of the kernel's unsigned number: no bound. */
  private static final int NO_BOUND = -1;

  private final Channel channel;
  private int current = NO_BOUND;

  public SocketPace(Channel channel) {
    this.channel = channel;
  }

  /** Sets the rate, unless it is that already. */
  public void rate(long bytesPerSecond) {
    int wanted = bytesPerSecond > Integer.MAX_VALUE ? NO_BOUND : (int) bytesPerSecond;
    if (wanted == current) {
      return;
    }
    current = wanted;
    try {
      channel.config().setOption(MAX_RATE, wanted);
    } catch (ChannelException e) {
      // The connection is gone, and nothing is sent on it.
      return;
    }
  }
}
