package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeReceipt;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are truncated, extended, replaced, deleted, or foreign. */
@Tag("slow")
class FileFaultTest {
  private static final int OBJECTS = 150;
  private static final long DISK_BYTES = 16 << 20;

  @TempDir Path directory;

  private StoreSettings settings(String name) {
    DeviceSettings device =
        new DeviceSettings("d", disk(), DISK_BYTES, 1 << 20, 1 << 18, 4, 1, 3, 10_000, 0);
    return StoreSettings.of(directory.resolve(name), 8 << 20, 1, () -> 0)
        .withMemoryDirectory(directory.resolve(name + "-memory"))
        .withSizes(1 << 18, 20_000, 64)
        .withLockMemory(false)
        .withPurges(64, 1000, 1 << 16)
        .withDisks(DiskSettings.of(List.of(device)));
  }

  private StoreFixture open() throws StoreException {
    StoreFixture fixture = new StoreFixture(settings("store"));
    fixture.stepAll();
    return fixture;
  }

  private Path disk() {
    return directory.resolve("disk");
  }

  private Path diskFile() {
    return disk().resolve("disk.store");
  }

  private Path tier() {
    return directory.resolve("store-memory/memory.tier");
  }

  private Path journal() {
    return directory.resolve("store/purge.journal");
  }

  private Path copy() {
    return directory.resolve("store/purge.journal.copy");
  }

  private static byte[] body(int n) {
    return StoreFixture.body(n, 10_000 + n);
  }

  private static void fill(StoreFixture fixture) {
    for (int n = 0; n < OBJECTS; n++) {
      assertEquals(
          InstallOutcome.INSTALLED,
          fixture.put(fixture.store.lane(0), "/" + n, body(n), true, "tag"));
      fixture.steps(10);
    }
  }

  private static int hits(StoreFixture fixture) {
    int hits = 0;
    for (int n = 0; n < OBJECTS; n++) {
      byte[] body = fixture.read(fixture.store.lane(0), "/" + n);
      if (body != null) {
        assertArrayEquals(body(n), body);
        hits++;
      }
    }
    return hits;
  }

  private static void reopen(StoreFixture fixture) throws StoreException {
    fixture.store = ObjectStore.open(fixture.settings);
    fixture.stepAll();
  }

  private static void write(Path file, long at, byte[] bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      assertEquals(bytes.length, channel.write(ByteBuffer.wrap(bytes), at));
    }
  }

  private static void writeInt(Path file, long at, int value) throws IOException {
    write(file, at, ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array());
  }

  private static void length(Path file, long length) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      if (length < channel.size()) {
        assertEquals(length, channel.truncate(length).size());
      } else {
        assertEquals(1, channel.write(ByteBuffer.allocate(1), length - 1));
      }
    }
  }

  private static DiskStats stats(StoreFixture fixture) {
    return fixture.store.diskStats().getFirst();
  }

  @Test
  void aTierThatWasCutOrExtendedIsMadeAnewAndTheDiskServes() throws Exception {
    for (int change : new int[] {-1, 1, -(7 << 20), 5 << 20}) {
      try (StoreFixture fixture = open()) {
        fill(fixture);
        fixture.store.close();
        long before = Files.size(tier());
        length(tier(), before + change);
        reopen(fixture);
        assertEquals(before, Files.size(tier()));
        assertEquals(OBJECTS, hits(fixture), "from the disk");
        assertTrue(stats(fixture).reads() > OBJECTS / 2);
      }
    }
  }

  @Test
  void aTierOfANewerFormatOpensEmpty() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.close();
      writeInt(tier(), TierHeader.VERSION_OFFSET, TierHeader.VERSION + 1);
      Files.delete(diskFile());
      reopen(fixture);
      assertEquals(RecoveryState.Phase.EMPTY, fixture.store.recovery().phase());
      assertEquals(0, hits(fixture));
      fill(fixture);
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  @OneTier("the middle tier is the store's own and is taken up")
  void aTierReplacedByAnotherStoresOpensEmpty() throws Exception {
    StoreSettings others = settings("other").withDisks(DiskSettings.of(List.of()));
    try (StoreFixture other = new StoreFixture(others)) {
      fill(other);
      other.store.close();
      try (StoreFixture fixture = open()) {
        fixture.store.close();
        Files.copy(
            directory.resolve("other-memory/memory.tier"),
            tier(),
            StandardCopyOption.REPLACE_EXISTING);
        reopen(fixture);
        assertEquals(RecoveryState.Phase.EMPTY, fixture.store.recovery().phase());
        assertEquals(0, hits(fixture));
      }
      other.store = ObjectStore.open(other.settings);
    }
  }

  @Test
  void anIndexThatIsDamagedOrOfAnotherSizeIsMadeAgain() throws Exception {
    for (int fault = 0; fault < 3; fault++) {
      try (StoreFixture fixture = open()) {
        fill(fixture);
        fixture.store.close();
        Path index = tier().resolveSibling("index.map");
        Files.delete(diskFile());
        switch (fault) {
          case 0 -> length(index, 100);
          case 1 -> Files.write(index, StoreFixture.body(1, 65_536));
          default -> {}
        }
        StoreSettings next =
            fault == 2 ? fixture.settings.withSizes(1 << 18, 30_000, 64) : fixture.settings;
        fixture.store = ObjectStore.open(next);
        assertEquals(RecoveryState.Phase.REBUILDING, fixture.store.recovery().phase());
        fixture.stepAll();
        assertEquals(OBJECTS, hits(fixture), "fault " + fault);
        fixture.store.purge(Purge.everything(false, "the next fault"));
      }
    }
  }

  @Test
  void aJournalWhoseHeaderIsDamagedMakesEverythingOpenEmpty() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.close();
      long birth = fixture.store.purgeSequence();
      write(journal(), 20, new byte[] {1, 2, 3});
      write(copy(), 30, new byte[] {1, 2, 3});
      reopen(fixture);
      assertTrue(fixture.store.nextBirth() > birth);
      assertEquals(RecoveryState.Phase.EMPTY, fixture.store.recovery().phase());
      assertEquals(0, hits(fixture));
      fill(fixture);
      fixture.store.close();
      reopen(fixture);
      assertEquals(OBJECTS, hits(fixture), "and what comes after is kept");
    }
  }

  @Test
  void aJournalWithADamagedOrMissingCopyCostsNothing() throws Exception {
    for (int fault = 0; fault < 4; fault++) {
      try (StoreFixture fixture = open()) {
        fill(fixture);
        PurgeReceipt ignored =
            fixture.store.purge(
                new Purge(PurgeKind.URL, new long[] {StoreFixture.scope("/1")}, false, "/1"));
        fixture.store.close();
        Path one = fault % 2 == 0 ? journal() : copy();
        if (fault < 2) {
          Files.delete(one);
        } else {
          write(one, Files.size(one) - 50, StoreFixture.body(3, 40));
        }
        reopen(fixture);
        assertEquals(RecoveryState.Phase.WARM, fixture.store.recovery().phase());
        assertNull(fixture.read(fixture.store.lane(0), "/1"));
        assertEquals(OBJECTS - 1, hits(fixture), "fault " + fault);
        assertEquals(Files.size(journal()), Files.size(copy()), "both are whole again");
      }
    }
  }

  @Test
  void aJournalDamagedInBothCopiesMakesMemoryAndDiskOpenEmpty() throws Exception {
    for (boolean hasMemory : new boolean[] {true, false}) {
      try (StoreFixture fixture = open()) {
        fill(fixture);
        PurgeReceipt ignored =
            fixture.store.purge(
                new Purge(PurgeKind.URL, new long[] {StoreFixture.scope("/1")}, false, "/1"));
        long birth = fixture.store.nextBirth();
        fixture.store.close();
        write(journal(), Files.size(journal()) - 9, new byte[] {77});
        write(copy(), Files.size(copy()) - 9, new byte[] {78});
        if (!hasMemory) {
          fixture.loseMemory();
        }
        reopen(fixture);
        assertEquals(0, hits(fixture));
        assertTrue(fixture.store.nextBirth() > birth);
        fill(fixture);
        assertEquals(OBJECTS, hits(fixture));
      }
    }
  }

  @Test
  void aJournalThatIsGoneOrCutShortMakesTheDiskOpenEmptyToo() throws Exception {
    for (int length : new int[] {-1, 0, 30}) {
      try (StoreFixture fixture = open()) {
        fill(fixture);
        fixture.store.close();
        if (length < 0) {
          Files.delete(journal());
          Files.delete(copy());
        } else {
          length(journal(), length);
          length(copy(), length);
        }
        fixture.loseMemory();
        reopen(fixture);
        assertEquals(0, hits(fixture), "length " + length);
      }
    }
  }

  /** Sequences begin at 1 again, far below the births of what lies in the old files. */
  @Test
  void whatWasStoredBeforeTheJournalWasLostStaysUnreadWhenItsFilesComeBack() throws Exception {
    Path away = Files.createDirectory(directory.resolve("away"));
    Path index = tier().resolveSibling("index.map");
    try (StoreFixture fixture = open()) {
      fill(fixture);
      long birth = fixture.store.nextBirth();
      fixture.store.close();
      for (Path file : List.of(diskFile(), tier(), index)) {
        Path ignored = Files.copy(file, away.resolve(file.getFileName()));
      }
      Files.delete(journal());
      Files.delete(copy());
      reopen(fixture);
      assertEquals(0, hits(fixture));
      assertTrue(fixture.store.nextBirth() < birth, "numbers are given out again");
      fixture.store.close();
      // The disk that was away, and a memory tier that was, each alone and both together.
      for (List<Path> back :
          List.of(
              List.of(diskFile()), List.of(tier(), index), List.of(diskFile(), tier(), index))) {
        for (Path file : back) {
          Path ignored =
              Files.copy(
                  away.resolve(file.getFileName()), file, StandardCopyOption.REPLACE_EXISTING);
        }
        reopen(fixture);
        assertEquals(0, hits(fixture), back::toString);
        fixture.store.close();
      }
      reopen(fixture);
      fill(fixture);
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void aJournalOfANewerFormatIsRefusedAndLeftAlone() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.close();
      byte[] whole = Files.readAllBytes(journal());
      byte[] wholeCopy = Files.readAllBytes(copy());
      writeInt(journal(), Long.BYTES, 99);
      writeInt(copy(), Long.BYTES, 99);
      byte[] newer = Files.readAllBytes(journal());
      StoreException refused =
          assertThrows(StoreException.class, () -> ObjectStore.open(fixture.settings));
      assertEquals(StoreException.Kind.FOREIGN_FORMAT, refused.kind());
      assertTrue(String.valueOf(refused.getMessage()).contains("format 99"), refused::getMessage);
      assertArrayEquals(newer, Files.readAllBytes(journal()));
      Files.write(journal(), whole);
      Files.write(copy(), wholeCopy);
      reopen(fixture);
      assertEquals(RecoveryState.Phase.WARM, fixture.store.recovery().phase());
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void aDiskFileThatWasCutExtendedOrDeletedIsMadeAnew() throws Exception {
    for (long length : new long[] {-1, 0, 4096, DISK_BYTES, DISK_BYTES + (1 << 20)}) {
      try (StoreFixture fixture = open()) {
        fill(fixture);
        fixture.store.close();
        long before = Files.size(diskFile());
        if (length < 0) {
          Files.delete(diskFile());
        } else {
          length(diskFile(), length);
        }
        fixture.loseMemory();
        reopen(fixture);
        assertEquals(before, Files.size(diskFile()));
        assertEquals(0, hits(fixture), "length " + length);
        assertEquals("online", stats(fixture).state());
        assertEquals(0, stats(fixture).errors());
      }
    }
  }

  @Test
  void aDiskFileThatIsCutWhileInUseCostsItsObjectsOnly() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.close();
      fixture.loseMemory();
      reopen(fixture);
      length(diskFile(), DISK_BYTES / 32);
      int hits = hits(fixture);
      assertTrue(hits < OBJECTS, hits + " hits");
      fill(fixture);
      assertEquals(OBJECTS, hits(fixture), "memory goes on");
    }
  }

  @Test
  void aDiskOfANewerFormatOrAnotherStoreOpensEmpty() throws Exception {
    for (int fault = 0; fault < 2; fault++) {
      try (StoreFixture fixture = open()) {
        fill(fixture);
        fixture.store.close();
        byte[] page = new byte[DeviceHeader.PAGE];
        try (FileChannel channel = FileChannel.open(diskFile(), StandardOpenOption.READ)) {
          assertEquals(page.length, channel.read(ByteBuffer.wrap(page), 0));
        }
        ByteBuffer header = ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN);
        if (fault == 0) {
          header.putInt(DeviceHeader.VERSION_OFFSET, DeviceHeader.VERSION + 1);
        } else {
          header.putLong(DeviceHeader.STORE_OFFSET, 4711);
        }
        CRC32C crc = new CRC32C();
        crc.update(page, 0, DeviceHeader.CRC_OFFSET);
        header.putInt(DeviceHeader.CRC_OFFSET, (int) crc.getValue());
        write(diskFile(), 0, page);
        fixture.loseMemory();
        reopen(fixture);
        assertEquals(0, hits(fixture), "fault " + fault);
        assertEquals("online", stats(fixture).state());
      }
    }
  }

  @Test
  void aDiskFileReplacedByAnOlderCopyOfItselfUndoesNoPurge() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.close();
      Path away = Files.copy(diskFile(), directory.resolve("away"));
      reopen(fixture);
      PurgeReceipt ignored =
          fixture.store.purge(
              new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope("tag")}, false, "tag"));
      fixture.clock.addAndGet(100_000);
      fixture.stepAll();
      assertEquals(0, fixture.store.stats().purgeScopes(), "swept and forgotten");
      fixture.store.close();
      Files.move(away, diskFile(), StandardCopyOption.REPLACE_EXISTING);
      fixture.loseMemory();
      reopen(fixture);
      assertEquals(0, hits(fixture));
    }
  }

  @Test
  void aStrangersFileInPlaceOfTheDiskIsRefusedAndLeftAlone() throws Exception {
    Files.createDirectories(disk());
    Files.writeString(diskFile(), "somebody's diary");
    StoreException refused =
        assertThrows(StoreException.class, () -> ObjectStore.open(settings("store")).close());
    assertEquals(StoreException.Kind.FOREIGN_FORMAT, refused.kind());
    assertEquals("somebody's diary", Files.readString(diskFile()));
  }

  @Test
  void aDiskOfAnotherProcessIsRefusedAndTheFirstGoesOn() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      StoreException refused =
          assertThrows(StoreException.class, () -> ObjectStore.open(settings("second")).close());
      assertEquals(StoreException.Kind.OWNED, refused.kind());
      String pid = Long.toString(ProcessHandle.current().pid());
      assertTrue(String.valueOf(refused.getMessage()).contains("process " + pid));
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void readyTellsHowFarADiskIsWhileItServes() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.close();
      fixture.loseMemory();
      Files.delete(disk().resolve("disk.checkpoint"));
      fixture.store = ObjectStore.open(fixture.settings);
      double last = fixture.store.recovery().fraction();
      assertTrue(last < 0.1, "it begins at " + last);
      boolean isSeenBefore = false;
      while (!fixture.store.recovery().isComplete()) {
        assertTrue(fixture.store.step());
        double now = fixture.store.recovery().fraction();
        assertTrue(now >= last, now + " after " + last);
        last = now;
        if (!isSeenBefore && !fixture.store.recovery().isComplete()) {
          byte[] found = fixture.read(fixture.store.lane(0), "/0");
          if (found != null) {
            assertArrayEquals(body(0), found);
            isSeenBefore = true;
          }
        }
      }
      assertTrue(isSeenBefore, "nothing was served before the recovery was over");
      assertEquals(1, last);
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  /** The tombstone of what was replaced had not been written when the process was killed. */
  @Test
  void whatWasReplacedJustBeforeAKillDoesNotComeBackLater() throws Exception {
    try (StoreFixture fixture = open()) {
      fill(fixture);
      fixture.store.close();
      reopen(fixture);
      StoreLane lane = fixture.store.lane(0);
      assertEquals(InstallOutcome.INSTALLED, fixture.put(lane, "/3", body(1000), true));
      fixture.store.abandon();
      reopen(fixture);
      assertArrayEquals(body(1000), fixture.read(fixture.store.lane(0), "/3"));
      fixture.clock.addAndGet(6_000);
      fixture.stepAll();
      fixture.store.abandon();
      fixture.loseMemory();
      reopen(fixture);
      assertNull(fixture.read(fixture.store.lane(0), "/3"), "what was replaced is back");
      assertEquals(OBJECTS - 1, hits(fixture));
    }
  }
}
