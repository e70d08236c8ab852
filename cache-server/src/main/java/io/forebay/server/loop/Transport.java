package io.forebay.server.loop;

import io.forebay.server.config.ServerConfig.ThreadsConfig;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import net.openhft.affinity.Affinity;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event loops of a node and the type of their sockets. Each loop is its own group, so accepted
 * and outgoing connections stay on their loop. Loops start no threads, because a child thread would
 * inherit the CPU of its parent.
 */
public final class Transport implements AutoCloseable {

  /**
   * The bytes that the kernel takes in advance for a client that does not read. Left to itself it
   * takes megabytes for each connection, and a few hundred such clients use up what all TCP of the
   * machine may hold. What is on its way to a client that reads is not bounded by this.
   */
  public static final long UNSENT_BYTES = 256 * 1024;

  /**
   * The one allocator of sockets. Named, because the adaptive one that Netty 4.2 takes by default
   * has had regressions in direct memory.
   */
  public static final ByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

  /**
   * A connection is writable again below the first, not beyond the second: one chunk of the largest
   * size (256 KiB) may be under way, and the next is asked for before the socket runs dry.
   */
  public static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(64 * 1024, 256 * 1024);

  private static final Logger LOG = LoggerFactory.getLogger(Transport.class);

  /** Connections that wait to be accepted by one listening socket. */
  private static final int BACKLOG = 4096;

  /**
   * Connections that a listening socket accepts before those that are there get their turn. A busy
   * loop that took one at a time, as Netty's epoll does (it takes the number of the new socket for
   * a count of bytes and believes that there is no more), would let a client wait for a turn of all
   * others for each one before it.
   */
  private static final int ACCEPTED_AT_ONCE = 64;

  /**
   * Of listening sockets that share a port, the kernel prefers the one with the CPU that received
   * the connection (socket(7); with SO_REUSEPORT since Linux 6.2).
   */
  private static final ChannelOption<Integer> INCOMING_CPU =
      new IntegerUnixChannelOption("SO_INCOMING_CPU", 1, 49);

  private final Kind kind;
  private final List<Loop> loops;
  private final String pinning;

  /** Whether loops take the connections that their CPUs receive. */
  private final boolean acceptsByCpu;

  private enum Kind {
    EPOLL,
    NIO
  }

  private Transport(Kind kind, List<Loop> loops, String pinning, boolean acceptsByCpu) {
    this.acceptsByCpu = acceptsByCpu;
    this.kind = kind;
    this.loops = List.copyOf(loops);
    this.pinning = pinning;
  }

  /** How many loops there are to be. */
  public static int loopCount(ThreadsConfig config, CpuPlan.Machine machine) {
    if (config.loops() > 0) {
      return config.loops();
    }
    int allowed = machine.allowed().cardinality();
    return allowed > 0 ? allowed : Runtime.getRuntime().availableProcessors();
  }

  /**
   * Starts the loops.
   *
   * @throws ListenException when the configuration asks for what this machine has not
   */
  public static Transport open(ThreadsConfig config) throws ListenException {
    CpuPlan.Machine machine = CpuPlan.Machine.here();
    int count = loopCount(config, machine);
    return open(config, count, CpuPlan.of(config.pin(), count, machine));
  }

  /** The same by a plan for so many loops. */
  public static Transport open(ThreadsConfig config, int count, CpuPlan plan)
      throws ListenException {
    Kind kind = kind(config.transport());
    List<Loop> loops = new ArrayList<>();
    String pinning = plan.word();
    try {
      for (int i = 0; i < count; i++) {
        LoopStarter starter = new LoopStarter(i, plan.cpuOf(i));
        IoHandlerFactory io =
            kind == Kind.EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, starter, io);
        loops.add(starter.start(group));
        if (plan.cpuOf(i) != CpuPlan.UNPINNED && loops.get(i).cpu() == CpuPlan.UNPINNED) {
          pinning = "not pinned: the kernel refused CPU " + plan.cpuOf(i);
        }
      }
    } catch (ListenException e) {
      shutdown(loops);
      throw e;
    }
    boolean acceptsByCpu = config.connections().equals("by-cpu");
    if (acceptsByCpu
        && (kind == Kind.NIO || loops.stream().anyMatch(loop -> loop.cpu() == CpuPlan.UNPINNED))) {
      LOG.warn("threads.connections: by-cpu has no effect: it requires epoll and pinned loops");
      acceptsByCpu = false;
    }
    return new Transport(kind, loops, pinning, acceptsByCpu);
  }

  private static Kind kind(String name) throws ListenException {
    return switch (name) {
      case "nio" -> Kind.NIO;
      case "epoll" -> {
        if (!Epoll.isAvailable()) {
          throw new ListenException(
              "transport epoll is not available: " + rootMessage(Epoll.unavailabilityCause()));
        }
        yield Kind.EPOLL;
      }
      case "auto" -> {
        if (!Epoll.isAvailable()) {
          LOG.info(
              "epoll is not available, using nio: {}", rootMessage(Epoll.unavailabilityCause()));
          yield Kind.NIO;
        }
        yield Kind.EPOLL;
      }
      default -> throw new ListenException("transport " + name + ": must be auto, epoll or nio");
    };
  }

  private static String rootMessage(@Nullable Throwable cause) {
    Throwable root = cause;
    while (root != null && root.getCause() != null) {
      root = root.getCause();
    }
    return root == null ? "unknown" : String.valueOf(root.getMessage());
  }

  public List<Loop> loops() {
    return loops;
  }

  /** {@code epoll} or {@code nio}. */
  public String name() {
    return kind == Kind.EPOLL ? "epoll" : "nio";
  }

  /** Whether sockets are written from memory addresses, without keeping NIO views of buffers. */
  public boolean writesFromAddresses() {
    return kind == Kind.EPOLL;
  }

  /** One line on where the loops run, for the start screen. */
  public String pinning() {
    return pinning;
  }

  /** The class of channels towards origins. */
  public Class<? extends SocketChannel> socketChannel() {
    return kind == Kind.EPOLL ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  /** The class of channels for name resolution. */
  public Class<? extends DatagramChannel> datagramChannel() {
    return kind == Kind.EPOLL ? EpollDatagramChannel.class : NioDatagramChannel.class;
  }

  /**
   * A bootstrap of the listening TCP socket of one loop. Each loop has its own one at the same
   * port; the connections that it accepts stay on the loop.
   */
  public ServerBootstrap listening(Loop loop) {
    return accepting(loop)
        .channel(kind == Kind.EPOLL ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
        .option(ChannelOption.SO_REUSEADDR, true)
        .option(reusePort(), true)
        .option(ChannelOption.SO_BACKLOG, BACKLOG);
  }

  /** The same for a socket that listens already: to register, not to bind. Only with epoll. */
  public ServerBootstrap listening(Loop loop, int descriptor) {
    return accepting(loop).channelFactory(() -> new EpollServerSocketChannel(descriptor));
  }

  private ServerBootstrap accepting(Loop loop) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loop.group())
            .option(ChannelOption.RECVBUF_ALLOCATOR, accepting())
            .option(ChannelOption.ALLOCATOR, ALLOCATOR)
            .childOption(ChannelOption.ALLOCATOR, ALLOCATOR)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK);
    if (acceptsByCpu) {
      // The socket takes the connections that its CPU receives.
      bootstrap.option(INCOMING_CPU, loop.cpu());
    }
    if (kind == Kind.EPOLL) {
      bootstrap.childOption(EpollChannelOption.TCP_NOTSENT_LOWAT, UNSENT_BYTES);
    }
    return bootstrap;
  }

  /** The option by which each loop gets a listening socket of its own. */
  public ChannelOption<Boolean> reusePort() {
    return kind == Kind.EPOLL
        ? EpollChannelOption.SO_REUSEPORT
        : NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT);
  }

  /** How a listening socket takes connections: all that wait, up to a bound. */
  public RecvByteBufAllocator accepting() {
    return new ServerChannelRecvByteBufAllocator()
        .respectMaybeMoreData(false)
        .maxMessagesPerRead(ACCEPTED_AT_ONCE);
  }

  /** Ends the loops; connections still open are cut. */
  @Override
  public void close() {
    shutdown(loops);
  }

  private static void shutdown(List<Loop> loops) {
    List<Future<?>> ends = new ArrayList<>();
    for (Loop loop : loops) {
      ends.add(loop.group().shutdownGracefully(0, 5, TimeUnit.SECONDS));
    }
    for (Future<?> end : ends) {
      end.awaitUninterruptibly(10, TimeUnit.SECONDS);
    }
  }

  /** Makes the one thread of a loop and pins it as the first thing it does. */
  private static final class LoopStarter implements java.util.concurrent.ThreadFactory {
    private final int index;
    private final int cpu;
    private final CompletableFuture<Integer> pinned = new CompletableFuture<>();

    LoopStarter(int index, int cpu) {
      this.index = index;
      this.cpu = cpu;
    }

    @Override
    public Thread newThread(Runnable task) {
      return new FastThreadLocalThread(
          () -> {
            pinned.complete(pin());
            task.run();
          },
          "loop-" + index);
    }

    private int pin() {
      if (cpu == CpuPlan.UNPINNED) {
        return CpuPlan.UNPINNED;
      }
      BitSet wanted = new BitSet();
      wanted.set(cpu);
      try {
        Affinity.setAffinity(wanted);
        return Affinity.getAffinity().equals(wanted) ? cpu : CpuPlan.UNPINNED;
      } catch (RuntimeException | LinkageError e) {
        LOG.warn("loop-{} could not be pinned to CPU {}", index, cpu, e);
        return CpuPlan.UNPINNED;
      }
    }

    Loop start(MultiThreadIoEventLoopGroup group) throws ListenException {
      try {
        Thread thread = group.submit(Thread::currentThread).get();
        return new Loop(index, group, thread, pinned.get());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        throw new ListenException("interrupted while starting loop-" + index, e);
      } catch (ExecutionException e) {
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        throw new ListenException("loop-" + index + " did not start: " + e.getCause(), e);
      }
    }
  }
}
