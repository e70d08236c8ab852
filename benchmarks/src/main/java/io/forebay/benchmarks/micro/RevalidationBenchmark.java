package io.forebay.benchmarks.micro;

import io.forebay.benchmarks.micro.EmbeddedEdge.Answer;
import io.forebay.core.http.HeaderFields;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A request for a stale object: the origin is asked whether it has changed, answers 304 at once,
 * the stored head is written anew, and the client gets the body from memory. The store's own work
 * is done by the same thread.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar RevalidationBenchmark -prof gc</pre>
 */
public class RevalidationBenchmark extends Bench {
  private static final String TAG = "\"65f0c8a2-2800\"";

  /** Between two requests for the same object, which stays fresh for a second. */
  private static final long ROUND_MILLIS = 2_000;

  /** An edge whose objects are stale whenever they are asked for. */
  @State(Scope.Thread)
  public static class Stale {
    @Param({"10240", "1048576"})
    int bodyBytes;

    int objects = 50;
    private byte[][] requests = new byte[0][];
    private long nowMillis = 1_800_000_000_000L;
    private int next;
    private long confirmed;
    private @Nullable EmbeddedEdge edge;

    @Setup
    public void fill() {
      byte[] body = new byte[bodyBytes];
      HeaderFields fields =
          HeaderFields.of(
              "server", "origin",
              "content-type", "application/octet-stream",
              "cache-control", "public, max-age=1",
              "etag", TAG);
      Answer whole = new Answer(200, fields, body);
      Answer notModified = new Answer(304, fields, new byte[0]);
      EmbeddedEdge opened =
          new EmbeddedEdge(
              request -> {
                if (request.fields().first("if-none-match") == null) {
                  return whole;
                }
                confirmed++;
                return notModified;
              },
              "",
              256L << 20,
              () -> nowMillis);
      edge = opened;
      requests = new byte[objects][];
      for (int i = 0; i < objects; i++) {
        requests[i] = EmbeddedEdge.get("/objects/" + i);
        String first = opened.exchangeText(requests[i]);
        if (!first.startsWith("HTTP/1.1 200 ")) {
          throw new IllegalStateException(first);
        }
        opened.settle();
      }
      nowMillis += ROUND_MILLIS;
      long before = confirmed;
      if (revalidate() < bodyBytes || confirmed != before + 1) {
        throw new IllegalStateException("not confirmed by the origin");
      }
      String again = opened.exchangeText(requests[0]);
      if (!again.contains("; hit") || confirmed != before + 1) {
        throw new IllegalStateException("not fresh again: " + again);
      }
    }

    /** Gives the bytes of the response. */
    long revalidate() {
      if (edge == null) {
        throw new IllegalStateException("not open");
      }
      nowMillis += ROUND_MILLIS / requests.length;
      long sent = edge.exchangeAll(requests[next], bodyBytes);
      next = (next + 1) % requests.length;
      return sent;
    }

    /** How often the origin has answered 304. */
    long confirmed() {
      return confirmed;
    }

    @TearDown
    public void close() {
      if (edge != null) {
        edge.close();
      }
    }
  }

  @Benchmark
  public long revalidate(Stale stale) {
    return stale.revalidate();
  }
}
