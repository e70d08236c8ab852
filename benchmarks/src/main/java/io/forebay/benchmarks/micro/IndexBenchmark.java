package io.forebay.benchmarks.micro;

import io.forebay.storage.index.ChronicleIndex;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.NearIndex;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.index.ObjectIndex.Outcome;
import io.forebay.storage.index.ObjectIndex.Verdict;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The two indexes by themselves: the Chronicle Map that all loops share, full with a million
 * objects, found and not found and relocated; and a loop's near-index of 8,192 entries.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar IndexBenchmark -prof gc</pre>
 *
 * More objects than the processor's caches can hold the index of: {@code -p entries=10000000}.
 * Readers beside each other: {@code -t 2}.
 */
public class IndexBenchmark extends Bench {

  /** The shared index. */
  @State(Scope.Benchmark)
  public static class Shared {
    @Param("1000000")
    int entries;

    private ObjectIndex index = new NoIndex();

    @Setup
    public void fill() {
      index = ChronicleIndex.anonymous(entries);
      ObjectIndex.Cursor cursor = index.blockingCursor();
      for (int i = 0; i < entries; i++) {
        int number = i;
        Outcome outcome =
            cursor.update(
                BenchStore.mix(i),
                BenchStore.mix(~i),
                (isPresent, value) -> {
                  value.identity((byte) 1, number, number);
                  value.memory(number & 127, 1, number, 1024);
                  return Verdict.PUT;
                });
        if (outcome != Outcome.DONE) {
          throw new IllegalStateException("entry " + i + ": " + outcome);
        }
      }
    }

    @TearDown
    public void close() {
      index.close();
    }
  }

  /** One loop's way in, and its near-index. */
  @State(Scope.Thread)
  public static class Reader {
    private static final int NEAR = 8192;

    private ObjectIndex.Cursor cursor = new NoIndex();
    private ZipfDraw draw = new ZipfDraw(2, 0.9);
    private final IndexValue value = new IndexValue();
    private final NearIndex near = new NearIndex(NEAR);
    private final Relocation relocation = new Relocation();
    private final int[] nearKeys = new int[NEAR];
    private int nearCount;
    private int at;

    @Setup
    public void open(Shared shared) {
      cursor = shared.index.nonBlockingCursor();
      draw = new ZipfDraw(shared.entries, 0.9);
      for (int i = 0; i < NEAR; i++) {
        near.put(BenchStore.mix(i), BenchStore.mix(~i), i & 127, i, 1, i, 0, 0);
      }
      // Some pushed others out of their pair.
      for (int i = 0; i < NEAR; i++) {
        if (near.find(BenchStore.mix(i), BenchStore.mix(~i)) >= 0) {
          nearKeys[nearCount++] = i;
        }
      }
    }
  }

  /** Another place for the same object, as the reclaimer does. */
  private static final class Relocation implements ObjectIndex.Update {
    private int offset;

    @Override
    public Verdict decide(boolean isPresent, IndexValue value) {
      value.memory(value.region(), value.generation(), ++offset, value.length());
      return isPresent ? Verdict.PUT : Verdict.KEEP;
    }
  }

  @Benchmark
  public Outcome sharedHit(Reader reader) {
    int i = reader.draw.next();
    return reader.cursor.get(BenchStore.mix(i), BenchStore.mix(~i), reader.value);
  }

  @Benchmark
  public Outcome sharedMiss(Reader reader) {
    int i = reader.draw.next();
    return reader.cursor.get(BenchStore.mix(i), BenchStore.mix(i), reader.value);
  }

  @Benchmark
  public Outcome sharedRelocate(Reader reader) {
    int i = reader.draw.next();
    return reader.cursor.update(BenchStore.mix(i), BenchStore.mix(~i), reader.relocation);
  }

  @Benchmark
  public int nearHit(Reader reader) {
    reader.at = reader.at + 1 < reader.nearCount ? reader.at + 1 : 0;
    int i = reader.nearKeys[reader.at];
    return reader.near.find(BenchStore.mix(i), BenchStore.mix(~i));
  }

  @Benchmark
  public int nearMiss(Reader reader) {
    int i = reader.draw.next();
    return reader.near.find(BenchStore.mix(i), BenchStore.mix(i));
  }

  /** Stands in the fields until the set-up has run. */
  private static final class NoIndex implements ObjectIndex, ObjectIndex.Cursor {
    @Override
    public Outcome get(long high, long low, IndexValue into) {
      return Outcome.ABSENT;
    }

    @Override
    public Outcome update(long high, long low, Update update) {
      return Outcome.FULL;
    }

    @Override
    public Cursor nonBlockingCursor() {
      return this;
    }

    @Override
    public Cursor blockingCursor() {
      return this;
    }

    @Override
    public long count() {
      return 0;
    }

    @Override
    public long capacity() {
      return 0;
    }

    @Override
    public void close() {}
  }
}
