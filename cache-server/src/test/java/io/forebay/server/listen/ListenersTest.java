package io.forebay.server.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.ThreadsConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.loop.CpuPlan;
import io.forebay.server.loop.ListenException;
import io.forebay.server.loop.Loop;
import io.forebay.server.loop.Transport;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import net.openhft.affinity.Affinity;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ListenersTest {

  private static ServerConfig config(String transport, int loops, ListenerConfig... listeners) {
    return ListenFixture.config(
        ListenFixture.LIMITS, ListenFixture.TIMEOUTS, transport, loops, listeners);
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "nio", "epoll"})
  void everyLoopListensOnTheSamePort(String transport) throws Exception {
    try (ListenFixture server =
        new ListenFixture(config(transport, 3, ListenFixture.plain(0), ListenFixture.plain(0)))) {
      assertEquals(transport.equals("nio") ? "nio" : "epoll", server.transport.name());
      assertEquals(2, server.listeners.bound().size());
      Listeners.Bound first = server.listeners.bound().getFirst();
      assertEquals("127.0.0.1", first.host());
      assertEquals("http", first.scheme());
      assertTrue(first.port() > 0 && first.port() != server.listeners.bound().get(1).port());
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        RawClient client = server.connect();
        assertEquals("hello", client.get("/hello").text());
        clients.add(client);
      }
      assertEquals(60, server.listeners.connections());
      // The kernel spreads by a hash; that a loop of three gets none of 60 is next to impossible.
      for (LoopCounters counters : server.counters) {
        assertTrue(counters.connectionsAccepted > 0);
      }
      clients.forEach(RawClient::close);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "epoll"})
  void aTakenPortIsOneClearLineAndNothingStaysBound(String transport) throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int free;
      try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        free = probe.getLocalPort();
      }
      ListenException e =
          assertThrows(
              ListenException.class,
              () ->
                  new ListenFixture(
                      config(
                          transport,
                          2,
                          ListenFixture.plain(free),
                          ListenFixture.plain(taken.getLocalPort()))));
      assertEquals(
          "listen 127.0.0.1:" + taken.getLocalPort() + ": address in use by another process",
          e.getMessage());
      assertThrows(
          IOException.class, () -> new Socket(InetAddress.getLoopbackAddress(), free).close());
    }
  }

  @Test
  void aPortOfAnotherNodeCountsAsTaken() throws Exception {
    try (ListenFixture server = new ListenFixture()) {
      ListenException e =
          assertThrows(
              ListenException.class,
              () -> new ListenFixture(config("auto", 1, ListenFixture.plain(server.port()))));
      assertTrue(String.valueOf(e.getMessage()).contains("address in use"), e.getMessage());
      try (RawClient client = server.connect()) {
        assertEquals("hello", client.get("/hello").text());
      }
    }
  }

  @Test
  void anAddressThatIsNotHereIsOneClearLine() {
    ListenerConfig elsewhere = new ListenerConfig("x", new Address("192.0.2.1", 8080), null, null);
    ListenException e =
        assertThrows(ListenException.class, () -> new ListenFixture(config("auto", 1, elsewhere)));
    assertEquals("listen 192.0.2.1:8080: no such address on this machine", e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void whoeverWaitsIsLetInBeforeTheFirstIsServed(String transport) throws Exception {
    try (ListenFixture server = new ListenFixture(config(transport, 1, ListenFixture.plain(0)))) {
      LoopCounters counters = server.counters.getFirst();
      AtomicLong atFirst = new AtomicLong();
      server.exchanges.onStart = () -> atFirst.compareAndSet(0, counters.connectionsAccepted);
      // While the loop is at something else the kernel holds connections and what they ask for.
      CountDownLatch atWork = new CountDownLatch(1);
      server.transport.loops().getFirst().eventLoop().execute(() -> await(atWork));
      List<RawClient> clients = new ArrayList<>();
      try {
        for (int i = 0; i < 20; i++) {
          clients.add(server.connect().request("GET", "/hello"));
        }
        atWork.countDown();
        for (RawClient client : clients) {
          assertEquals(200, client.reply().status());
        }
      } finally {
        atWork.countDown();
        clients.forEach(RawClient::close);
      }
      assertEquals(20, atFirst.get());
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void drainsIdleConnectionsNowAndOthersWithTheirResponse() throws Exception {
    try (ListenFixture server = new ListenFixture();
        RawClient idle = server.connect();
        RawClient busy = server.connect()) {
      idle.get("/hello");
      busy.request("GET", "/slow?1");
      Runnable step = server.exchanges.held.take();
      CompletableFuture<Boolean> drained =
          CompletableFuture.supplyAsync(() -> {
            try {
              return server.listeners.drain(Duration.ofSeconds(20));
            } catch (InterruptedException e) {
              return false;
            }
          });
      assertTrue(idle.isClosedByPeer());
      assertThrows(
          IOException.class,
          () -> new Socket(InetAddress.getLoopbackAddress(), server.port()).close());
      assertFalse(drained.isDone());
      server.transport.loops().getFirst().eventLoop().execute(step);
      RawClient.Response last = busy.reply();
      assertEquals("close", last.field("connection"));
      assertEquals("slow 1", last.text());
      assertTrue(busy.isClosedByPeer());
      assertTrue(drained.get(10, TimeUnit.SECONDS));
      assertEquals(0, server.listeners.connections());
    }
  }

  @Test
  void cutsWhatDoesNotDrainInTime() throws Exception {
    try (ListenFixture server = new ListenFixture();
        RawClient client = server.connect()) {
      client.request("GET", "/never");
      while (server.exchanges.started.isEmpty()) {
        Thread.onSpinWait();
      }
      assertFalse(server.listeners.drain(Duration.ofMillis(50)));
      server.listeners.close();
      assertTrue(client.isClosedByPeer());
      assertEquals("/never", server.exchanges.closed.poll(10, TimeUnit.SECONDS));
    }
  }

  @Test
  void loopsHaveNamesAndAShareOfTheirCpu() throws Exception {
    try (Transport transport = Transport.open(new ThreadsConfig(2, "off", "auto"))) {
      assertEquals("not pinned: threads.pin is off", transport.pinning());
      Loop loop = transport.loops().get(1);
      assertEquals("loop-1", loop.eventLoop().submit(() -> Thread.currentThread().getName()).get());
      assertEquals(-1, loop.cpu());
      double busy =
          loop.eventLoop()
              .submit(() -> {
                long endNanos = System.nanoTime() + 300_000_000L;
                while (System.nanoTime() < endNanos) {
                  Thread.onSpinWait();
                }
                return loop.busyShare();
              })
              .get();
      assertTrue(busy > 0.02 && busy <= 1, "" + busy);
      assertTrue(transport.loops().getFirst().busyShare() < busy);
    }
  }

  @Test
  void pinsEachLoopToACpuOfItsOwn() throws Exception {
    int cpus = CpuPlan.Machine.here().allowed().cardinality();
    Assumptions.assumeTrue(cpus > 1, "one CPU only: nothing to pin to");
    try (Transport transport = Transport.open(new ThreadsConfig(2, "auto", "auto"))) {
      assertTrue(transport.pinning().startsWith("pinned to CPUs ["), transport.pinning());
      List<String> masks = new ArrayList<>();
      for (Loop loop : transport.loops()) {
        assertTrue(loop.cpu() >= 0);
        masks.add(loop.eventLoop().submit(() -> Affinity.getAffinity().toString()).get());
        assertEquals("{" + loop.cpu() + "}", masks.getLast());
      }
      assertFalse(masks.getFirst().equals(masks.getLast()));
    }
  }

  @Test
  void refusesAnUnknownTransport() {
    ListenException e =
        assertThrows(
            ListenException.class, () -> Transport.open(new ThreadsConfig(1, "off", "kqueue")));
    assertEquals("transport kqueue: must be auto, epoll or nio", e.getMessage());
  }
}
