package io.forebay.benchmarks.micro;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A whole hit as in {@link HotPathBenchmark}, on loops beside each other: each thread is a loop
 * with a lane, a near-index and a connection of its own, all on one store with the same objects.
 * The time of an operation is that of one thread; where it stays the same from one thread to as
 * many as there are cores, the loops do not disturb each other.
 *
 * <pre>
 * java -jar benchmarks/target/benchmarks.jar ThreadedHitBenchmark -t 1
 * java -jar benchmarks/target/benchmarks.jar ThreadedHitBenchmark -t max
 * </pre>
 */
public class ThreadedHitBenchmark extends Bench {
  private static final int MIN_LANES = 8;

  /** The store, and the loops on it. */
  @State(Scope.Benchmark)
  public static class Shared {
    @Param({"1", "10240"})
    int bodyBytes;

    int objects = 1000;
    private final List<EmbeddedEdge> edges = new ArrayList<>();
    private @Nullable BenchStore store;

    @Setup
    public void open() {
      int lanes = Math.max(MIN_LANES, Runtime.getRuntime().availableProcessors());
      store = new BenchStore(256L << 20, lanes, EmbeddedEdge.REGION_BYTES, 0, 0);
    }

    /** The next loop, the thread's that calls; it has found all objects. */
    synchronized EmbeddedEdge nextEdge(byte[][] requests) {
      if (store == null) {
        throw new IllegalStateException("not open");
      }
      EmbeddedEdge edge = new EmbeddedEdge(EmbeddedEdge.constant(bodyBytes), store, edges.size());
      edges.add(edge);
      for (byte[] request : requests) {
        String first = edge.exchangeText(request);
        String second = edge.exchangeText(request);
        if (!first.startsWith("HTTP/1.1 200 ") || !second.contains("; hit")) {
          throw new IllegalStateException("first:\n" + first + "\nsecond:\n" + second);
        }
      }
      return edge;
    }

    /** Loops before the store, on whatever thread: none runs any more. */
    @TearDown
    public void close() {
      edges.forEach(EmbeddedEdge::close);
      edges.clear();
      if (store != null) {
        store.close();
      }
    }
  }

  /** One loop and its client. */
  @State(Scope.Thread)
  public static class Loop {
    private byte[][] requests = new byte[0][];
    private ZipfDraw draw = new ZipfDraw(1, 0.9);
    private @Nullable EmbeddedEdge edge;

    @Setup
    public void open(Shared shared) {
      requests = new byte[shared.objects][];
      for (int i = 0; i < requests.length; i++) {
        requests[i] = EmbeddedEdge.get("/objects/" + shared.bodyBytes + "/" + i);
      }
      draw = new ZipfDraw(requests.length, 0.9);
      edge = shared.nextEdge(requests);
    }

    EmbeddedEdge edge() {
      if (edge == null) {
        throw new IllegalStateException("not open");
      }
      return edge;
    }
  }

  @Benchmark
  public long hit(Loop loop) {
    return loop.edge().exchange(loop.requests[loop.draw.next()]);
  }
}
