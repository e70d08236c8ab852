package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two nginx and two HAProxy as one origin, killed (SIGKILL), stopped (SIGSTOP, SIGCONT) and started
 * again at random under load. One of them, the anchor, is up at any time; another one takes its
 * place only when the requests that began before have ended. So each request has a server that
 * would answer it, and none may fail.
 */
@Tag("full")
final class ServerGroupIT {
  private static final int CLIENTS = 8;
  private static final int FILES = 20;

  /** Requests that end between two blows. */
  private static final int PACE = 8;

  @TempDir private Path directory;

  private final List<RestartableServer> servers = new ArrayList<>();
  private final List<String> urls = new ArrayList<>();
  private final byte[][] contents = new byte[FILES][];
  private final AtomicIntegerArray ended = new AtomicIntegerArray(CLIENTS);
  private final Queue<String> problems = new ConcurrentLinkedQueue<>();
  private int kills;
  private int stops;
  private int anchors;

  @AfterEach
  void stop() throws Exception {
    for (RestartableServer server : servers) {
      server.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http1", "http2"})
  void noRequestFailsThatAServerCouldAnswer(String protocol) throws Exception {
    run(protocol, 60);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http1", "http2"})
  @Tag("campaign")
  void noRequestFailsThatAServerCouldAnswerForLong(String protocol) throws Exception {
    run(protocol, Integer.getInteger("test.chaos.requests", 2_000));
  }

  private void run(String protocol, int requests) throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("ServerGroupIT: " + protocol + " -Dtest.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    writeFiles();
    startServers(protocol.equals("http2"));
    try (EdgeProcess edge =
        EdgeProcess.in(directory.resolve("edge")).noisy().config(yaml(protocol)).start()) {
      List<Thread> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int number = i;
        SplittableRandom own = random.split();
        clients.add(Thread.ofVirtual().start(() -> client(edge.port(), number, requests, own)));
      }
      strike(random, requests);
      for (Thread client : clients) {
        client.join();
      }
      System.out.printf(
          "ServerGroupIT: %s: %d requests, %d kills, %d stops, %d changes of the anchor, %.0f sent"
              + " again, %.0f bodies resumed%n",
          protocol,
          CLIENTS * requests,
          kills,
          stops,
          anchors,
          edge.metrics().sum("forebay_origin_retries_total"),
          edge.metrics().sum("forebay_origin_bodies_resumed_total"));
      assertEquals(List.of(), problems.stream().limit(5).toList(), problems.size() + " problems");
      assertTrue(kills > 0 && stops > 0 && anchors > 0, "too few blows");
    }
  }

  // What is requested.

  private void writeFiles() throws Exception {
    Path www = Files.createDirectories(directory.resolve("files"));
    for (int i = 0; i < FILES; i++) {
      contents[i] = new byte[i * i * 800];
      new SplittableRandom(i).nextBytes(contents[i]);
      Files.write(www.resolve("file" + i), contents[i]);
    }
  }

  private void client(int port, int number, int requests, SplittableRandom random) {
    for (int i = 0; i < requests; i++) {
      int file = random.nextInt(FILES);
      // Half of them are passed on, half are stored; each is another URL.
      String path = (random.nextBoolean() ? "/stored/file" : "/file") + file;
      String target = path + "?" + number + "-" + i;
      try (RawClient client = new RawClient(port)) {
        RawClient.Response response = client.get(target);
        assertEquals(200, response.status(), response::toString);
        assertArrayEquals(contents[file], response.body(), "body");
      } catch (Exception | AssertionError e) {
        problems.add(target + ": " + e);
      }
      ended.incrementAndGet(number);
    }
  }

  // What is done to the servers.

  private void startServers(boolean isHttp2) throws Exception {
    String files =
        """
        location / { root %1$s/files; add_header Cache-Control no-store;
          limit_rate_after 50k; limit_rate 2m; }
        location /stored/ { alias %1$s/files/; add_header Cache-Control max-age=3600;
          limit_rate_after 50k; limit_rate 2m; }
        """
            .formatted(directory);
    NginxOrigin behind = NginxOrigin.start(directory.resolve("behind"), files);
    for (int i = 0; i < 2; i++) {
      int port = Ports.free();
      String listen = isHttp2 ? "listen 127.0.0.1:" + port + " http2; " : "";
      NginxOrigin nginx = NginxOrigin.start(directory.resolve("nginx" + i), listen + files);
      servers.add(nginx);
      urls.add("http://127.0.0.1:" + (isHttp2 ? port : nginx.port()));
      HaproxyOrigin haproxy =
          HaproxyOrigin.start(directory.resolve("haproxy" + i), isHttp2, behind.port());
      servers.add(haproxy);
      urls.add("http://127.0.0.1:" + haproxy.port());
    }
    servers.add(behind);
  }

  private String yaml(String protocol) {
    return """
    origins:
      main:
        servers: %s
        protocol: %s
        timeouts: {connect: 5s, first-byte: 1s, idle: 1s}
        retry: {attempts: 4, budget: 100%%}
        probe: {type: tcp, interval: 100ms, timeout: 1s, unhealthy: 2, healthy: 1}
        ejection: {failures: 3, time: 200ms, max-share: 75%%, panic-threshold: 0%%}
    """
        .formatted(urls, protocol);
  }

  private void strike(SplittableRandom random, int requests) throws Exception {
    int count = urls.size();
    boolean[] isDead = new boolean[count];
    boolean[] isStopped = new boolean[count];
    int anchor = 0;
    for (int next = PACE; next < CLIENTS * requests; next += PACE) {
      int target = next;
      Await.until("requests end", () -> ended() >= target);
      int number = random.nextInt(count);
      RestartableServer server = servers.get(number);
      if (number == anchor) {
        int other = (anchor + 1 + random.nextInt(count - 1)) % count;
        revive(other, isDead, isStopped);
        awaitRequestsInProgress(requests);
        anchor = other;
        anchors++;
      } else if (isDead[number] || isStopped[number]) {
        revive(number, isDead, isStopped);
      } else if (random.nextBoolean()) {
        server.kill();
        isDead[number] = true;
        kills++;
      } else {
        server.signal("STOP");
        isStopped[number] = true;
        stops++;
      }
    }
  }

  private void revive(int number, boolean[] isDead, boolean[] isStopped) throws Exception {
    if (isDead[number]) {
      servers.get(number).restart();
    } else if (isStopped[number]) {
      servers.get(number).signal("CONT");
    }
    isDead[number] = false;
    isStopped[number] = false;
  }

  /** Those that may have met the server that becomes the anchor while it was down. */
  private void awaitRequestsInProgress(int requests) {
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
  }

  private int ended() {
    int sum = 0;
    for (int i = 0; i < CLIENTS; i++) {
      sum += ended.get(i);
    }
    return sum;
  }
}
