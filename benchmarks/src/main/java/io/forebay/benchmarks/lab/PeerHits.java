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
 * that both see the same machine. Nodes hold copies of what they got from others, so a key counts
 * once; what warms up has keys of its own.
 */
final class PeerHits {
  private static final int WARM_UP = 6_000;
  private static final int KEYS = 10_000;
  private static final int ROUND_TRIPS = 10_000;

  /** The same for all nodes, so that they have the same keys. */
  private static final String HOST = "Host: site.example";

  private final List<EdgeProcess> edges;
  private final long[] local = new long[KEYS];
  private final long[] peer = new long[KEYS];
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
    owners(0, WARM_UP);
    long ignored = questions(0, WARM_UP);
    locals = 0;
    peers = 0;
    owned.clear();
    owners(WARM_UP, WARM_UP + KEYS);
    long mixed = questions(WARM_UP, WARM_UP + KEYS);
    double localCpu = (double) repeated(KEYS) / KEYS;
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
            Locale.ROOT, "%.0f us beside %.0f us of a local hit", peerCpu / 1e3, localCpu / 1e3));
  }

  record Result(String time, String cpu) {}

  /** Makes the owners fetch what they own: edges[0] is asked, and asks them. */
  private void owners(int from, int to) throws IOException {
    try (RawClient client = new RawClient(edges.getFirst().port())) {
      for (int key = from; key < to; key++) {
        RawClient.Response ignored = client.get("/peer" + key, HOST);
      }
    }
  }

  /** Each key once at edges[1]; returns the CPU of all nodes in nanoseconds. */
  private long questions(int from, int to) throws IOException {
    long before = cpuNanos();
    try (RawClient client = new RawClient(edges.get(1).port())) {
      for (int key = from; key < to; key++) {
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
          owned.add(path);
        } else {
          peer[peers++] = nanos;
        }
      }
    }
    return cpuNanos() - before;
  }

  /** Hits of what edges[1] owns; returns the CPU of all nodes in nanoseconds. */
  private long repeated(int requests) throws IOException {
    long before = cpuNanos();
    try (RawClient client = new RawClient(edges.get(1).port())) {
      for (int i = 0; i < requests; i++) {
        RawClient.Response ignored = client.get(owned.get(i % owned.size()), HOST);
      }
    }
    return cpuNanos() - before;
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
