package io.forebay.server.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.accesslog.RequestLogs;
import io.forebay.server.config.AuditConfig;
import io.forebay.server.config.CompressionConfig;
import io.forebay.server.config.GeoConfig;
import io.forebay.server.config.Http3Config;
import io.forebay.server.config.MemorySize;
import io.forebay.server.config.PluginsConfig;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.AccessLogConfig;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.AdminConfig;
import io.forebay.server.config.ServerConfig.ClientLimits;
import io.forebay.server.config.ServerConfig.ForwardingConfig;
import io.forebay.server.config.ServerConfig.Http2Config;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.OverloadConfig;
import io.forebay.server.config.ServerConfig.StoreConfig;
import io.forebay.server.config.ServerConfig.ThreadsConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.config.TlsConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.loop.ListenException;
import io.forebay.server.loop.Loop;
import io.forebay.server.loop.Transport;
import io.forebay.server.ring.RingFiles;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.TlsException;
import io.forebay.testing.PooledBuffers;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A running listener on loopback with scripted exchanges. Closing it checks that every buffer went
 * back: the loops' threads have ended by then, and with them their caches.
 */
public final class ListenFixture implements AutoCloseable {

  public static final LimitsConfig LIMITS =
      new LimitsConfig(
          16 * 1024,
          100,
          4096,
          1 << 20,
          1000,
          1000,
          100,
          100,
          100,
          100,
          0,
          1 << 20,
          new ClientLimits(0, 0, 0, 0));
  public static final TimeoutsConfig TIMEOUTS =
      new TimeoutsConfig(
          Duration.ofSeconds(5),
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          Duration.ofDays(1));
  static final Http2Config HTTP2 =
      new Http2Config(Duration.ofSeconds(30), 200, 200, 1000, 100, 1000, 16, 4, 1000);

  public final Transport transport;
  public final Listeners listeners;
  public final ScriptedExchanges exchanges = new ScriptedExchanges();
  public final List<LoopCounters> counters = new ArrayList<>();
  private final AccessLog accessLog;
  private final ClientTls tls;
  private final long buffersBefore;

  public ListenFixture() throws ListenException {
    this(LIMITS, TIMEOUTS);
  }

  public ListenFixture(LimitsConfig limits, TimeoutsConfig timeouts) throws ListenException {
    this(config(limits, timeouts, "auto", 1, plain(0)));
  }

  public ListenFixture(ServerConfig config) throws ListenException {
    buffersBefore = PooledBuffers.active();
    try {
      accessLog = AccessLog.open(config.accessLog(), config.threads().loops());
      tls = ClientTls.open(config, System::currentTimeMillis);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (TlsException e) {
      throw new IllegalStateException(e);
    }
    transport = Transport.open(config.threads());
    List<ScriptedExchanges> each = new ArrayList<>();
    for (Loop ignored : transport.loops()) {
      each.add(exchanges);
      counters.add(new LoopCounters());
    }
    try {
      listeners =
          Listeners.bind(
              config,
              transport,
              each,
              counters,
              new RequestLogs(
                  accessLog,
                  RingFiles.none(),
                  config.accessLog().lines(),
                  transport.loops().size()),
              System::currentTimeMillis,
              tls,
              InheritedSockets.none(),
              Listeners.tokenKey(Listeners.newTokenKey()));
    } catch (ListenException e) {
      transport.close();
      throw e;
    }
    listeners.accept();
  }

  public static ListenerConfig plain(int port) {
    return new ListenerConfig("test", new Address("127.0.0.1", port), null, null);
  }

  public static ServerConfig config(
      LimitsConfig limits,
      TimeoutsConfig timeouts,
      String transport,
      int loops,
      ListenerConfig... listeners) {
    return config(limits, timeouts, transport, loops, Http3Config.OFF, listeners);
  }

  public static ServerConfig config(
      LimitsConfig limits,
      TimeoutsConfig timeouts,
      String transport,
      int loops,
      Http3Config http3,
      ListenerConfig... listeners) {
    return new ServerConfig(
        List.of(listeners),
        new AdminConfig(new Address("127.0.0.1", 0), null),
        new ThreadsConfig(loops, "off", transport),
        new StoreConfig(
            Path.of("unused"),
            MemorySize.of(0),
            MemorySize.share(100),
            null,
            List.of(),
            "auto",
            "auto",
            "auto",
            "auto",
            "always",
            0,
            Duration.ZERO,
            "buffered",
            0,
            0,
            null,
            0,
            25,
            Duration.ZERO),
        List.of(),
        List.of(),
        List.of(),
        limits,
        timeouts,
        new ServerConfig.TunnelsConfig(10, 0, Duration.ofMinutes(1)),
        new ForwardingConfig(List.of(), true, false, "test", 10, null),
        new AccessLogConfig("off", 1),
        HTTP2,
        new OverloadConfig(Duration.ZERO, Duration.ofSeconds(5)),
        TlsConfig.DEFAULT,
        http3,
        ServerConfig.PurgeConfig.OFF,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        ServerConfig.DefaultPages.NONE,
        ServerConfig.DebugConfig.OFF,
        List.of(),
        GeoConfig.NONE,
        CompressionConfig.OFF,
        PluginsConfig.NONE,
        null,
        AuditConfig.OFF);
  }

  /** The same with other bounds of HTTP/2. */
  static ServerConfig with(ServerConfig c, Http2Config http2) {
    return new ServerConfig(
        c.listeners(),
        c.admin(),
        c.threads(),
        c.store(),
        c.stores(),
        c.origins(),
        c.routes(),
        c.limits(),
        c.timeouts(),
        c.tunnels(),
        c.forwarding(),
        c.accessLog(),
        http2,
        c.overload(),
        c.tls(),
        c.http3(),
        c.purge(),
        c.storageClasses(),
        c.protections(),
        c.matchers(),
        c.ruleSets(),
        c.errorPages(),
        c.debug(),
        c.splits(),
        c.geo(),
        c.compression(),
        c.plugins(),
        c.cluster(),
        c.audit());
  }

  public int port() {
    return listeners.bound().getFirst().port();
  }

  public RawClient connect() {
    return new RawClient(port());
  }

  public LoopCounters counters() {
    return counters.getFirst();
  }

  /** Runs what {@code /slow} has left to do, on the loop. */
  public void release() throws InterruptedException {
    transport.loops().getFirst().eventLoop().execute(exchanges.held.take());
  }

  @Override
  public void close() {
    listeners.close();
    transport.close();
    tls.close();
    accessLog.close();
    assertEquals(buffersBefore, PooledBuffers.active(), "buffers not released");
  }
}
