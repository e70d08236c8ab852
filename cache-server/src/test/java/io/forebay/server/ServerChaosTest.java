package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ChaosNames.Answer;
import io.forebay.server.ChaosServer.Fault;
import io.forebay.server.ChaosServer.Kind;
import io.forebay.server.ChaosServer.Site;
import io.forebay.server.origin.OriginStatus;
import io.forebay.server.origin.dns.NamePlaces;
import io.forebay.testing.Await;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Many clients of a node before four servers, which are killed, hang, break their responses off in
 * several ways and start again at random while the answers of DNS change, are empty, fail or do not
 * come.
 *
 * <p>One server, the anchor, is up at any time; another one takes its place only when the requests
 * that began before have ended. So each request always has a server that would answer it, and the
 * configuration allows for enough attempts: {@code retry.attempts: 4} (a request may meet each
 * other server as it fails) and {@code retry.budget: 100%}.
 */
@Tag("full")
final class ServerChaosTest {
  private static final int CLIENTS = 16;
  private static final int SERVERS = 4;

  /** Requests that end between two blows. */
  private static final int PACE = 6;

  private static final List<String> ADDRESSES =
      List.of("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4");
  private static final List<Answer> ANSWERS =
      List.of(
          Answer.of("127.0.0.1", "127.0.0.2"),
          Answer.of("127.0.0.2", "127.0.0.1"),
          Answer.of("127.0.0.1"),
          Answer.of("127.0.0.2"),
          Answer.EMPTY,
          Answer.FAILURE,
          Answer.SILENCE);

  private static final List<Fault> FAULTS =
      Stream.of(Fault.values())
          .filter(fault -> fault != Fault.NONE && fault != Fault.HANG)
          .toList();

  @TempDir Path directory;

  @Test
  void noRequestFailsThatAServerCouldAnswer() throws Exception {
    run("http1", 20);
  }

  @Test
  @Tag("full")
  void noneFailsOverHttp2Either() throws Exception {
    run("http2", 20);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http1", "http2"})
  @Tag("campaign")
  void noRequestFailsThatAServerCouldAnswerForLong(String protocol) throws Exception {
    run(protocol, Integer.getInteger("test.chaos.requests", 6_000));
  }

  private void run(String protocol, int requests) throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("ServerChaosTest: " + protocol + " -Dtest.seed=" + seed);
    List<Thread> before = threads();
    try (Bed bed = new Bed(directory, protocol, new SplittableRandom(seed), requests)) {
      bed.run();
      System.out.println("ServerChaosTest: " + bed);
      bed.check();
    }
    Await.until(
        "no thread is left",
        () ->
            threads().stream().allMatch(thread -> before.contains(thread) || isOfLibrary(thread)));
  }

  private static List<Thread> threads() {
    return List.copyOf(Thread.getAllStackTraces().keySet());
  }

  private static boolean isOfLibrary(Thread thread) {
    String name = thread.getName();
    return name.startsWith("ForkJoinPool")
        || name.startsWith("VirtualThread-unblocker")
        || name.endsWith("Poller")
        || name.contains("Cleaner")
        || name.startsWith("background~resource~releaser")
        || name.startsWith("Attach Listener")
        || name.startsWith("globalEventExecutor")
        || name.startsWith("junit");
  }

  /** The servers, the node and its clients. */
  private static final class Bed implements AutoCloseable {
    private final SplittableRandom random;
    private final int requests;
    private final Site site = new Site();
    private final MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final List<ChaosServer> servers = new ArrayList<>();
    private final ChaosNames names = new ChaosNames(ANSWERS.getFirst());
    private final Edge edge;

    /** Server that is up; one of those that no name stands for. */
    private int anchor = 2;

    private final AtomicIntegerArray ended = new AtomicIntegerArray(CLIENTS);
    private final Queue<String> problems = new ConcurrentLinkedQueue<>();
    private final Queue<String> whole = new ConcurrentLinkedQueue<>();
    private final AtomicInteger broken = new AtomicInteger();
    private final AtomicInteger posts = new AtomicInteger();
    private final AtomicInteger lostPosts = new AtomicInteger();
    private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
    private int kills;
    private int blows;

    Bed(Path directory, String protocol, SplittableRandom random, int requests) throws IOException {
      this.random = random;
      this.requests = requests;
      int port = Ports.free();
      for (String address : ADDRESSES) {
        servers.add(new ChaosServer(group, address, port, protocol.equals("http2"), site));
      }
      edge =
          Edge.start(
              directory,
              "64MiB",
              """
              origins:
                main:
                  servers: ["http://chaos.test:PORT", "http://127.0.0.3:PORT", "http://127.0.0.4:PORT"]
                  protocol: PROTOCOL
                  allow-loopback-names: true
                  max-connections: 64
                  keep-alive: 1s
                  timeouts: {connect: 5s, first-byte: 500ms, idle: 500ms}
                  retry: {attempts: 4, budget: 100%}
                  probe: {type: tcp, interval: 100ms, timeout: 1s, unhealthy: 2, healthy: 1}
                  ejection: {failures: 3, time: 200ms, max-share: 75%, panic-threshold: 0%}
              """
                  .replace("PORT", Integer.toString(port))
                  .replace("PROTOCOL", protocol),
              new NamePlaces(
                  directory.resolve("hosts"), directory.resolve("resolv.conf"), names.address()));
    }

    void run() throws Exception {
      List<Thread> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int number = i;
        SplittableRandom own = random.split();
        clients.add(Thread.ofVirtual().start(() -> client(number, own)));
      }
      int total = CLIENTS * requests;
      for (int next = PACE; next < total; next += PACE) {
        int target = next;
        Await.until("requests end", () -> ended() >= target);
        strike();
      }
      for (Thread client : clients) {
        client.join();
      }
    }

    private int ended() {
      int sum = 0;
      for (int i = 0; i < CLIENTS; i++) {
        sum += ended.get(i);
      }
      return sum;
    }

    private void strike() {
      blows++;
      if (random.nextInt(5) == 0) {
        names.answer(ANSWERS.get(random.nextInt(ANSWERS.size())));
        return;
      }
      if (random.nextInt(8) == 0) {
        moveAnchor();
        return;
      }
      int number = random.nextInt(SERVERS);
      if (number == anchor) {
        return;
      }
      ChaosServer server = servers.get(number);
      if (!server.isUp()) {
        server.start();
      } else if (random.nextInt(3) == 0) {
        server.kill();
        kills++;
      } else {
        // A third of the blows each: killed, hanging, and any other fault.
        Fault fault = random.nextBoolean() ? Fault.HANG : FAULTS.get(random.nextInt(FAULTS.size()));
        server.fail(fault);
        faults.merge(fault, 1, Integer::sum);
      }
    }

    private void moveAnchor() {
      int next = anchor == 2 ? 3 : 2;
      servers.get(next).start();
      int[] begun = new int[CLIENTS];
      for (int i = 0; i < CLIENTS; i++) {
        begun[i] = ended.get(i);
      }
      for (int i = 0; i < CLIENTS; i++) {
        int client = i;
        Await.until(
            "requests in progress end",
            () -> ended.get(client) > begun[client] || ended.get(client) == requests);
      }
      anchor = next;
    }

    private void client(int number, SplittableRandom own) {
      for (int i = 0; i < requests; i++) {
        String id = number + "-" + i;
        try {
          if (own.nextInt(8) == 0) {
            post(id);
          } else {
            get(id, own);
          }
        } catch (IOException | RuntimeException e) {
          problems.add(id + ": " + e);
        }
        ended.incrementAndGet(number);
      }
    }

    private void post(String id) throws IOException {
      posts.incrementAndGet();
      try (RawClient client = new RawClient(edge.port())) {
        int length = id.length();
        byte[] sent = id.getBytes(StandardCharsets.US_ASCII);
        RawClient.Response head =
            client.request("POST", "/STRONG/post/2", sent, "Content-Length: " + length).head();
        // Its server may be killed before the answer, or after the head of it.
        if (head.status() == 502 || head.status() == 504 || client.upTo(2).length < 2) {
          lostPosts.incrementAndGet();
        } else if (head.status() != 200) {
          problems.add("POST " + id + ": status " + head.status());
        }
      } catch (UncheckedIOException e) {
        throw e.getCause();
      }
    }

    private void get(String id, SplittableRandom own) throws IOException {
      Kind kind = Kind.values()[own.nextInt(Kind.values().length)];
      String shared = own.nextInt(4) == 0 ? id.substring(id.indexOf('-')) : id;
      String path = "/" + kind + "/" + shared + "/" + (1 + own.nextInt(12) * 9_000);
      boolean isPart = kind == Kind.STRONG && own.nextInt(4) == 0;
      int first = isPart ? own.nextInt(Site.length(path)) : 0;
      if (isPart) {
        request(path, "Range: bytes=" + first + "-");
      } else {
        request(path);
      }
    }

    private void request(String path, String... fields) throws IOException {
      try (RawClient client = new RawClient(edge.port())) {
        RawClient.Response head = client.request("GET", path, fields).head();
        if (head.status() == 502 && !Site.kind(path).isResumable) {
          // Broken off before any of it was passed on.
          broken.incrementAndGet();
          return;
        }
        if (head.status() != 200 && head.status() != 206) {
          byte[] why = client.body(head);
          problems.add(path + ": " + head.lines() + new String(why, StandardCharsets.ISO_8859_1));
          return;
        }
        byte[] all = Site.body(path, head.field("x-version"));
        byte[] expected = all;
        if (head.status() == 206) {
          String range = head.field("content-range");
          int first = Integer.parseInt(range.substring("bytes ".length(), range.indexOf('-')));
          expected = Arrays.copyOfRange(all, first, all.length);
          if (!range.equals("bytes " + first + "-" + (all.length - 1) + "/" + all.length)
              || !fields[0].equals("Range: bytes=" + first + "-")) {
            problems.add(path + ": " + range);
          }
        }
        compare(path, head, expected, client);
      } catch (UncheckedIOException e) {
        throw e.getCause();
      }
    }

    private void compare(String path, RawClient.Response head, byte[] expected, RawClient client)
        throws IOException {
      byte[] body;
      boolean isWhole;
      if (head.field("transfer-encoding").equals("chunked")) {
        try {
          body = client.body(head);
          isWhole = true;
        } catch (RawClient.BrokenException | SocketException e) {
          body = new byte[0];
          isWhole = false;
        }
      } else {
        int length = Integer.parseInt(head.field("content-length"));
        body = client.upTo(length);
        isWhole = body.length == length;
      }
      if (!Arrays.equals(
          body,
          Arrays.copyOf(
              expected, isWhole ? expected.length : Math.min(body.length, expected.length)))) {
        problems.add(path + ": other bytes than those of " + head + ", " + body.length);
      }
      if (isWhole) {
        whole.add(path);
      } else if (Site.kind(path).isResumable) {
        problems.add(
            path + ": broken off after " + body.length + " of " + expected.length + " bytes");
      } else {
        broken.incrementAndGet();
      }
    }

    /** After the end: what was counted, what is left, what is stored. */
    void check() throws Exception {
      assertEquals(List.of(), problems.stream().limit(5).toList(), problems.size() + " problems");
      site.posts.forEach(
          (id, count) -> assertEquals(1, count.get(), "POST " + id + " was sent more than once"));
      assertTrue(site.posts.size() >= posts.get() - lostPosts.get(), toString());
      // Probes find them all dead, then alive: whatever they were ejected for is over.
      servers.forEach(ChaosServer::kill);
      Await.until("all servers fail", () -> inState("failing") == endpoints().size());
      servers.forEach(ChaosServer::start);
      names.answer(ANSWERS.getFirst());
      AtomicInteger more = new AtomicInteger();
      Await.until(
          "all servers are used again",
          () -> {
            request("/STRONG/more-" + more.incrementAndGet() + "/10");
            return inState("usable") == SERVERS;
          });
      for (String path : whole.stream().filter(Site::isStored).limit(60).toList()) {
        request(path);
      }
      assertEquals(List.of(), problems.stream().limit(5).toList(), "after the end");
      edge.awaitIdle();
      Await.until("no connection is left", () -> status().connections() == 0);
      edge.awaitSum(0, counters -> counters.originConnectionsOpen);
      assertEquals(
          0,
          endpoints().stream().mapToInt(OriginStatus.Endpoint::requests).sum(),
          "requests in progress");
    }

    private OriginStatus status() {
      return edge.server().origins().getFirst();
    }

    private List<OriginStatus.Endpoint> endpoints() {
      return status().servers().stream().flatMap(server -> server.endpoints().stream()).toList();
    }

    private long inState(String state) {
      return endpoints().stream().filter(endpoint -> endpoint.state().equals(state)).count();
    }

    @Override
    public String toString() {
      return CLIENTS * requests
          + " requests, "
          + blows
          + " blows, of which "
          + kills
          + " kills and "
          + faults
          + ", "
          + broken
          + " bodies broken off that could not be resumed, "
          + edge.sum(counters -> counters.originBodiesResumed)
          + " resumed, "
          + edge.sum(counters -> counters.originRetries)
          + " sent again, "
          + lostPosts
          + " of "
          + posts
          + " POST failed, "
          + problems.size()
          + " problems";
    }

    @Override
    public void close() throws IOException {
      edge.close();
      names.close();
      servers.forEach(ChaosServer::close);
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }
}
