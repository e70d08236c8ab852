package io.forebay.benchmarks.lab;

import io.forebay.testing.EdgeProcess;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Small objects that another node has, beside objects that the asked node itself has.
 *
 * <pre>
 * client ─▶ edges[1] ─▶ the owner, which has the object      a hit of a peer: once for each key
 * client ─▶ edges[1], which owns the object and has it       a local hit
 * </pre>
 *
 * <p>One client, one request at a time. Both kinds come interleaved, in the order of their keys, so
 * that both see the same machine. The nodes keep no copies ({@code copies: never}), so a key that
 * another node owns is a hit of a peer each time. All keys are asked for many times before anything
 * is measured: the compilers of five JVMs take seconds. What the nodes do beside it, such as their
 * proofs each second, is measured at rest and taken off.
 */
final class PeerHits {
  private static final int KEYS = 1_000;
  private static final int WARM_UP_ROUNDS = 60;
  private static final int ROUNDS = 10;
  private static final int ROUND_TRIPS = 10_000;
  private static final long REST_MILLIS = 5_000;

  /** The same for all nodes, so that they have the same keys. */
  private static final String HOST = "Host: site.example";

  private final List<EdgeProcess> edges;
  private final long[] local = new long[KEYS * ROUNDS];
  private final long[] peer = new long[KEYS * ROUNDS];
  private final List<String> owned = new ArrayList<>();
  private int locals;
  private int peers;

  PeerHits(List<EdgeProcess> edges) {
    this.edges = edges;
  }

  /**
   * Asks, and says what it took.
   *
   * @return two results: the time to the answer, and the CPU of all nodes
   */
  Result measure() throws Exception {
    owners();
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
      locals = 0;
      peers = 0;
      owned.clear();
      questions();
    }
    double ignored = repeated(KEYS * ROUNDS, 0);
    double atRest = atRest();
    locals = 0;
    peers = 0;
    long start = System.nanoTime();
    long before = cpuNanos();
    for (int round = 0; round < ROUNDS; round++) {
      questions();
    }
    double mixed = cpuNanos() - before - atRest * (System.nanoTime() - start);
    double localCpu = repeated(KEYS * ROUNDS, atRest) / (KEYS * ROUNDS);
    double peerCpu = (mixed - locals * localCpu) / Math.max(1, peers);
    long trip = roundTrip();
    long localMedian = median(local, locals);
    long peerMedian = median(peer, peers);
    return new Result(
        String.format(
            Locale.ROOT,
            "p50 %.0f us beside %.0f us of a local hit and %.0f us of a round trip: %.2f of their"
                + " sum; %d of peers, %d local",
            peerMedian / 1e3,
            localMedian / 1e3,
            trip / 1e3,
            (double) peerMedian / (localMedian + trip),
            peers,
            locals),
        String.format(
            Locale.ROOT,
            "%.0f us beside %.0f us of a local hit; %.1f %% of a core at rest, not counted",
            peerCpu / 1e3,
            localCpu / 1e3,
            atRest * 100));
  }

  record Result(String time, String cpu) {}

  /** Makes the owners fetch what they own: edges[0] is asked, and asks them. */
  private void owners() throws IOException {
    try (RawClient client = new RawClient(edges.getFirst().port())) {
      for (int key = 0; key < KEYS; key++) {
        RawClient.Response ignored = client.get("/peer" + key, HOST);
      }
    }
  }

  /** Each key once at edges[1]. */
  private void questions() throws IOException {
    try (RawClient client = new RawClient(edges.get(1).port())) {
      for (int key = 0; key < KEYS; key++) {
        String path = "/peer" + key;
        long start = System.nanoTime();
        RawClient.Response response = client.get(path, HOST);
        long nanos = System.nanoTime() - start;
        String status = response.field("cache-status");
        boolean isLocal = status.indexOf(',') < 0;
        if (!response.isHit() || (isLocal && status.contains("fwd="))) {
          continue;
        }
        if (isLocal) {
          local[locals++] = nanos;
          if (owned.size() < KEYS) {
            owned.add(path);
          }
        } else {
          peer[peers++] = nanos;
        }
      }
    }
  }

  /** What all nodes together take while nobody asks them anything: CPU time in each second. */
  private double atRest() throws IOException, InterruptedException {
    long start = System.nanoTime();
    long before = cpuNanos();
    Thread.sleep(REST_MILLIS);
    return (double) (cpuNanos() - before) / (System.nanoTime() - start);
  }

  /**
   * Hits of what edges[1] owns.
   *
   * @return the CPU of all nodes in nanoseconds, without what they take at rest
   */
  private double repeated(int requests, double atRest) throws IOException {
    long start = System.nanoTime();
    long before = cpuNanos();
    try (RawClient client = new RawClient(edges.get(1).port())) {
      for (int i = 0; i < requests; i++) {
        RawClient.Response ignored = client.get(owned.get(i % owned.size()), HOST);
      }
    }
    return cpuNanos() - before - atRest * (System.nanoTime() - start);
  }

  /** A byte to a thread of this process and back, over loopback; nanoseconds, the median. */
  private static long roundTrip() throws IOException, InterruptedException {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = new Socket(listener.getInetAddress(), listener.getLocalPort());
        Socket other = listener.accept()) {
      socket.setTcpNoDelay(true);
      other.setTcpNoDelay(true);
      Thread echo =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  for (int one = other.getInputStream().read();
                      one >= 0;
                      one = other.getInputStream().read()) {
                    other.getOutputStream().write(one);
                  }
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      long[] nanos = new long[ROUND_TRIPS];
      for (int i = 0; i < nanos.length; i++) {
        long start = System.nanoTime();
        socket.getOutputStream().write(1);
        if (socket.getInputStream().read() != 1) {
          throw new IOException("the echo ended");
        }
        nanos[i] = System.nanoTime() - start;
      }
      socket.shutdownOutput();
      echo.join();
      return median(nanos, nanos.length);
    }
  }

  private static long median(long[] values, int count) {
    long[] sorted = Arrays.copyOf(values, count);
    Arrays.sort(sorted);
    return count == 0 ? 0 : sorted[count / 2];
  }

  /** User and system time of all nodes since their starts (proc(5): in ticks of 10 ms). */
  private long cpuNanos() throws IOException {
    long ticks = 0;
    for (EdgeProcess edge : edges) {
      String stat = Files.readString(Path.of("/proc", Long.toString(edge.pid()), "stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      ticks += Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
    return ticks * 10_000_000;
  }
}
