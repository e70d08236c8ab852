package io.forebay.server.listen.connection;

import io.forebay.server.counters.LoopCounters;
import io.forebay.server.loop.Transport;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.ArrayDeque;

/**
 * Selects the connections of one event loop that receive body bytes in large chunks. Each chunk
 * costs a system call and wakes the reader of a fast connection: with eight times the bytes per
 * chunk, an object of 2 MiB costs half the CPU. But bytes that a client does not read are buffered
 * by the kernel and as a private copy. So only clients that have shown to be fast get large chunks,
 * only as many as the limit of private copies allows, and a client that stalls loses them (over TLS
 * only with its connection, because encrypted bytes are no lease any more). Confined to a loop.
 */
public final class LargeWriteQuota {

  public static final int DEFAULT_CHUNK_BYTES = 128 * 1024;
  public static final int LARGE_CHUNK_BYTES = 1024 * 1024;

  /**
   * Of plain text that is to go through TLS: it becomes as much ciphertext at once, which should
   * not be out of the processor's second cache before the kernel copies it. At 2 MiB an object 128
   * KiB cost 1,640 µs, 256 KiB 1,590, 512 KiB 1,230, 1 MiB 1,260.
   */
  public static final int LARGE_TLS_CHUNK_BYTES = 512 * 1024;

  /** One connection that may be sent large chunks. */
  public interface Holder {
    /** Whether nothing is on its way, so that it can do without. */
    boolean isIdle();

    /** It has lost what it was granted. */
    void onRevoked();

    Channel channel();
  }

  private final LoopCounters counters;
  private final int loops;
  private int limit;

  /** The longest granted first. */
  private final ArrayDeque<Holder> holders = new ArrayDeque<>();

  /** Grants of a loop that has a share of the bound on private copies. */
  public LargeWriteQuota(long privateCopyBytes, int loops, LoopCounters counters) {
    this.counters = counters;
    this.loops = loops;
    limit = limitOf(privateCopyBytes);
  }

  private int limitOf(long privateCopyBytes) {
    return Math.clamp(privateCopyBytes / LARGE_CHUNK_BYTES / loops, 1, 1 << 16);
  }

  /** The bound on private copies has changed; grants beyond its new share are taken back. */
  void privateCopyBytes(long bytes) {
    limit = limitOf(bytes);
    while (holders.size() > limit) {
      release(holders.getFirst());
    }
  }

  /** Grants large chunks if there is room, or if the one that has had them longest is idle. */
  public boolean tryAcquire(Holder holder) {
    if (!(holder.channel() instanceof EpollSocketChannel)) {
      // Without a bound on what the kernel takes there is no telling what a stalled client costs.
      return false;
    }
    if (holders.size() >= limit) {
      Holder longest = holders.removeFirst();
      if (!longest.isIdle()) {
        holders.addLast(longest);
        return false;
      }
      unsent(longest, Transport.UNSENT_BYTES);
      longest.onRevoked();
    }
    holders.addLast(holder);
    counters.largeWrites = holders.size();
    unsent(holder, LARGE_CHUNK_BYTES);
    return true;
  }

  /** Takes back what was granted. */
  public void release(Holder holder) {
    holders.remove(holder);
    counters.largeWrites = holders.size();
    unsent(holder, Transport.UNSENT_BYTES);
    holder.onRevoked();
  }

  private static void unsent(Holder holder, long bytes) {
    if (holder.channel().isOpen()) {
      holder.channel().config().setOption(EpollChannelOption.TCP_NOTSENT_LOWAT, bytes);
    }
  }
}
