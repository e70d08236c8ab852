package io.forebay.storage.purge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
  private static final long[] NONE = new long[0];

  @TempDir Path directory;

  private Path file() {
    return directory.resolve("purge.journal");
  }

  private Purges open() throws IOException {
    return new Purges(
        file(), 64, 1 << 20, () -> 5, new SecureRandom(), PurgeMatcher.Compiler.NONE, () -> {});
  }

  private static long purge(Purges purges, long scope) throws Exception {
    return purges.purge(1, new long[] {scope}, false, "test");
  }

  private static boolean isDead(Purges purges, long scope, long birth) {
    return purges.check(new long[] {scope}, birth, birth) == Purges.DEAD;
  }

  @Test
  void replaysWhatWasAcknowledged() throws Exception {
    long hard;
    long soft;
    long all;
    byte[] secret;
    try (Purges purges = open()) {
      all = purges.purge(0, NONE, false, "everything");
      hard = purge(purges, 7);
      soft = purges.purge(1, new long[] {8, 9}, true, "soft");
      secret = purges.secret();
    }
    try (Purges purges = open()) {
      assertArrayEquals(secret, purges.secret());
      assertTrue(isDead(purges, 7, hard - 1));
      assertFalse(isDead(purges, 7, hard + 1));
      assertEquals(Purges.STALE, purges.check(new long[] {9}, soft - 1, soft - 1));
      assertEquals(Purges.ALIVE, purges.check(new long[] {9}, soft + 1, soft + 1));
      assertTrue(isDead(purges, 12345, all - 1));
      assertEquals(soft, purges.sequence());
      assertTrue(purges.next() > soft);
    }
  }

  private Path copy() {
    return Journal.copyOf(file());
  }

  @Test
  void everyTornTailIsToleratedAndLosesNothingBeforeIt() throws Exception {
    long first;
    int whole;
    try (Purges purges = open()) {
      first = purge(purges, 7);
      whole = (int) Files.size(file());
      long second = purge(purges, 8);
      assertTrue(second > first);
    }
    byte[] all = Files.readAllBytes(file());
    byte[] mirrored = Files.readAllBytes(copy());
    for (int length = whole; length < all.length; length++) {
      // The second copy is written when the first one has been forced.
      Files.write(file(), Arrays.copyOf(all, length));
      Files.write(copy(), Arrays.copyOf(mirrored, whole));
      try (Purges purges = open()) {
        assertTrue(isDead(purges, 7, first - 1), "cut at " + length);
        assertFalse(isDead(purges, 8, first), "cut at " + length);
        assertEquals(0, purges.floor(), "cut at " + length);
        assertTrue(purge(purges, 9) > first);
      }
      try (Purges purges = open()) {
        assertTrue(isDead(purges, 9, first), "appended after the cut at " + length);
      }
    }
    for (int length = whole; length < all.length; length++) {
      Files.write(file(), all);
      Files.write(copy(), Arrays.copyOf(mirrored, length));
      try (Purges purges = open()) {
        assertTrue(isDead(purges, 8, first), "the second copy cut at " + length);
      }
    }
  }

  @Test
  void damageThatNoCopyHealsCountsAsAPurgeOfEverything() throws Exception {
    long last;
    int start;
    byte[] identity;
    try (Purges purges = open()) {
      identity = purges.identity();
      start = (int) Files.size(file());
      long ignored = purge(purges, 7);
      last = purge(purges, 8);
      assertTrue(last > ignored);
    }
    damage(file(), start + 33);
    damage(copy(), start + 33);
    for (int round = 0; round < 2; round++) {
      try (Purges purges = open()) {
        assertFalse(Arrays.equals(identity, purges.identity()), "round " + round);
        assertTrue(purges.next() > last);
      }
    }
  }

  /** The last record is no torn tail where both copies reach as far. */
  @Test
  void damageAtTheEndOfBothCopiesIsNoTornTail() throws Exception {
    byte[] identity;
    try (Purges purges = open()) {
      identity = purges.identity();
      assertTrue(purge(purges, 7) > 0);
    }
    long end = Files.size(file());
    damage(file(), (int) end - 6);
    damage(copy(), (int) end - 20);
    try (Purges purges = open()) {
      assertFalse(Arrays.equals(identity, purges.identity()));
    }
  }

  private static void damage(Path file, int at) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      assertEquals(1, channel.write(ByteBuffer.wrap(new byte[] {99}), at));
    }
  }

  @Test
  void numbersAreNeverGivenOutTwice() throws Exception {
    long highest = 0;
    for (int round = 0; round < 5; round++) {
      Purges purges = open();
      for (int n = 0; n < 10; n++) {
        long next = purges.next();
        assertTrue(next > highest);
        highest = next;
      }
      // Not closed, as if killed: what counts is on disk.
      assertTrue(purges.next() > 0);
    }
  }

  @Test
  void exhaustedBlockIsRenewedByWork() throws Exception {
    try (Purges purges = open()) {
      long taken = 0;
      while (purges.next() >= 0) {
        taken++;
      }
      assertTrue(taken >= SequenceAllocator.BLOCK);
      assertEquals(-1, purges.next());
      purges.work();
      assertTrue(purges.next() > 0);
      long sequence = purge(purges, 3);
      assertTrue(isDead(purges, 3, sequence - 1));
    }
  }

  @Test
  void longJournalIsWrittenAnew() throws Exception {
    try (Purges purges =
        new Purges(
            file(), 64, 4096, () -> 5, new SecureRandom(), PurgeMatcher.Compiler.NONE, () -> {})) {
      long last = 0;
      for (int n = 0; n < 2000; n++) {
        last = purge(purges, n % 5);
      }
      assertTrue(Files.size(file()) < 16_384, "length " + Files.size(file()));
      assertTrue(isDead(purges, 1999 % 5, last - 1));
    }
    try (Purges purges = open()) {
      for (int n = 0; n < 5; n++) {
        assertTrue(isDead(purges, n, 1));
      }
      assertEquals(0, purges.floor());
    }
  }

  @Test
  void purgeOutOfOrderIsSeenByWhoSawALaterOne() throws Exception {
    // A client's invalidation may come into force between a purge's number and the purge itself.
    PurgeTable table = new PurgeTable(16);
    assertTrue(table.put(1, 20, false));
    assertTrue(table.put(2, 10, false));
    assertEquals(PurgeTable.DEAD, table.check(new long[] {2}, 9, 9));
    for (int n = 0; n < 14; n++) {
      assertTrue(table.put(100 + n, 11, false));
    }
    assertFalse(table.put(999, 12, false));
    assertEquals(20, table.floorHard());
    assertEquals(PurgeTable.DEAD, table.check(new long[] {1}, 19, 19));
  }

  @Test
  void retiringForgetsOnlyWhatIsOlder() {
    PurgeTable table = new PurgeTable(16);
    assertTrue(table.put(1, 10, false));
    assertTrue(table.put(2, 20, true));
    assertTrue(table.put(1, 30, true));
    table.retire(15, 15);
    assertEquals(PurgeTable.STALE, table.check(new long[] {1}, 9, 9));
    assertEquals(PurgeTable.STALE, table.check(new long[] {2}, 19, 19));
    table.retire(30, 30);
    assertEquals(0, table.size());
    assertEquals(PurgeTable.ALIVE, table.check(new long[] {1, 2}, 9, 9));
  }

  @Test
  void failedWriteMakesTheNextOneAWholeNewJournal() throws Exception {
    Journal journal = Journal.open(file(), new SecureRandom(), Journal.Sync.DISK);
    journal.rewrite(List.of(JournalRecord.plain(JournalRecord.Type.RESERVED, 5)));
    assertTrue(journal.isSound());
    journal.close();
    assertFalse(journal.isSound());
    try (Journal again = Journal.open(file(), new SecureRandom(), Journal.Sync.DISK)) {
      assertEquals(1, again.found().records().size());
      assertArrayEquals(journal.identity(), again.identity());
    }
  }
}
