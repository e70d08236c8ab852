package io.forebay.storage.purge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
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
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node's position in a log of purges stands in the journal with the purges before it. */
class PurgePositionTest {
  private static final PurgePosition START = new PurgePosition(0x0123456789abcdefL, -2, 100);
  private static final PurgeMatcher.Compiler ANY =
      text -> (memory, key, keyLength, head, headLength) -> true;

  @TempDir Path directory;

  private Journal.Sync disk = (channel, metaData) -> {};

  private Path file() {
    return directory.resolve("purge.journal");
  }

  private Path copy() {
    return Journal.copyOf(file());
  }

  private Purges open() throws IOException {
    return open(1 << 20);
  }

  private Purges open(long compactBytes) throws IOException {
    return new Purges(
        file(),
        64,
        compactBytes,
        () -> 5,
        new SecureRandom(),
        ANY,
        () -> {},
        (channel, metaData) -> disk.force(channel, metaData));
  }

  private static Purge of(long scope) {
    return new Purge(PurgeKind.TAG, new long[] {scope}, false, "tag " + scope);
  }

  private static Purge pattern() {
    return new Purge(PurgeKind.PATTERN, new long[0], false, "path ^/");
  }

  private static boolean isDead(Purges purges, long scope, long birth) {
    return purges.check(new long[] {scope}, birth, birth) == Purges.DEAD;
  }

  private static int version(Path file) throws IOException {
    return JournalHeader.version(bytes(Files.readAllBytes(file)));
  }

  private static ByteBuffer bytes(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Test
  void aBatchAndItsPositionOutliveARestart() throws Exception {
    long[] numbers;
    try (Purges purges = open()) {
      assertNull(purges.applied());
      assertTrue(purges.skipTo(START, PurgeGap.EMPTY) > 0);
      numbers = purges.apply(List.of(of(1), of(2), of(3)), START.at(107));
      assertEquals(START.at(107), purges.applied());
      assertEquals(START.at(107), purges.begun());
    }
    try (Purges purges = open()) {
      assertEquals(START.at(107), purges.applied());
      assertEquals(START.at(107), purges.begun());
      for (int n = 0; n < 3; n++) {
        assertTrue(isDead(purges, n + 1, numbers[n] - 1));
        assertFalse(isDead(purges, n + 1, numbers[n]));
      }
    }
  }

  @Test
  void aBatchOfTheLargestSizeIsForcedOnceInEachCopy() throws Exception {
    try (Purges purges = open()) {
      assertTrue(purges.skipTo(START, PurgeGap.EMPTY) > 0);
      int[] forces = {0};
      disk = (channel, metaData) -> forces[0]++;
      List<Purge> batch = new ArrayList<>();
      for (int n = 0; n < ReplicatedPurges.MAX_BATCH; n++) {
        batch.add(of(1 + n % 60));
      }
      assertEquals(batch.size(), purges.apply(batch, START.at(200)).length);
      assertEquals(1, forces[0]);
      purges.mirror();
      assertEquals(2, forces[0]);
      batch.add(of(1));
      assertThrows(
          IllegalArgumentException.class, () -> purges.apply(batch, START.at(201)), "one too many");
    }
  }

  @Test
  void anEmptyBatchMovesThePosition() throws Exception {
    try (Purges purges = open()) {
      assertTrue(purges.skipTo(START, PurgeGap.EMPTY) > 0);
      assertEquals(0, purges.apply(List.of(), START.at(101)).length);
    }
    try (Purges purges = open()) {
      assertEquals(START.at(101), purges.applied());
    }
  }

  @Test
  void aTornAppendRepeatsPurgesAndNeverSkipsOne() throws Exception {
    int before;
    long first;
    try (Purges purges = open()) {
      assertTrue(purges.skipTo(START, PurgeGap.EMPTY) > 0);
      before = (int) Files.size(file());
      first = purges.apply(List.of(of(1), of(2)), START.at(101))[0];
    }
    byte[] all = Files.readAllBytes(file());
    byte[] mirrored = Files.readAllBytes(copy());
    boolean wasPartial = false;
    for (int length = before; length < all.length; length++) {
      // The second copy is written when the first one has been forced.
      Files.write(file(), Arrays.copyOf(all, length));
      Files.write(copy(), Arrays.copyOf(mirrored, before));
      try (Purges purges = open()) {
        assertEquals(START, purges.applied(), "cut at " + length);
        wasPartial |= isDead(purges, 1, first - 1);
        long[] again = purges.apply(List.of(of(1), of(2)), START.at(101));
        assertTrue(again[0] > first);
        assertTrue(isDead(purges, 2, again[1] - 1), "cut at " + length);
      }
      try (Purges purges = open()) {
        assertEquals(START.at(101), purges.applied(), "appended after the cut at " + length);
        assertTrue(isDead(purges, 1, first) && isDead(purges, 2, first));
      }
    }
    assertTrue(wasPartial, "no cut left a purge without its position");
    for (int length = before; length <= all.length; length++) {
      Files.write(file(), all);
      Files.write(copy(), Arrays.copyOf(mirrored, length));
      try (Purges purges = open()) {
        assertEquals(START.at(101), purges.applied(), "the second copy cut at " + length);
        assertTrue(isDead(purges, 1, first - 1) && isDead(purges, 2, first - 1));
      }
    }
  }

  @Test
  void aPositionThatIsDamagedInBothCopiesIsNotTakenForTheOneBefore() throws Exception {
    byte[] identity;
    int end;
    try (Purges purges = open()) {
      assertTrue(purges.skipTo(START, PurgeGap.EMPTY) > 0);
      assertEquals(1, purges.apply(List.of(of(1)), START.at(101)).length);
      end = (int) Files.size(file());
      assertEquals(1, purges.apply(List.of(of(2)), START.at(102)).length);
      identity = purges.identity();
    }
    for (Path one : List.of(file(), copy())) {
      byte[] damaged = Files.readAllBytes(one);
      // The last long of the position before: its revision.
      damaged[end - 1] ^= 1;
      Files.write(one, damaged);
    }
    try (Purges purges = open()) {
      assertFalse(Arrays.equals(identity, purges.identity()), "the store must open empty");
      assertNull(purges.applied());
    }
  }

  @Test
  void aJournalThatIsWrittenAnewKeepsThePosition() throws Exception {
    long floor;
    long last = 0;
    try (Purges purges = open(4096)) {
      floor = purges.skipTo(START, PurgeGap.REVALIDATE);
      for (int n = 1; n <= 2000; n++) {
        last = purges.apply(List.of(of(n % 5)), START.at(100 + n))[0];
      }
      assertTrue(Files.size(file()) < 16_384, "length " + Files.size(file()));
      // By purges of this node alone, which have no position of their own.
      for (int n = 0; n < 2000; n++) {
        assertTrue(purges.purge(1, new long[] {7}, false, "own") > last);
      }
    }
    try (Purges purges = open()) {
      assertEquals(START.at(2100), purges.applied());
      assertTrue(isDead(purges, 2000 % 5, last - 1));
      assertTrue(purges.mustValidate(floor - 1));
      assertFalse(purges.mustValidate(floor));
    }
  }

  @Test
  void positionsMakeAJournalThatAnOlderForebayRefusesAndNothingElseDoes() throws Exception {
    try (Purges purges = open()) {
      assertTrue(purges.purge(1, new long[] {1}, false, "own") > 0);
    }
    assertEquals(2, version(file()));
    assertEquals(
        JournalReader.State.WHOLE,
        JournalReader.read(
                file(), 2, bytes(Files.readAllBytes(file())), bytes(Files.readAllBytes(copy())))
            .state());
    byte[] identity;
    try (Purges purges = open()) {
      identity = purges.identity();
      assertTrue(isDead(purges, 1, 0));
      assertTrue(purges.skipTo(START, PurgeGap.REVALIDATE) > 0);
    }
    assertEquals(3, version(file()));
    assertEquals(3, version(copy()));
    ForeignFileException refused =
        assertThrows(
            ForeignFileException.class,
            () ->
                JournalReader.read(
                    file(),
                    2,
                    bytes(Files.readAllBytes(file())),
                    bytes(Files.readAllBytes(copy()))));
    assertEquals(
        file()
            + " has format 3, this Forebay supports formats up to 2: use the version that wrote it,"
            + " or move the data directory away",
        refused.getMessage());
    try (Purges purges = open()) {
      assertArrayEquals(identity, purges.identity());
      assertTrue(isDead(purges, 1, 0));
      assertEquals(START, purges.applied());
    }
  }

  @Test
  void recordsOfPositionsInAnOlderFormatAreRefused() throws Exception {
    Journal journal = Journal.open(file(), new SecureRandom(), Journal.Sync.DISK);
    journal.rewrite(List.of(JournalRecord.position(START)));
    journal.close();
    ForeignFileException refused = assertThrows(ForeignFileException.class, this::open);
    assertTrue(
        String.valueOf(refused.getMessage()).contains("records of type 5"), refused.toString());
  }

  @Test
  void nothingOfABatchIsInForceBeforeItIsDurable() throws Exception {
    try (Purges purges = open()) {
      ReplicatedPurges replicated = new ReplicatedPurges(purges);
      assertTrue(replicated.skipTo(START, PurgeGap.EMPTY) > 0);
      long before = replicated.birth().number();
      List<Birth> during = new ArrayList<>();
      disk =
          (channel, metaData) -> {
            assertEquals(START, replicated.applied());
            assertFalse(isDead(purges, 1, before));
            during.add(replicated.birth());
          };
      long number = replicated.apply(List.of(of(1)), START.at(101))[0];
      disk = (channel, metaData) -> {};
      assertEquals(START.at(101), replicated.applied());
      assertTrue(isDead(purges, 1, before));
      assertEquals(1, during.size());
      for (Birth birth : during) {
        // Younger than the purge, which therefore spares it: it must ask for the purge.
        assertTrue(birth.number() > number);
        assertEquals(START.at(101), birth.begun());
      }
    }
  }

  @Test
  void aBatchIsAppliedWithTheFirstCopyAndTheSecondOneFollows() throws Exception {
    byte[] forcedAlone;
    byte[] before;
    byte[] identity;
    long number;
    try (Purges purges = open()) {
      identity = purges.identity();
      assertTrue(purges.skipTo(START, PurgeGap.EMPTY) > 0);
      before = Files.readAllBytes(copy());
      List<Long> sizes = new ArrayList<>();
      disk = (channel, metaData) -> sizes.add(channel.size());
      number = purges.apply(List.of(of(1)), START.at(101))[0];
      forcedAlone = Files.readAllBytes(file());
      assertEquals(List.of((long) forcedAlone.length), sizes);
      assertArrayEquals(before, Files.readAllBytes(copy()));
      purges.mirror();
      assertEquals(List.of((long) forcedAlone.length, (long) forcedAlone.length), sizes);
      assertEquals(forcedAlone.length, Files.size(copy()));
      purges.mirror();
      assertEquals(2, sizes.size());
      disk = (channel, metaData) -> {};
    }
    // A stop between the two.
    Files.write(file(), forcedAlone);
    Files.write(copy(), before);
    try (Purges purges = open()) {
      assertArrayEquals(identity, purges.identity());
      assertEquals(START.at(101), purges.applied());
      assertTrue(isDead(purges, 1, number - 1));
    }
    // And damage to all that is behind the position before: the log is read from there again.
    int repeated = 0;
    for (int at = before.length; at < forcedAlone.length; at++) {
      byte[] damaged = forcedAlone.clone();
      damaged[at] ^= 4;
      Files.write(file(), damaged);
      Files.write(copy(), before);
      try (Purges purges = open()) {
        assertArrayEquals(identity, purges.identity());
        if (START.equals(purges.applied())) {
          repeated++;
          assertTrue(purges.apply(List.of(of(1)), START.at(101))[0] > number);
        }
        assertEquals(START.at(101), purges.applied(), "damage at " + at);
        assertTrue(isDead(purges, 1, number - 1), "damage at " + at);
      }
    }
    // The CRC does not cover what pads a record.
    assertTrue(repeated > (forcedAlone.length - before.length) * 3 / 4, "repeated " + repeated);
  }

  @Test
  void whatTheSecondCopyLacksFollowsWithAPurgeOfTheNodeItself() throws Exception {
    try (Purges purges = open()) {
      assertTrue(purges.skipTo(START, PurgeGap.EMPTY) > 0);
      long[] ignored = purges.apply(List.of(of(1)), START.at(101));
      assertTrue(purges.purge(1, new long[] {2}, false, "own") > 0);
      assertEquals(Files.size(file()), Files.size(copy()));
      // A damaged first copy loses nothing.
      byte[] damaged = Files.readAllBytes(file());
      damaged[damaged.length - 10] ^= 4;
      byte[] second = Files.readAllBytes(copy());
      purges.close();
      Files.write(file(), damaged);
      Files.write(copy(), second);
    }
    try (Purges purges = open()) {
      assertEquals(START.at(101), purges.applied());
      assertTrue(isDead(purges, 1, 0) && isDead(purges, 2, 0));
    }
  }

  @Test
  void aSecondCopyThatCannotBeWrittenIsWrittenAnewWithTheFirstOne() throws Exception {
    try (Purges purges = open()) {
      assertTrue(purges.skipTo(START, PurgeGap.EMPTY) > 0);
      long[] ignored = purges.apply(List.of(of(1)), START.at(101));
      disk =
          (channel, metaData) -> {
            throw new IOException("no room");
          };
      assertThrows(IOException.class, purges::mirror);
      assertThrows(IOException.class, purges::mirror);
      assertEquals(START.at(101), purges.applied());
      assertTrue(isDead(purges, 1, 0));
      disk = (channel, metaData) -> {};
      purges.mirror();
      assertEquals(Files.size(file()), Files.size(copy()));
      assertEquals(1, purges.apply(List.of(of(2)), START.at(102)).length);
    }
    try (Purges purges = open()) {
      assertEquals(START.at(102), purges.applied());
      assertTrue(isDead(purges, 1, 0) && isDead(purges, 2, 0));
    }
  }

  @Test
  void aBatchThatCannotBeWrittenIsRepeatedAsAWhole() throws Exception {
    try (Purges purges = open()) {
      assertTrue(purges.skipTo(START, PurgeGap.EMPTY) > 0);
      long birth = purges.next();
      disk =
          (channel, metaData) -> {
            throw new IOException("no room");
          };
      assertThrows(IOException.class, () -> purges.apply(List.of(of(1)), START.at(101)));
      assertThrows(IOException.class, () -> purges.skipTo(START.at(500), PurgeGap.EMPTY));
      assertEquals(START, purges.applied());
      assertFalse(isDead(purges, 1, birth));
      disk = (channel, metaData) -> {};
      assertEquals(1, purges.apply(List.of(of(1)), START.at(101)).length);
      assertTrue(isDead(purges, 1, birth));
    }
    try (Purges purges = open()) {
      assertEquals(START.at(101), purges.applied());
    }
  }

  @Test
  void aLogIsFollowedInItsOrderOnlyAndFromAPlaceThatWasSkippedTo() throws Exception {
    try (Purges purges = open()) {
      assertThrows(IllegalArgumentException.class, () -> purges.apply(List.of(of(1)), START));
      assertTrue(purges.skipTo(START, PurgeGap.EMPTY) > 0);
      PurgePosition otherLog = new PurgePosition(1, 2, 101);
      for (PurgePosition wrong : List.of(START, START.at(99), otherLog)) {
        assertThrows(
            IllegalArgumentException.class,
            () -> purges.apply(List.of(of(1)), wrong),
            wrong::toString);
      }
      assertFalse(isDead(purges, 1, purges.sequence()));
      // A log that was set back, and another log.
      assertTrue(purges.skipTo(START.at(3), PurgeGap.EMPTY) > 0);
      assertTrue(purges.skipTo(otherLog, PurgeGap.EMPTY) > 0);
      assertEquals(1, purges.apply(List.of(of(1)), otherLog.at(102)).length);
    }
  }

  @Test
  void aBatchWithMorePatternsThanHavePlacesChangesNothing() throws Exception {
    try (Purges purges = open()) {
      assertTrue(purges.skipTo(START, PurgeGap.EMPTY) > 0);
      for (int n = 0; n < Purges.MAX_PREDICATES; n++) {
        assertEquals(1, purges.apply(List.of(pattern()), START.at(101 + n)).length);
      }
      PurgePosition before = Objects.requireNonNull(purges.applied());
      long birth = purges.next();
      List<Purge> batch = List.of(of(1), pattern());
      PurgePosition next = before.at(before.revision() + 1);
      assertThrows(PurgesFullException.class, () -> purges.apply(batch, next));
      assertEquals(before, purges.applied());
      assertFalse(isDead(purges, 1, birth));
      purges.retire(purges.settled(), purges.settled());
      assertEquals(2, purges.apply(batch, next).length);
      assertTrue(isDead(purges, 1, birth));
    }
  }

  @Test
  void aGapPurgesAllOrHasAllValidated() throws Exception {
    long[] scopes = {7};
    long emptied;
    long revalidated;
    try (Purges purges = open()) {
      revalidated = purges.skipTo(START, PurgeGap.REVALIDATE);
      assertEquals(Purges.REVALIDATE, purges.check(scopes, revalidated - 1, revalidated - 1));
      assertTrue(purges.mustValidate(revalidated - 1));
      // Confirmed since: the head is young, the body is not.
      assertEquals(Purges.ALIVE, purges.check(scopes, revalidated + 1, revalidated - 1));
      long soft = purges.purge(PurgeKind.EVERYTHING.code(), new long[0], true, "soft");
      assertEquals(Purges.STALE, purges.check(scopes, soft - 1, soft - 1));
      assertFalse(purges.mustValidate(soft - 1));
      emptied = purges.skipTo(START.at(900), PurgeGap.EMPTY);
      assertEquals(Purges.DEAD, purges.check(scopes, emptied - 1, emptied - 1));
    }
    PurgeHistory history = PurgeHistory.read(file(), ANY);
    assertEquals(Purges.DEAD, history.check(scopes, emptied - 1, emptied - 1));
    try (Purges purges = open()) {
      assertTrue(purges.mustValidate(revalidated - 1));
      assertEquals(Purges.DEAD, purges.check(scopes, emptied - 1, emptied - 1));
    }
  }

  @Test
  void aPositionIsReadAsItIsWrittenAndNotOtherwise() {
    PurgePosition largest = new PurgePosition(-1, 0, Long.MAX_VALUE);
    for (PurgePosition one : List.of(START, largest, new PurgePosition(0, 0, 0))) {
      assertEquals(one, PurgePosition.parse(one.toString()));
    }
    assertEquals("0123456789abcdeffffffffffffffffe:100", START.toString());
    String epoch = START.epoch();
    for (String wrong :
        List.of(
            "",
            ":",
            epoch,
            epoch + ":",
            epoch + ":-1",
            epoch + ":+1",
            epoch + ":01",
            epoch + ":1 ",
            epoch + ":9223372036854775808",
            epoch + ":10000000000000000000",
            epoch + ";1",
            epoch.substring(1) + ":1",
            "0" + epoch + ":1",
            epoch.toUpperCase(Locale.ROOT) + ":1",
            "g" + epoch.substring(1) + ":1",
            epoch + ":\u0661")) {
      assertNull(PurgePosition.parse(wrong), wrong);
    }
  }
}
