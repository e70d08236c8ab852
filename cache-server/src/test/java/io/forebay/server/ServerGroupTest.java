package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ChaosServer.Site;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A node with four loops before four equal servers, under the load of many clients: each request is
 * a miss.
 */
@Tag("full")
@Timeout(600)
final class ServerGroupTest {
  private static final int SERVERS = 4;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"http1", "http2"})
  void roundRobinGivesEqualServersEqualLoads(String protocol) throws Exception {
    balance(protocol, 4_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http1", "http2"})
  @Tag("campaign")
  void roundRobinGivesEqualServersEqualLoadsForLong(String protocol) throws Exception {
    balance(protocol, Integer.getInteger("test.group.requests", 200_000));
  }

  private void balance(String protocol, int requests) throws Exception {
    try (Bed bed = new Bed(directory, 32, "round-robin", protocol)) {
      bed.load("load", requests);
      List<Integer> counts = bed.requests();
      System.out.println("ServerGroupTest: " + protocol + " " + counts);
      assertEquals(requests, counts.stream().mapToInt(Integer::intValue).sum());
      int least = counts.stream().min(Integer::compare).orElseThrow();
      int most = counts.stream().max(Integer::compare).orElseThrow();
      assertTrue(most <= least * 1.03, counts::toString);
    }
  }

  @ParameterizedTest
  @CsvSource({"http1, peak-ewma", "http1, round-robin", "http2, peak-ewma"})
  void connectionsAreReused(String protocol, String balance) throws Exception {
    reuse(protocol, balance, 10_000);
  }

  @ParameterizedTest
  @CsvSource({"http1, peak-ewma", "http1, round-robin", "http2, peak-ewma"})
  @Tag("campaign")
  void connectionsAreReusedForLong(String protocol, String balance) throws Exception {
    reuse(protocol, balance, Integer.getInteger("test.group.requests", 200_000));
  }

  private void reuse(String protocol, String balance, int requests) throws Exception {
    try (Bed bed = new Bed(directory, 8, balance, protocol)) {
      bed.warmUp();
      int before = bed.accepted();
      bed.load("load", requests);
      int opened = bed.accepted() - before;
      System.out.println(
          "ServerGroupTest: %s %s: %d connections before, %d more for %d misses"
              .formatted(protocol, balance, before, opened, requests));
      assertTrue(opened * 1_000L <= requests, opened + " connections for " + requests);
    }
  }

  /** The servers and the node before them. */
  private static final class Bed implements AutoCloseable {
    private final MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final List<ChaosServer> servers = new ArrayList<>();
    private final Edge edge;

    /** Kept from one load to the next, so that each stays on its loop. */
    private final List<RawClient> clients = new ArrayList<>();

    Bed(Path directory, int clientCount, String balance, String protocol) throws IOException {
      boolean isHttp2 = protocol.equals("http2");
      Site site = new Site();
      StringBuilder urls = new StringBuilder();
      for (int i = 0; i < SERVERS; i++) {
        ChaosServer server = new ChaosServer(group, "127.0.0.1", Ports.free(), isHttp2, site);
        servers.add(server);
        urls.append(i == 0 ? "" : ", ").append("\"http://127.0.0.1:" + server.port() + "\"");
      }
      edge =
          Edge.start(
              directory,
              "128MiB",
              "threads: {loops: 4, pin: off}\norigins: {main: {servers: [%s], balance: %s, protocol: %s}}\n"
                  .formatted(urls, balance, protocol));
      for (int i = 0; i < clientCount; i++) {
        clients.add(new RawClient(edge.port()));
      }
    }

    /** The clients share the requests; each sends one after the other. */
    void load(String name, int requests) throws InterruptedException {
      AtomicInteger next = new AtomicInteger();
      Queue<String> problems = new ConcurrentLinkedQueue<>();
      List<Thread> threads = new ArrayList<>();
      for (RawClient client : clients) {
        threads.add(
            Thread.ofVirtual()
                .start(() -> {
                  try {
                    for (int n = next.getAndIncrement(); n < requests; n = next.getAndIncrement()) {
                      RawClient.Response response = client.get("/STRONG/" + name + n + "/200");
                      if (response.status() != 200) {
                        problems.add(response.toString());
                      }
                    }
                  } catch (RuntimeException | IOException e) {
                    problems.add(e.toString());
                  }
                }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(List.of(), List.copyOf(problems));
    }

    /** Until the connections suffice for what goes on at the same time. */
    void warmUp() throws InterruptedException {
      int before = -1;
      for (int round = 0; round < 10 && before != accepted(); round++) {
        before = accepted();
        load("warm" + round + "-", 1_000);
      }
    }

    List<Integer> requests() {
      return servers.stream().map(ChaosServer::requests).toList();
    }

    int accepted() {
      return servers.stream().mapToInt(ChaosServer::accepted).sum();
    }

    @Override
    public void close() throws IOException {
      for (RawClient client : clients) {
        client.close();
      }
      edge.close();
      servers.forEach(ChaosServer::close);
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }
}
