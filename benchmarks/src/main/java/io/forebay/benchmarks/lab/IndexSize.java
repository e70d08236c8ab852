package io.forebay.benchmarks.lab;

import io.forebay.storage.index.ChronicleIndex;
import io.forebay.storage.index.IndexChecksum;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.index.ObjectIndex.Outcome;
import io.forebay.storage.index.ObjectIndex.Verdict;
import io.forebay.storage.layout.Layouts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * What the index takes for an object, in its file and on the heap: made, filled to its bound with
 * objects in memory, all of them given a place on a disk as well, and emptied again by halves and
 * refilled with other objects, as an index is that has been in use. Last, how long it takes to fill
 * it, which a rebuild takes at the least, and to seal its file, as each clean stop and the start
 * after it do.
 *
 * <pre>java @benchmarks/jvm.options -cp benchmarks/target/benchmarks.jar \
 *     io.forebay.benchmarks.lab.IndexSize 16384 1000000</pre>
 */
public final class IndexSize {
  private IndexSize() {}

  public static void main(String[] args) throws IOException {
    System.out.printf(
        "%12s %-10s %14s %10s %10s%n", "entries", "", "file bytes", "an object", "heap");
    for (String arg : args) {
      measure(Integer.parseInt(arg));
    }
  }

  private static void measure(int entries) throws IOException {
    Path shared = Path.of("/dev/shm");
    Path directory =
        Files.isDirectory(shared)
            ? Files.createTempDirectory(shared, "forebay-size-")
            : Files.createTempDirectory("forebay-size-");
    Path file = directory.resolve("index.map");
    try (ChronicleIndex index = ChronicleIndex.persisted(file, entries)) {
      ObjectIndex.Cursor cursor = index.blockingCursor();
      put(cursor, 0, 1, false);
      long heap = heapBytes();
      print(entries, "made", file, heap);
      long begin = System.nanoTime();
      for (int n = 0; n < entries; n++) {
        put(cursor, n, n, false);
      }
      say("filled", begin, entries, "entries");
      print(entries, "in memory", file, heap);
      for (int n = 0; n < entries; n++) {
        put(cursor, n, n, true);
      }
      print(entries, "and on disk", file, heap);
      for (int n = 0; n < entries; n += 2) {
        Outcome outcome =
            cursor.update(Layouts.mix(n), Layouts.mix(~n), (is, value) -> Verdict.REMOVE);
        expect(outcome, n);
      }
      for (int n = 0; n < entries; n += 2) {
        put(cursor, n + entries, n, true);
      }
      if (index.count() != entries) {
        throw new IllegalStateException(index.count() + " of " + entries);
      }
      print(entries, "others", file, heap);
      for (int round = 0; round < 3; round++) {
        begin = System.nanoTime();
        long seal = IndexChecksum.of(file, Thread.ofPlatform().daemon(true).factory());
        say("sealed as " + Long.toHexString(seal), begin, Files.size(file), "bytes");
      }
    } finally {
      Files.deleteIfExists(file);
      Files.delete(directory);
    }
  }

  private static void put(ObjectIndex.Cursor cursor, int number, int place, boolean isOnDisk) {
    Outcome outcome =
        cursor.update(
            Layouts.mix(number),
            Layouts.mix(~number),
            (isPresent, value) -> {
              value.identity((byte) 1, number, number);
              value.memory(place & 127, 1, place, 1024);
              value.fate(number, number, number);
              if (isOnDisk) {
                value.disk(1, place & 127, 1, place, 1024);
              }
              return Verdict.PUT;
            });
    expect(outcome, number);
  }

  private static void expect(Outcome outcome, int number) {
    if (outcome != Outcome.DONE) {
      throw new IllegalStateException("object " + number + ": " + outcome);
    }
  }

  private static void print(int entries, String what, Path file, long heapBefore)
      throws IOException {
    long bytes = Files.size(file);
    System.out.printf(
        Locale.ROOT,
        "%,12d %-10s %,14d %10.1f %,10d%n",
        entries,
        what,
        bytes,
        (double) bytes / entries,
        heapBytes() - heapBefore);
  }

  private static void say(String what, long begin, long amount, String of) {
    double seconds = (System.nanoTime() - begin) / 1e9;
    System.out.printf(
        Locale.ROOT, "%s in %.2f s: %,.0f %s a second%n", what, seconds, amount / seconds, of);
  }

  /** What is in use after a collection. */
  private static long heapBytes() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
