package io.forebay.benchmarks.micro;

import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.SipHash128;
import java.util.List;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * From a request to the 128-bit key that the store is asked for: the canonical text of the URL (70
 * bytes here), its hash, and for a response that varies the text and hash of its variant.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar KeyBenchmark -prof gc</pre>
 */
public class KeyBenchmark extends Bench {

  private static final List<String> VARY = List.of("accept-encoding", "accept-language");

  /** One loop's builder and the requests it gets. */
  @State(Scope.Thread)
  public static class Keys {
    private final SyntheticRequest[] requests = Requests.segments(10_000);
    private final ZipfDraw draw = new ZipfDraw(requests.length, 0.9);
    private final KeyBuilder builder = new KeyBuilder(new byte[SipHash128.SECRET_LENGTH]);

    SyntheticRequest next() {
      return requests[draw.next()];
    }
  }

  /** A text to hash. */
  @State(Scope.Thread)
  public static class Text {
    @Param({"32", "64", "256"})
    int lengthBytes;

    private final SipHash128 hash = new SipHash128(new byte[SipHash128.SECRET_LENGTH]);
    private byte[] bytes = new byte[0];

    @Setup
    public void fill() {
      bytes = new byte[lengthBytes];
      new Random(1).nextBytes(bytes);
    }
  }

  /** Text and hash of the URL. */
  @Benchmark
  public long baseKey(Keys keys) {
    boolean isKey = keys.builder.build(keys.next(), KeyRecipe.DEFAULT);
    return isKey ? keys.builder.hi() ^ keys.builder.lo() : 0;
  }

  /** The same, then text and hash of the variant that two fields select. */
  @Benchmark
  public long variantKey(Keys keys) {
    SyntheticRequest request = keys.next();
    boolean isKey =
        keys.builder.build(request, KeyRecipe.DEFAULT) && keys.builder.variant(request, VARY);
    return isKey ? keys.builder.hi() ^ keys.builder.lo() : 0;
  }

  /** The keyed hash alone. */
  @Benchmark
  public long sipHash(Text text) {
    text.hash.hash(text.bytes, 0, text.bytes.length);
    return text.hash.hi() ^ text.hash.lo();
  }
}
