package io.forebay.server.listen.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ConnectionLimits;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ClientLimits;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.OverloadConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.http.RequestBodyRate;
import io.forebay.server.http.RequestBodyRate.Verdict;
import io.forebay.server.listen.ListenFixture;
import io.forebay.server.loop.ListenException;
import io.forebay.server.loop.LoopLoad;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawHttp2;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits on the share and the time of one client; each is counted under its configuration key. */
@Timeout(60)
@Tag("slow")
class BoundsTest {

  private static LimitsConfig limits(int perAddress, int bodyRate) {
    LimitsConfig l = ListenFixture.LIMITS;
    return new LimitsConfig(
        l.headerBytes(),
        l.headerCount(),
        l.targetBytes(),
        l.requestBodyBytes(),
        l.connections(),
        l.requestsPerConnection(),
        l.streamsPerConnection(),
        l.followersPerFill(),
        l.fills(),
        l.refusedLoads(),
        l.recoveryFetches(),
        l.privateCopyBytes(),
        new ClientLimits(perAddress, 0, 0, bodyRate));
  }

  private static TimeoutsConfig timeouts(Duration bodyIdle, Duration noProgress, Duration total) {
    TimeoutsConfig t = ListenFixture.TIMEOUTS;
    return new TimeoutsConfig(
        t.tlsHandshake(), t.requestHeader(), bodyIdle, t.keepAlive(), noProgress, t.drain(), total);
  }

  private static ListenFixture open(LimitsConfig limits, TimeoutsConfig timeouts)
      throws ListenException {
    return new ListenFixture(
        ListenFixture.config(
            limits,
            timeouts,
            "auto",
            1,
            new ListenerConfig(
                "both", new Address("127.0.0.1", 0), null, null, null, true, false)));
  }

  @Test
  void oneAddressHasNoMoreConnectionsThanItMay() throws Exception {
    try (ListenFixture server = open(limits(2, 0), ListenFixture.TIMEOUTS)) {
      try (RawClient a = server.connect();
          RawClient b = server.connect()) {
        a.get("/hello");
        b.get("/hello");
        try (RawClient c = server.connect()) {
          assertEquals(503, c.reply().status());
        }
        assertEquals(1, server.counters().hits(LimitKey.CONNECTIONS_PER_ADDRESS));
        assertEquals(200, a.get("/hello").status());
      }
      Await.until("no connection is left", () -> server.listeners.connections() == 0);
      try (RawClient d = server.connect()) {
        assertEquals(200, d.get("/hello").status());
      }
    }
  }

  @Test
  void anAddressOfIpv6IsCountedByItsNetwork() throws Exception {
    ConnectionLimiter connections =
        new ConnectionLimiter(
            ListenFixture.config(
                limits(1, 0), ListenFixture.TIMEOUTS, "auto", 1, ListenFixture.plain(0)));
    ConnectionLimiter.Place place =
        Objects.requireNonNull(connections.take(peer("2001:db8:1:2::1")).place());
    assertEquals(
        LimitKey.CONNECTIONS_PER_ADDRESS, connections.take(peer("2001:db8:1:2:3::9")).passed());
    assertTrue(connections.take(peer("2001:db8:1:3::1")).place() != null);
    assertTrue(connections.take(peer("192.0.2.1")).place() != null);
    assertTrue(connections.take(peer("192.0.2.2")).place() != null);
    connections.giveBack(Objects.requireNonNull(place));
    assertTrue(connections.take(peer("2001:db8:1:2::7")).place() != null);
    assertEquals(4, connections.open());
  }

  @Test
  void connectionsOfNodesAreCountedInTotalAlone() throws Exception {
    ConnectionLimiter connections =
        ConnectionLimiter.ofNodes(
            ListenFixture.config(
                limits(1, 0), ListenFixture.TIMEOUTS, "auto", 1, ListenFixture.plain(0)));
    assertTrue(connections.take(peer("192.0.2.1")).place() != null);
    assertTrue(connections.take(peer("192.0.2.1")).place() != null);
    assertEquals(2, connections.open());
  }

  @Test
  void aNetworkHasNoMoreConnectionsThanItMay() throws Exception {
    LimitsConfig one = limits(0, 0);
    ConnectionLimiter connections =
        new ConnectionLimiter(
            ListenFixture.config(
                new LimitsConfig(
                    one.headerBytes(),
                    one.headerCount(),
                    one.targetBytes(),
                    one.requestBodyBytes(),
                    one.connections(),
                    one.requestsPerConnection(),
                    one.streamsPerConnection(),
                    one.followersPerFill(),
                    one.fills(),
                    one.refusedLoads(),
                    one.recoveryFetches(),
                    one.privateCopyBytes(),
                    new ClientLimits(2, 0, 0, 0, new ConnectionLimits(3, 24, 56, 0, 0))),
                ListenFixture.TIMEOUTS,
                "auto",
                1,
                ListenFixture.plain(0)));
    for (String network : new String[] {"192.0.2.", "2001:db8:1:20"}) {
      boolean isIpv4 = network.endsWith(".");
      String other = isIpv4 ? "192.0.3.1" : "2001:db8:1:2100::1";
      ConnectionLimiter.Place first =
          Objects.requireNonNull(
              connections.take(peer(network + (isIpv4 ? "1" : "00::1"))).place());
      assertTrue(connections.take(peer(network + (isIpv4 ? "1" : "00::1"))).place() != null);
      assertEquals(
          LimitKey.CONNECTIONS_PER_ADDRESS,
          connections.take(peer(network + (isIpv4 ? "1" : "00::1"))).passed());
      assertTrue(connections.take(peer(network + (isIpv4 ? "2" : "01::1"))).place() != null);
      assertEquals(
          LimitKey.CONNECTIONS_PER_NETWORK,
          connections.take(peer(network + (isIpv4 ? "255" : "ff::1"))).passed());
      assertTrue(connections.take(peer(other)).place() != null);
      connections.giveBack(first);
      // The one that was refused for its network has left its address alone.
      assertTrue(connections.take(peer(network + (isIpv4 ? "255" : "ff::1"))).place() != null);
    }
  }

  private static InetSocketAddress peer(String address) throws IOException {
    return new InetSocketAddress(InetAddress.getByName(address), 1000);
  }

  @Tag("full")
  @Test
  void aBodyThatDripsIsRefusedOverBothProtocols() throws Exception {
    TimeoutsConfig brief =
        timeouts(Duration.ofMillis(600), Duration.ofSeconds(30), Duration.ofDays(1));
    try (ListenFixture server = open(limits(0, 1000), brief)) {
      try (RawClient client = server.connect()) {
        client.send("POST /slow-body HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n");
        server.release();
        drip(() -> client.sendLeniently("x"), server, 1);
        assertEquals(408, client.reply().status());
      }
      try (RawHttp2 client = new RawHttp2(server.port())) {
        client.post(1, "/slow-body").flush();
        server.release();
        drip(() -> client.frame(RawHttp2.DATA, 0, 1, (byte) 'x').flush(), server, 2);
        assertTrue(client.endOf(1).matches("end|reset NO_ERROR"), "408, or as good");
      }
      // What comes fast enough is taken, however long it takes.
      try (RawClient client = server.connect()) {
        client.send("POST /slow-body HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\n");
        server.release();
        for (int i = 0; i < 15; i++) {
          client.send("y".repeat(200));
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
        assertEquals(200, client.reply().status());
      }
      assertEquals(2, server.counters().hits(LimitKey.REQUEST_BODY_RATE));
    }
  }

  /** Sends now and then until the bound has been hit so often. */
  private static void drip(Runnable one, ListenFixture server, int hits) {
    Await.until(
        "the condition of the loop",
        () -> {
          one.run();
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
          return server.counters().hits(LimitKey.REQUEST_BODY_RATE) == hits;
        });
  }

  @Test
  void timeInWhichNobodyWantsTheBodyIsNotTheClients() {
    RequestBodyRate pace = new RequestBodyRate(seconds(10), 1000);
    pace.begin();
    pace.wanted(true, seconds(0));
    pace.onBytes(5_000, seconds(4));
    pace.wanted(false, seconds(4));
    assertEquals(Verdict.FINE, pace.look(seconds(1000)));
    pace.wanted(true, seconds(1000));
    assertEquals(Verdict.FINE, pace.look(seconds(1005)));
    assertEquals(seconds(1), pace.nextLookNanos(seconds(1005)));
    pace.onBytes(4_999, seconds(1006));
    assertEquals(Verdict.SLOW, pace.look(seconds(1006)), "9,999 bytes in ten seconds");
    pace.onBytes(10_000, seconds(1007));
    assertEquals(Verdict.FINE, pace.look(seconds(1016)));
    assertEquals(Verdict.SILENT, pace.look(seconds(1017)));
  }

  private static long seconds(long seconds) {
    return TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void aRequestEndsWithItsTimeOverBothProtocols() throws Exception {
    TimeoutsConfig brief =
        timeouts(Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofMillis(500));
    try (ListenFixture server = open(limits(0, 0), brief)) {
      try (RawClient client = server.connect()) {
        assertEquals(408, client.get("/never").status());
        assertTrue(client.isClosedByPeer());
      }
      try (RawHttp2 client = new RawHttp2(server.port())) {
        client.get(1, "/never").flush();
        assertEquals("end", client.endOf(1));
      }
      assertEquals(2, server.counters().hits(LimitKey.REQUEST_TOTAL));
      assertEquals(2, server.exchanges.started.size());
    }
  }

  /** RFC 9113 §10.5: one stream of a client that does well otherwise. */
  @Test
  void s15AStreamWhoseWindowStaysShutIsGivenUpAndTheOthersGoOn() throws Exception {
    TimeoutsConfig brief =
        timeouts(Duration.ofSeconds(10), Duration.ofSeconds(1), Duration.ofDays(1));
    try (ListenFixture server = open(limits(0, 0), brief);
        RawHttp2 client = new RawHttp2(server.port(), RawHttp2.setting(4, 1000))) {
      client.get(1, "/big?500000").get(3, "/big?10000000").flush();
      long taken = 0;
      boolean isReset = false;
      while (!isReset) {
        RawHttp2.Frame frame = client.read();
        if (frame == null) {
          throw new AssertionError("the connection goes on");
        }
        if (frame.type() == RawHttp2.RST_STREAM) {
          assertEquals(1, frame.stream());
          assertEquals("CANCEL", frame.resetError().toString());
          isReset = true;
        } else if (frame.type() == RawHttp2.DATA && frame.stream() == 3) {
          taken += frame.payload().length;
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
          client
              .frame(RawHttp2.WINDOW_UPDATE, 0, 3, RawHttp2.number(frame.payload().length))
              .frame(RawHttp2.WINDOW_UPDATE, 0, 0, RawHttp2.number(frame.payload().length))
              .flush();
        }
      }
      assertTrue(taken > 10_000, "the other one moved meanwhile: " + taken);
      assertEquals(1, server.counters().hits(LimitKey.NO_PROGRESS));
    }
  }

  @Test
  void aListenerOfBothTellsThemByTheirFirstBytes() throws Exception {
    try (ListenFixture server = open(limits(0, 0), ListenFixture.TIMEOUTS)) {
      try (RawClient client = server.connect()) {
        client.sendByteByByte("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
        assertEquals("x", client.reply().text());
      }
      try (RawClient client = server.connect()) {
        assertEquals(505, client.send("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n").reply().status());
      }
      try (RawHttp2 client = new RawHttp2(server.port())) {
        client.get(1, "/show").flush();
        RawHttp2.Frame data = client.await(RawHttp2.DATA);
        String shown = new String(data.payload(), StandardCharsets.ISO_8859_1);
        assertTrue(shown.startsWith("GET http a.example /show"), shown);
      }
    }
    // Without the option nothing but HTTP/1.1 is spoken.
    try (ListenFixture server = new ListenFixture();
        RawClient client = server.connect()) {
      int status = client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").reply().status();
      assertEquals(505, status);
    }
  }

  @Test
  void aLoopShedsWhileItIsLateOnAverage() {
    LoopLoad load = new LoopLoad(new OverloadConfig(Duration.ofMillis(100), Duration.ofSeconds(5)));
    load.onTick(TimeUnit.MINUTES.toNanos(10));
    assertFalse(load.isShedding(), "one pause is no overload");
    for (int i = 0; i < 20; i++) {
      load.onTick(TimeUnit.MILLISECONDS.toNanos(90));
    }
    assertFalse(load.isShedding());
    for (int i = 0; i < 20; i++) {
      load.onTick(TimeUnit.MILLISECONDS.toNanos(150));
    }
    assertTrue(load.isShedding());
    load.onTick(0);
    assertTrue(load.isShedding(), "not back and forth at the bound");
    for (int i = 0; i < 20; i++) {
      load.onTick(0);
    }
    assertFalse(load.isShedding());
    load.reconfigure(new OverloadConfig(Duration.ZERO, Duration.ofSeconds(5)));
    for (int i = 0; i < 20; i++) {
      load.onTick(TimeUnit.MINUTES.toNanos(1));
    }
    assertFalse(load.isShedding(), "turned off");
  }

  @Test
  void aLoopThatShedsTurnsNewConnectionsAwayAndServesTheOthers() throws Exception {
    try (ListenFixture server = open(limits(0, 0), ListenFixture.TIMEOUTS);
        RawClient before = server.connect()) {
      before.get("/hello");
      LoopLoad load = server.exchanges.load();
      server
          .transport
          .loops()
          .getFirst()
          .eventLoop()
          .submit(() -> {
            load.reconfigure(new OverloadConfig(Duration.ofMinutes(1), Duration.ofSeconds(7)));
            for (int i = 0; i < 50; i++) {
              load.onTick(TimeUnit.HOURS.toNanos(1));
            }
          })
          .sync();
      try (RawClient late = server.connect()) {
        RawClient.Response answer = late.reply();
        assertEquals(503, answer.status());
        assertEquals("5", answer.field("retry-after"));
      }
      assertEquals(200, before.get("/hello").status());
      assertEquals(1, server.counters().hits(LimitKey.OVERLOAD));
    }
  }
}
