package io.forebay.server.origin;

import io.forebay.server.config.EgressConfig;
import io.forebay.server.config.OriginTlsConfig;
import io.forebay.server.config.ProbeConfig;
import io.forebay.server.config.ProtectionConfig;
import io.forebay.server.config.ServerConfig.Balance;
import io.forebay.server.config.ServerConfig.EjectionConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.config.ServerConfig.RetryConfig;
import io.forebay.server.config.ServerConfig.SlowConfig;
import io.forebay.server.config.SigningConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.OriginCounters;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.dns.NameResolver;
import io.forebay.server.origin.group.Origin;
import io.forebay.server.origin.group.Origins;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * For tests of other packages: real connections to an origin over channels in memory, so that every
 * byte which an origin would get can be read. The caller supplies the origin's responses.
 */
public final class OriginWire {
  private static final String NAME = "wire";
  private static final int MAX = 1_000;
  private static final Origins ORIGINS = origins();

  private static final NameResolver NO_NAMES =
      new NameResolver() {
        @Override
        public void resolve(String name, EventExecutor loop, Consumer<Resolution> answer) {
          throw new IllegalStateException(name + " is asked for");
        }

        @Override
        public @Nullable Resolution latest(String name) {
          return null;
        }

        @Override
        public void watch(Set<String> names) {}
      };

  private final PooledOriginClient client;
  private final OriginPool pool;
  private final OriginConnectionPermits permits;
  private final List<Connection> connections = new ArrayList<>();

  /** What went over one connection. */
  public static final class Connection {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private OriginCall call;

    private Connection(OriginCall call) {
      this.call = call;
    }

    /** All that the origin has got. */
    public byte[] bytes() {
      return written.toByteArray();
    }

    public boolean isOpen() {
      return channel.isOpen();
    }

    /** Gives up the request that was sent last. */
    public void cancel() {
      call.cancel();
    }

    /** The origin says something. */
    public void answer(String text) {
      channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
    }
  }

  public OriginWire(EventLoop loop) {
    OriginConnections all = new OriginConnections();
    permits = all.permits(NAME);
    client =
        new PooledOriginClient(
            loop,
            NioSocketChannel.class,
            UnpooledByteBufAllocator.DEFAULT,
            ORIGINS,
            new ResponseLimits(32 * 1024, 128, Lab.FRAMES),
            all,
            NO_NAMES,
            new LoopCounters(),
            () -> 0);
    Origin origin = ORIGINS.find(NAME);
    if (origin == null) {
      throw new IllegalStateException(NAME);
    }
    pool =
        new OriginPool(
            client,
            origin,
            permits,
            new OriginCounters(),
            new OriginWatch(System::nanoTime, line -> {}),
            all.health(NAME),
            null);
  }

  private static Origins origins() {
    try {
      return Origins.load(
          List.of(
              new OriginConfig(
                  NAME,
                  List.of(OriginServerConfig.of("http://127.0.0.1:1")),
                  Balance.PEAK_EWMA,
                  new RetryConfig(1, List.of(), 10, false, true),
                  new EjectionConfig(5, 5, Duration.ofSeconds(10), 50, 50, SlowConfig.OFF),
                  ProbeConfig.NONE,
                  Duration.ZERO,
                  null,
                  OriginProtocol.HTTP1,
                  MAX,
                  null,
                  false,
                  true,
                  Duration.ofHours(1),
                  Duration.ofHours(1),
                  Duration.ofHours(1),
                  Duration.ZERO,
                  Duration.ofHours(1),
                  SigningConfig.NONE,
                  List.of(),
                  OriginTlsConfig.DEFAULT,
                  EgressConfig.DEFAULT,
                  ProtectionConfig.DEFAULT)),
          Origins.NONE,
          address -> false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a request by the connection that is idle, or by a new one; which one it was. */
  public Connection send(OriginRequest request, OriginListener listener) {
    RequestHeadWriter.check(request);
    PooledCall call = new PooledCall(client, pool.origin(), request, listener);
    if (pool.idleCount() > 0) {
      Connection idle = connections.getLast();
      idle.call = call;
      pool.submit(call);
      return idle;
    }
    ConnectionPermit permit = permits.tryAcquire(MAX);
    if (permit == null) {
      throw new IllegalStateException("more than " + MAX + " connections");
    }
    Connection wire = new Connection(call);
    connections.add(wire);
    EndpointPool endpoint = pool.endpoints().published().getFirst();
    endpoint.addConnection();
    OriginConnection connection = new OriginConnection(endpoint, false);
    wire.channel.pipeline().addLast(connection.decoder(), connection);
    connection.onOpen(permit);
    connection.start(call);
    return wire;
  }

  public List<Connection> connections() {
    return connections;
  }

  /** Does what is to be done, and collects what was written; whether there was anything. */
  public boolean run() {
    boolean hasWritten = false;
    for (Connection wire : connections) {
      wire.channel.runPendingTasks();
      for (ByteBuf out = wire.channel.readOutbound();
          out != null;
          out = wire.channel.readOutbound()) {
        hasWritten = true;
        wire.written.writeBytes(ByteBufUtil.getBytes(out));
        out.release();
      }
    }
    return hasWritten;
  }

  /** Ends all connections. */
  public void close() {
    connections.forEach(wire -> wire.channel.finishAndReleaseAll());
  }
}
