package io.forebay.storage.purge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Flipped bits in a journal at rest. Purged objects stay purged, or every store opens empty (a new
 * identity); no number is assigned twice.
 */
@Tag("full")
class JournalFlipTest {
  private static final PurgeMatcher.Compiler ANY =
      text -> (memory, key, keyLength, head, headLength) -> true;

  @TempDir Path directory;

  /** What was acknowledged, and every number that was given out. */
  private static final class Past {
    final List<long[]> dead = new ArrayList<>();
    final List<long[]> stale = new ArrayList<>();
    final List<Long> patterns = new ArrayList<>();
    byte[] identity = {};
    long highest;

    void took(long number) {
      assertTrue(number > highest);
      highest = number;
    }

    void check(Purges purges, boolean mayBeEmpty, String what) {
      boolean isEmpty = !Arrays.equals(identity, purges.identity());
      assertTrue(mayBeEmpty || !isEmpty, () -> what + ": opened empty");
      for (long[] one : isEmpty ? List.<long[]>of() : dead) {
        assertEquals(
            Purges.DEAD,
            purges.check(new long[] {one[0]}, one[1], one[1]),
            () -> what + ": scope " + one[0] + " is alive");
      }
      for (long[] one : isEmpty ? List.<long[]>of() : stale) {
        assertTrue(
            purges.check(new long[] {one[0]}, one[1], one[1]) >= Purges.STALE,
            () -> what + ": scope " + one[0] + " is fresh");
      }
      for (long birth : isEmpty ? List.<Long>of() : patterns) {
        assertTrue(
            purges.floor() > birth || purges.wantsTexts(new long[0], birth, birth),
            () -> what + ": a pattern is lost");
      }
      assertTrue(purges.next() > highest, () -> what + ": a number is given out twice");
    }
  }

  private Purges open(Path data) throws IOException {
    return new Purges(
        data.resolve("purge.journal"),
        64,
        1 << 20,
        () -> 5,
        new SecureRandom(),
        ANY,
        () -> {},
        (channel, metaData) -> {});
  }

  /** Purges of every kind, all types of records; what the files hold at its end, by their names. */
  private Map<String, byte[]> write(Past past, boolean isClean, int more) throws Exception {
    Path data = Files.createTempDirectory(directory, "written");
    // A second start: a block of numbers was given up, and the floors come from two lives.
    try (Purges purges = open(data)) {
      past.identity = purges.identity();
      past.took(purges.next());
      past.took(purges.purge(PurgeKind.EVERYTHING.code(), new long[0], false, "everything"));
      past.dead.add(new long[] {4711, past.highest - 1});
      past.took(purges.next());
      past.took(
          purges.purge(PurgeKind.EVERYTHING.code(), new long[0], true, "everything is stale"));
      past.stale.add(new long[] {4712, past.highest - 1});
      past.took(purges.purge(4, new long[] {1}, false, "gone"));
      purges.retire(past.highest, past.highest);
    }
    Purges purges = open(data);
    past.took(purges.next());
    past.took(purges.purge(1, new long[] {7}, false, "http://example.org/7"));
    past.dead.add(new long[] {7, past.highest - 1});
    past.took(purges.purge(2, new long[] {8, 9}, true, "two"));
    past.stale.add(new long[] {9, past.highest - 1});
    past.took(purges.purge(PurgeKind.PATTERN.code(), new long[0], false, "path ^/a"));
    past.patterns.add(past.highest - 1);
    long client = past.highest;
    assertTrue(purges.invalidate(10));
    past.took(purges.next());
    purges.work();
    if (isClean) {
      past.dead.add(new long[] {10, client});
    }
    while (purges.next() >= 0) {
      past.highest++;
    }
    purges.work();
    past.highest = purges.next();
    for (int n = 0; n < more; n++) {
      past.took(purges.purge(4, new long[] {100 + n % 20}, false, "more"));
      past.dead.add(new long[] {100 + n % 20, past.highest - 1});
    }
    past.took(purges.purge(4, new long[] {11, 12, 13}, false, "the last"));
    past.dead.add(new long[] {12, past.highest - 1});
    past.took(purges.next());
    if (isClean) {
      purges.close();
    }
    return read(data);
  }

  private static Map<String, byte[]> read(Path data) throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    try (Stream<Path> all = Files.list(data)) {
      for (Path file : all.toList()) {
        files.put(String.valueOf(file.getFileName()), Files.readAllBytes(file));
      }
    }
    return files;
  }

  private void restart(Map<String, byte[]> files, Past past, boolean mayBeEmpty, String what)
      throws Exception {
    Path data = directory.resolve("data");
    Files.createDirectories(data);
    for (String left : read(data).keySet()) {
      Files.delete(data.resolve(left));
    }
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Files.write(data.resolve(file.getKey()), file.getValue());
    }
    byte[] identity;
    long purged;
    try (Purges purges = open(data)) {
      past.check(purges, mayBeEmpty, what);
      identity = purges.identity();
      purged = purges.purge(1, new long[] {500}, false, "after");
    }
    try (Purges purges = open(data)) {
      past.check(purges, mayBeEmpty, what + ", a start later");
      assertArrayEquals(identity, purges.identity(), what);
      assertEquals(Purges.DEAD, purges.check(new long[] {500}, purged - 1, purged - 1));
    }
  }

  private static void flip(byte[] bytes, int bit) {
    bytes[bit >>> 3] = (byte) (bytes[bit >>> 3] ^ 1 << (bit & 7));
  }

  @Test
  void noBitOfAnyByteRevivesAPurgeOrANumber() throws Exception {
    flipBitOfEachByte(1);
  }

  @Test
  @Tag("campaign")
  void noSingleBitRevivesAPurgeOrANumber() throws Exception {
    flipBitOfEachByte(Byte.SIZE);
  }

  private void flipBitOfEachByte(int bits) throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    Random random = new Random(seed);
    for (boolean isClean : new boolean[] {true, false}) {
      Past past = new Past();
      Map<String, byte[]> files = write(past, isClean, 0);
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        byte[] bytes = file.getValue();
        for (int n = 0; n < bytes.length * bits; n++) {
          int bit = n * Byte.SIZE / bits + random.nextInt(Byte.SIZE / bits);
          flip(bytes, bit);
          String what =
              "-Dtest.seed="
                  + seed
                  + " "
                  + file.getKey()
                  + (isClean ? " clean" : " killed")
                  + ", bit "
                  + bit;
          restart(files, past, false, what + " of " + bytes.length * 8);
          flip(bytes, bit);
        }
      }
    }
  }

  @Test
  void noSampleOfBitsOfALongJournalDoes() throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    Random random = new Random(seed);
    Past past = new Past();
    Map<String, byte[]> files = write(past, random.nextBoolean(), 400);
    for (int round = 0; round < 500; round++) {
      byte[] bytes = List.copyOf(files.values()).get(random.nextInt(files.size()));
      int bit = random.nextInt(bytes.length * 8);
      flip(bytes, bit);
      restart(files, past, false, "-Dtest.seed=" + seed + " round " + round + ", bit " + bit);
      flip(bytes, bit);
    }
  }
}
