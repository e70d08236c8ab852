package io.forebay.benchmarks.lab;

import io.forebay.storage.index.ChronicleIndex;
import io.forebay.storage.index.DiskIndex;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.IndexedDisk;
import io.forebay.storage.index.KeyHash;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.index.ObjectIndex.Outcome;
import io.forebay.storage.index.ObjectIndex.Verdict;
import io.forebay.storage.index.TieredIndex;
import io.forebay.storage.layout.Layouts;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/**
 * What a record that only a disk has takes of memory: a table is filled to its bound through the
 * index of both tiers, as a start does, with the bytes per record on the way. Then what a look-up
 * takes of CPU, in the table and in a Chronicle Map with as many records.
 *
 * <pre>java @benchmarks/jvm.options -cp benchmarks/target/benchmarks.jar \
 *     io.forebay.benchmarks.lab.DiskIndexSize 10000000</pre>
 */
public final class DiskIndexSize {
  private static final int DEVICE = 1;
  private static final int LOOKUPS = 5_000_000;

  private DiskIndexSize() {}

  private static final class Device implements IndexedDisk {
    private long tombstones;
    private long audits;

    @Override
    public int generation(int region) {
      return region;
    }

    @Override
    public void addTombstone(long high, long low, long birth) {
      tombstones++;
    }

    @Override
    public void audit() {
      audits++;
    }
  }

  public static void main(String[] args) throws IOException {
    for (String arg : args) {
      measure(Integer.parseInt(arg));
    }
  }

  private static void measure(int records) throws IOException {
    Device device = new Device();
    TieredIndex index = new TieredIndex(ChronicleIndex.anonymous(1 << 16), KeyHash.STANDARD);
    try {
      DiskIndex table = index.open(DEVICE, 64 << 20, 1 << 20, records, device);
      ObjectIndex.Cursor cursor = index.blockingCursor();
      long begin = cpuNanos();
      for (int n = 0; n < records; n++) {
        int record = n;
        Outcome put = update(cursor, n, (is, value) -> put(value, record));
        if (put != Outcome.DONE) {
          System.out.printf("record %d: %s%n", n, put);
        }
        if ((Integer.bitCount(n) == 1 && n >= 1 << 16) || n == records - 1) {
          System.out.printf(
              Locale.ROOT,
              "%,12d records %,14d bytes %6.2f a record%n",
              n + 1,
              table.usedBytes(),
              (double) table.usedBytes() / (n + 1));
        }
      }
      say("table: named", begin, records);
      System.out.printf(
          Locale.ROOT,
          "%d refused, %d of one number with another, %d tombstones, %d lost; at most %,d bytes%n",
          table.refused(),
          table.collisions(),
          device.tombstones,
          device.audits,
          table.maxBytes());
      look("table", cursor, records);
    } finally {
      index.close();
      index.closeTables();
    }
    try (ChronicleIndex map = ChronicleIndex.anonymous(records)) {
      ObjectIndex.Cursor cursor = map.blockingCursor();
      long begin = cpuNanos();
      for (int n = 0; n < records; n++) {
        int record = n;
        Outcome put = update(cursor, n, (is, value) -> put(value, record));
        if (put != Outcome.DONE) {
          System.out.printf("record %d: %s%n", n, put);
        }
      }
      say("map: named", begin, records);
      look("map", cursor, records);
    }
  }

  private static void look(String where, ObjectIndex.Cursor cursor, int records) {
    IndexValue value = new IndexValue();
    for (int round = 0; round < 3; round++) {
      long begin = cpuNanos();
      int found = 0;
      for (int n = 0; n < LOOKUPS; n++) {
        long key = (Layouts.mix(n) >>> 33) % records;
        found += cursor.get(Layouts.mix(key), Layouts.mix(~key), value) == Outcome.DONE ? 1 : 0;
      }
      say(where + ": found " + found, begin, LOOKUPS);
      begin = cpuNanos();
      found = 0;
      for (int n = 0; n < LOOKUPS; n++) {
        long key = (Layouts.mix(n) >>> 33) + records;
        found += cursor.get(Layouts.mix(key), Layouts.mix(~key), value) == Outcome.DONE ? 1 : 0;
      }
      say(where + ": not found but " + found, begin, LOOKUPS);
    }
  }

  /** Of this thread, so that others on the machine count for little. */
  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static Outcome update(ObjectIndex.Cursor cursor, long n, ObjectIndex.Update update) {
    return cursor.update(Layouts.mix(n), Layouts.mix(~n), update);
  }

  private static Verdict put(IndexValue value, int n) {
    int region = n >>> 10;
    value.identity((byte) 1, 1_000_000L + n, n);
    value.fate(1_800_000_000, 1, 2);
    value.disk(DEVICE, region, region, (n & 1023) << 16, 40_000);
    return Verdict.PUT;
  }

  private static void say(String what, long begin, long count) {
    System.out.printf(
        Locale.ROOT, "%s: %.0f ns of CPU each%n", what, (double) (cpuNanos() - begin) / count);
  }
}
