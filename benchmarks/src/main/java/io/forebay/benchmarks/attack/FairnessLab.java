package io.forebay.benchmarks.attack;

import io.forebay.testing.Directories;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one client leaves to another: an attacker at ::1 hoards tunnels, or has 2,400 requests for
 * slow URLs in progress over 24 HTTP/2 connections, while a bystander at 127.0.0.1 asks for what is
 * stored, for what is not, and for tunnels. Prints one line a run with the bystander's statuses.
 * Wants Linux with two CPUs and 10,000 descriptors; takes half a minute.
 *
 * <pre>
 * mvn -B -ntp -q package -Dmaven.test.skip -pl benchmarks -am
 * java -cp benchmarks/target/benchmarks.jar \\
 *     io.forebay.benchmarks.attack.FairnessLab cache-cli/target/forebay.jar [SECONDS]
 * </pre>
 */
@SuppressWarnings("try") // one that is interrupted ends
public final class FairnessLab {

  private static final int SECONDS = 6;
  private static final int SLOW_SECONDS = 20;
  private static final int TUNNELS = 1_100;
  private static final int CONNECTIONS = 24;
  private static final int STREAMS = 100;
  private static final int PATIENCE_MILLIS = 10_000;
  private static final String OFFER =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
          + "Sec-WebSocket-Key: "
          + SlowOrigin.KEY
          + "\r\n";

  private final int port;
  private final int seconds;
  private final List<RawClient> held = new ArrayList<>();

  private FairnessLab(int port, int seconds) {
    this.port = port;
    this.seconds = seconds;
  }

  public static void main(String[] arguments) throws Exception {
    Path jar = Path.of(arguments[0]).toAbsolutePath();
    int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : SECONDS;
    Path directory = Files.createTempDirectory("forebay-fairness-");
    try (Edge edge =
        Edge.start(
            jar,
            directory,
            "0",
            new SlowOrigin(SLOW_SECONDS),
            "routes: [{name: all, origin: default, upgrade: websocket}]")) {
      new FairnessLab(edge.port(), seconds).run();
    } finally {
      Directories.delete(directory);
    }
  }

  private void run() throws IOException {
    bystander("nobody else");
    slowRequests();
    bystander("24 HTTP/2 connections, 100 slow requests each");
    leave();
    hoardTunnels();
    bystander("1,100 offers of tunnels");
    leave();
  }

  // --- the attacker -----------------------------------------------------------------------------

  private RawClient attacker() throws IOException {
    byte[] loopback = new byte[16];
    loopback[15] = 1;
    RawClient client = new RawClient(new Socket(InetAddress.getByAddress(loopback), port));
    held.add(client);
    return client;
  }

  private void slowRequests() throws IOException {
    for (int i = 0; i < CONNECTIONS; i++) {
      Http2Frames requests = new Http2Frames().preface();
      for (int k = 0; k < STREAMS; k++) {
        requests.get(1 + 2 * k, "[::1]:" + port, "/slow/" + i + "/" + k);
      }
      attacker().send(requests.bytes());
    }
  }

  private void hoardTunnels() throws IOException {
    for (int i = 0; i < TUNNELS; i++) {
      int ignored = status(attacker(), "/tunnel", OFFER);
    }
  }

  private void leave() {
    held.forEach(RawClient::close);
    held.clear();
  }

  // --- the bystander ----------------------------------------------------------------------------

  private void bystander(String beside) throws IOException {
    Map<String, Map<Integer, Integer>> statuses = new TreeMap<>();
    List<Long> missNanos = new ArrayList<>();
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    for (int i = 0; System.nanoTime() < end; i++) {
      count(statuses, "hits", "/hit", "");
      long start = System.nanoTime();
      count(statuses, "misses", "/miss/" + i, "");
      missNanos.add(System.nanoTime() - start);
      if (i % 10 == 0) {
        count(statuses, "tunnels", "/tunnel", OFFER);
      }
    }
    long[] sorted = missNanos.stream().mapToLong(Long::longValue).sorted().toArray();
    System.out.printf(
        Locale.ROOT,
        "beside %s: statuses %s, misses p50 %.2f ms, p99 %.2f ms%n",
        beside,
        statuses,
        sorted[sorted.length / 2] / 1e6,
        sorted[sorted.length * 99 / 100] / 1e6);
  }

  private void count(
      Map<String, Map<Integer, Integer>> statuses, String what, String path, String fields)
      throws IOException {
    try (RawClient client =
        new RawClient(new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port))) {
      statuses
          .computeIfAbsent(what, w -> new TreeMap<>())
          .merge(status(client, path, fields), 1, Integer::sum);
    }
  }

  /** The status of what comes back; 0 where nothing does. */
  private static int status(RawClient client, String path, String fields) throws IOException {
    client
        .timeoutMillis(PATIENCE_MILLIS)
        .send("GET " + path + " HTTP/1.1\r\nHost: fairness.example\r\n" + fields + "\r\n");
    try {
      return client.head().status();
    } catch (IOException nothing) {
      return 0;
    }
  }
}
