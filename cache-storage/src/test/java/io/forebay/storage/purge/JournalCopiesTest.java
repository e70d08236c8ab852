package io.forebay.storage.purge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.memory.ForeignFileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The two copies of a journal: kills at each step, old copies, missing ones, write errors. */
class JournalCopiesTest {
  private static final String FIRST = "purge.journal";
  private static final String SECOND = "purge.journal.copy";

  @TempDir Path directory;

  private Path data = Path.of("");

  @BeforeEach
  void makeData() throws IOException {
    data = Files.createDirectories(directory.resolve("data"));
  }

  private Purges open(int compactBytes, Journal.Sync sync) throws IOException {
    return new Purges(
        data.resolve(FIRST),
        64,
        compactBytes,
        () -> 5,
        new SecureRandom(),
        PurgeMatcher.Compiler.NONE,
        () -> {},
        sync);
  }

  private Purges open() throws IOException {
    return open(1 << 20, (channel, metaData) -> {});
  }

  private static long purge(Purges purges, long scope) throws Exception {
    return purges.purge(1, new long[] {scope}, false, "test");
  }

  private static byte[] bytes(Map<String, byte[]> files, String name) {
    return Objects.requireNonNull(files.get(name));
  }

  private static boolean isDead(Purges purges, long scope, long birth) {
    return purges.check(new long[] {scope}, birth, birth) == Purges.DEAD;
  }

  private Map<String, byte[]> files() throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    try (Stream<Path> all = Files.list(data)) {
      for (Path file : all.toList()) {
        files.put(String.valueOf(file.getFileName()), Files.readAllBytes(file));
      }
    }
    return files;
  }

  private void files(Map<String, byte[]> files) throws IOException {
    for (String left : files().keySet()) {
      Files.delete(data.resolve(left));
    }
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Files.write(data.resolve(file.getKey()), file.getValue());
    }
  }

  /**
   * What the files were when something was to be forced, and what had been acknowledged by then.
   */
  private record Moment(Map<String, byte[]> files, long acknowledged) {}

  @Test
  void aKillAtAnyStepLosesNothing() throws Exception {
    List<Moment> moments = new ArrayList<>();
    long[] acknowledged = {0};
    byte[] identity;
    Journal.Sync watched = (channel, metaData) -> moments.add(new Moment(files(), acknowledged[0]));
    long highest = 0;
    try (Purges purges = open(600, watched)) {
      identity = purges.identity();
      for (int scope = 1; scope <= 30; scope++) {
        highest = purge(purges, scope);
        acknowledged[0] = scope;
        assertTrue(purges.invalidate(1000 + scope % 4));
        purges.work();
      }
    }
    moments.add(new Moment(files(), acknowledged[0]));
    boolean isBetweenRenames = false;
    for (int n = 0; n < moments.size(); n++) {
      Moment moment = moments.get(n);
      isBetweenRenames |=
          moment.files().containsKey(SECOND + ".new")
              && !moment.files().containsKey(FIRST + ".new");
      files(moment.files());
      try (Purges purges = open()) {
        boolean isOurs = Arrays.equals(identity, purges.identity());
        assertTrue(isOurs || moment.acknowledged() == 0, "moment " + n + ": opened empty");
        for (long scope = 1; scope <= moment.acknowledged(); scope++) {
          assertTrue(isDead(purges, scope, 0), "moment " + n + ", scope " + scope);
        }
        assertEquals(0, purges.floor());
        assertTrue(moment.acknowledged() < 30 || purges.next() > highest);
      }
    }
    assertTrue(isBetweenRenames, "no moment between the renames was seen");
  }

  @Test
  void damageInDifferentPlacesOfBothCopiesIsHealed() throws Exception {
    byte[] identity;
    int[] ends = new int[21];
    try (Purges purges = open()) {
      identity = purges.identity();
      for (int scope = 1; scope <= 20; scope++) {
        assertTrue(purge(purges, scope) > 0);
        ends[scope] = (int) Files.size(data.resolve(FIRST));
      }
    }
    Map<String, byte[]> files = files();
    // The header and every second record of one copy, the others of the other one.
    for (int scope = 1; scope <= 20; scope++) {
      byte[] bytes = scope % 2 == 0 ? bytes(files, FIRST) : bytes(files, SECOND);
      bytes[ends[scope] - 10] ^= 4;
    }
    bytes(files, SECOND)[0] ^= 1;
    files(files);
    for (int round = 0; round < 2; round++) {
      try (Purges purges = open()) {
        assertArrayEquals(identity, purges.identity());
        for (int scope = 1; scope <= 20; scope++) {
          assertTrue(isDead(purges, scope, 0), "scope " + scope);
        }
      }
    }
  }

  @Test
  void anOlderCopyBesideANewerOneUndoesNothing() throws Exception {
    for (String name : new String[] {FIRST, SECOND}) {
      for (boolean isRewritten : new boolean[] {true, false}) {
        files(Map.of());
        byte[] old;
        byte[] identity;
        try (Purges purges = open()) {
          identity = purges.identity();
          assertTrue(purge(purges, 1) > 0);
          old = Files.readAllBytes(data.resolve(name));
          assertTrue(purge(purges, 2) > 0);
        }
        if (isRewritten) {
          // Above the bound at once: a generation later.
          open(1, (channel, metaData) -> {}).close();
        }
        Files.write(data.resolve(name), old);
        try (Purges purges = open()) {
          assertArrayEquals(identity, purges.identity());
          assertTrue(isDead(purges, 1, 0));
          assertTrue(isDead(purges, 2, 0), name + (isRewritten ? " rewritten" : ""));
        }
      }
    }
  }

  @Test
  void copiesOfDifferentStoresOpenEmpty() throws Exception {
    long highest;
    byte[] others;
    open().close();
    others = Files.readAllBytes(data.resolve(SECOND));
    files(Map.of());
    byte[] identity;
    try (Purges purges = open()) {
      identity = purges.identity();
      highest = purge(purges, 1);
    }
    Files.write(data.resolve(SECOND), others);
    try (Purges purges = open()) {
      assertFalse(Arrays.equals(identity, purges.identity()));
      assertTrue(purges.next() > highest);
    }
  }

  @Test
  void copiesThatChangedNamesAreRead() throws Exception {
    byte[] identity;
    try (Purges purges = open()) {
      identity = purges.identity();
      assertTrue(purge(purges, 1) > 0);
    }
    Map<String, byte[]> files = files();
    files(Map.of(FIRST, bytes(files, SECOND), SECOND, bytes(files, FIRST)));
    try (Purges purges = open()) {
      assertArrayEquals(identity, purges.identity());
      assertTrue(isDead(purges, 1, 0));
    }
  }

  @Test
  void oneCopyAloneCountsOnlyIfItIsWhole() throws Exception {
    byte[] identity;
    try (Purges purges = open()) {
      identity = purges.identity();
      assertTrue(purge(purges, 1) > 0);
    }
    Map<String, byte[]> files = files();
    for (String name : new String[] {FIRST, SECOND}) {
      files(Map.of(name, bytes(files, name)));
      try (Purges purges = open()) {
        assertArrayEquals(identity, purges.identity());
        assertTrue(isDead(purges, 1, 0));
      }
      byte[] cut = Arrays.copyOf(bytes(files, name), bytes(files, name).length - 8);
      files(Map.of(name, cut));
      try (Purges purges = open()) {
        assertFalse(Arrays.equals(identity, purges.identity()), name + " alone, cut");
      }
    }
  }

  @Test
  void anErrorOfEitherCopyFailsThePurgeAndTheNextOneWritesBothAnew() throws Exception {
    for (int failing = 1; failing <= 6; failing++) {
      files(Map.of());
      int[] left = {Integer.MAX_VALUE};
      Journal.Sync sync =
          (channel, metaData) -> {
            if (--left[0] == 0) {
              throw new IOException("no such luck");
            }
          };
      try (Purges purges = open(1 << 20, sync)) {
        assertTrue(purge(purges, 1) > 0);
        left[0] = failing;
        boolean hasFailed = false;
        for (int scope = 2; scope < 8; scope++) {
          try {
            assertTrue(purge(purges, scope) > 0);
          } catch (IOException e) {
            assertFalse(hasFailed, "one error, one failure");
            hasFailed = true;
            assertFalse(isDead(purges, scope, 0), "failed and in force");
            left[0] = Integer.MAX_VALUE;
            assertTrue(purge(purges, scope) > 0);
          }
        }
        assertTrue(hasFailed);
      }
      try (Purges purges = open()) {
        for (int scope = 1; scope < 8; scope++) {
          assertTrue(isDead(purges, scope, 0), "scope " + scope + ", failing " + failing);
        }
      }
    }
  }

  private static byte[] format1(byte[] identity, long[][] records) {
    ByteBuffer out = ByteBuffer.allocate(64 + 40 * records.length).order(ByteOrder.LITTLE_ENDIAN);
    out.putLong(JournalHeader.MAGIC).putInt(1).putInt(64).put(identity).put(new byte[16]);
    out.putInt(checksum(out, 0, 48)).position(64);
    for (long[] record : records) {
      int at = out.position();
      out.putInt(40).putInt(0).put((byte) record[0]).put((byte) 1).putShort((short) 0);
      out.putInt(1).putLong(record[1]).putLong(5).putLong(record[2]);
      out.putInt(at + 4, checksum(out, at + 8, at + 40));
    }
    return out.array();
  }

  private static int checksum(ByteBuffer in, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(in.duplicate().position(from).limit(to));
    return (int) crc.getValue();
  }

  @Test
  void aJournalOfFormat1IsReadAndBecomesTwoCopies() throws Exception {
    byte[] identity = new byte[16];
    Arrays.fill(identity, (byte) 6);
    byte[] old = format1(identity, new long[][] {{0, 2000, 0}, {1, 700, 33}, {2, 600, 0}});
    Files.write(data.resolve(FIRST), old);
    try (Purges purges = open()) {
      assertArrayEquals(identity, purges.identity());
      assertTrue(isDead(purges, 33, 699));
      assertEquals(600, purges.retiredThrough());
      assertTrue(purges.next() > 2000);
      assertTrue(purge(purges, 34) > 2000);
    }
    assertEquals(2, files().size());
    try (Purges purges = open()) {
      assertArrayEquals(identity, purges.identity());
      assertTrue(isDead(purges, 33, 699) && isDead(purges, 34, 1999));
    }
    // Cut or changed at its end it says nothing of what was acknowledged.
    files(Map.of(FIRST, Arrays.copyOf(old, old.length - 8)));
    try (Purges purges = open()) {
      assertFalse(Arrays.equals(identity, purges.identity()));
      assertTrue(purges.next() > 2000);
    }
    // Somebody put the old one back beside a copy that is newer.
    files(Map.of(FIRST, old));
    open().close();
    Files.write(data.resolve(FIRST), old);
    try (Purges purges = open()) {
      assertFalse(Arrays.equals(identity, purges.identity()));
    }
  }

  @Test
  void recordsOfALaterVersionAreRefusedAndWhatItAddsToARecordIsSkipped() throws Exception {
    open().close();
    Map<String, byte[]> files = files();
    for (int type : new int[] {1, 99}) {
      Map<String, byte[]> longer = new TreeMap<>();
      files.forEach((name, bytes) -> longer.put(name, withLonger(bytes, type)));
      files(longer);
      if (type == 1) {
        try (Purges purges = open()) {
          assertTrue(isDead(purges, 77, 4_999_999));
        }
      } else {
        ForeignFileException e = assertThrows(ForeignFileException.class, this::open);
        assertTrue(String.valueOf(e.getMessage()).contains("type 99"), e::toString);
        assertArrayEquals(bytes(longer, FIRST), bytes(files(), FIRST), "touched");
      }
    }
  }

  /** With a purge behind it that has 16 bytes more than this version writes. */
  private static byte[] withLonger(byte[] bytes, int type) {
    long generation =
        JournalHeader.generation(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
    ByteBuffer out = ByteBuffer.allocate(bytes.length + 64).order(ByteOrder.LITTLE_ENDIAN);
    out.put(bytes);
    int at = bytes.length;
    out.putInt(64).putInt(0).putLong(at).put((byte) type).put((byte) 1).putShort((short) 0);
    out.putShort((short) 1).putShort((short) 0).putLong(5_000_000).putLong(5).putLong(77);
    out.putLong(123).putLong(456);
    ByteBuffer covered = ByteBuffer.allocate(20 + 56).order(ByteOrder.LITTLE_ENDIAN);
    covered.putLong(generation).putLong(at).putInt(64).put(out.duplicate().position(at + 8));
    out.putInt(at + 4, checksum(covered, 0, 76));
    return out.array();
  }
}
