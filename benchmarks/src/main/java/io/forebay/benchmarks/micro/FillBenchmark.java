package io.forebay.benchmarks.micro;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A miss that is stored: the request for a URL that nobody has asked for goes to an origin that
 * answers at once, and the response to the client and into the store. The store is full, and its
 * own work, which makes room, is done by the same thread here: the time is all that a fill costs a
 * node but the two sockets. The origin copies its body into a buffer, as a read from a socket does.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar FillBenchmark -prof gc</pre>
 */
public class FillBenchmark extends Bench {
  private static final long MEMORY_BYTES = 128L << 20;
  private static final byte[] REQUEST = EmbeddedEdge.get("/objects/0000000000");
  private static final int LAST_DIGIT =
      new String(REQUEST, StandardCharsets.US_ASCII).indexOf(" HTTP/") - 1;
  private static final int DIGITS = 10;

  /** An edge whose store is full. */
  @State(Scope.Thread)
  public static class Full {
    @Param({"10240", "1048576"})
    int bodyBytes;

    long memoryBytes = MEMORY_BYTES;
    private final byte[] request = REQUEST.clone();
    private long number;
    private @Nullable EmbeddedEdge edge;

    @Setup
    public void fill() {
      EmbeddedEdge opened =
          new EmbeddedEdge(
              EmbeddedEdge.constant(bodyBytes), "", memoryBytes, System::currentTimeMillis);
      edge = opened;
      for (long stored = 0; stored < memoryBytes; stored += bodyBytes) {
        long ignored = miss();
      }
      String last = opened.exchangeText(request);
      if (!last.startsWith("HTTP/1.1 200 ") || !last.contains("; hit")) {
        throw new IllegalStateException("the last one was not stored: " + last);
      }
    }

    /** Gives the bytes of the response. */
    long miss() {
      if (edge == null) {
        throw new IllegalStateException("not open");
      }
      long rest = number++;
      for (int i = LAST_DIGIT; i > LAST_DIGIT - DIGITS; i--) {
        request[i] = (byte) ('0' + rest % 10);
        rest /= 10;
      }
      return edge.exchangeAll(request, bodyBytes);
    }

    @TearDown
    public void close() {
      if (edge != null) {
        edge.close();
      }
    }
  }

  @Benchmark
  public long miss(Full full) {
    return full.miss();
  }
}
