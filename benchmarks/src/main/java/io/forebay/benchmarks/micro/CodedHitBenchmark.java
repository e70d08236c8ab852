package io.forebay.benchmarks.micro;

import io.forebay.benchmarks.micro.EmbeddedEdge.Answer;
import io.forebay.core.http.HeaderFields;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A hit that is served from a coded copy, beside a hit of the same length that is served as it is
 * stored; as {@link HotPathBenchmark} measures hits, with the fields of a browser. A coded hit
 * finds its copy by the key of the response, and its head is longer by three lines.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar CodedHitBenchmark -prof gc</pre>
 */
public class CodedHitBenchmark extends Bench {
  private static final int OBJECTS = 1000;
  private static final String FIELDS =
      " HTTP/1.1\r\nHost: edge.example.com\r\nAccept: */*\r\n"
          + "Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en-US,en;q=0.9\r\n"
          + "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36\r\n\r\n";

  /** An edge that has all objects and all copies, and its client. */
  @State(Scope.Thread)
  public static class Warm {
    /** Of the body on the wire, about. */
    @Param({"512", "10240"})
    int bodyBytes;

    private final byte[][] coded = new byte[OBJECTS][];
    private final byte[][] identity = new byte[OBJECTS][];
    private final byte[][] text = new byte[OBJECTS][];
    private final ZipfDraw draw = new ZipfDraw(OBJECTS, 0.9);
    private @Nullable EmbeddedEdge edge;

    @Setup
    public void fill() {
      // A letter of sixteen takes half a byte.
      Answer plain = answer("application/octet-stream", bodyBytes, 256);
      Answer letters = answer("text/plain", 2 * bodyBytes, 16);
      EmbeddedEdge opened =
          new EmbeddedEdge(
              request -> request.target().startsWith("/plain/") ? plain : letters,
              "",
              256L << 20,
              System::currentTimeMillis);
      edge = opened;
      for (int i = 0; i < OBJECTS; i++) {
        coded[i] = get("/coded/" + i, FIELDS);
        identity[i] = get("/plain/" + i, FIELDS);
        // Text of which there are copies, for a client that takes no coding.
        text[i] = get("/coded/" + i, FIELDS.replace("gzip, deflate, br, zstd", "identity"));
        warm(opened, text[i], false);
        warm(opened, coded[i], true);
        warm(opened, identity[i], false);
      }
    }

    private static void warm(EmbeddedEdge edge, byte[] request, boolean isCoded) {
      String last = "";
      for (int i = 0; i < 4; i++) {
        last = edge.exchangeText(request);
        edge.awaitCopies();
      }
      if (!last.startsWith("HTTP/1.1 200 ")
          || !last.contains("; hit")
          || last.contains("content-encoding: ") != isCoded) {
        throw new IllegalStateException(last);
      }
    }

    private static byte[] get(String path, String fields) {
      return ("GET " + path + fields).getBytes(StandardCharsets.US_ASCII);
    }

    private static Answer answer(String type, int length, int letters) {
      byte[] body = new byte[length];
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 0; i < length; i++) {
        body[i] = (byte) ('A' + random.nextInt(letters));
      }
      return new Answer(
          200,
          HeaderFields.of(
              "server", "origin",
              "content-type", type,
              "cache-control", "public, max-age=86400",
              "etag", "\"65f0c8a2-2800\"",
              "last-modified", "Thu, 01 Jan 2026 00:00:00 GMT"),
          body);
    }

    EmbeddedEdge edge() {
      if (edge == null) {
        throw new IllegalStateException("not open");
      }
      return edge;
    }

    @TearDown
    public void close() {
      if (edge != null) {
        edge.close();
      }
    }
  }

  @Benchmark
  public long coded(Warm warm) {
    return warm.edge().exchange(warm.coded[warm.draw.next()]);
  }

  @Benchmark
  public long identity(Warm warm) {
    return warm.edge().exchange(warm.identity[warm.draw.next()]);
  }

  /** Twice as long as the others. */
  @Benchmark
  public long identityOfText(Warm warm) {
    return warm.edge().exchange(warm.text[warm.draw.next()]);
  }
}
