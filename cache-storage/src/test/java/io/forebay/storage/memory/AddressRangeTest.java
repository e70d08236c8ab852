package io.forebay.storage.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.layout.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several files in one range of addresses. */
class AddressRangeTest {
  private static final int PAGE = 4096;
  private static final long HUGE = 2L << 20;

  @TempDir Path directory;

  private Path file(String name, int pages) throws IOException {
    Path file = directory.resolve(name);
    byte[] bytes = new byte[pages * PAGE];
    for (int n = 0; n < pages; n++) {
      bytes[n * PAGE] = (byte) (n + 1);
    }
    Files.write(file, bytes);
    return file;
  }

  private static FileBlocks blocks(Path file) {
    return Objects.requireNonNull(FileBlocks.open(file, FileBlocks.key(file)));
  }

  @Test
  void filesLieOneBehindTheOther() throws Exception {
    Path one = file("one", 3);
    Path two = file("two", 4);
    try (AddressRange range = AddressRange.reserve(6 * PAGE, 0, PAGE);
        FileBlocks first = blocks(one);
        FileBlocks second = blocks(two)) {
      MemorySegment all = range.segment();
      AddressRange.Sync _ = range.map(first, 0, 0, 3 * PAGE);
      boolean isDax =
          MountedFileSystem.under(directory.toRealPath()).options().contains("dax=always");
      // Its first page is left out.
      assertEquals(
          isDax ? AddressRange.Sync.METADATA : AddressRange.Sync.NONE,
          range.map(second, PAGE, 3 * PAGE, 3 * PAGE));
      for (int page = 0; page < 6; page++) {
        int expected = page < 3 ? page + 1 : page - 1;
        assertEquals(expected, all.get(Layouts.BYTE, (long) page * PAGE), "page " + page);
      }
      all.set(Layouts.LONG, 3 * PAGE - 8, 11);
      all.set(Layouts.LONG, 3 * PAGE, 22);
      AddressRange.force(all.asSlice(0, 3 * PAGE));
      AddressRange.force(all.asSlice(3 * PAGE, 3 * PAGE));
      assertEquals(11, number(one, 3 * PAGE - 8));
      assertEquals(22, number(two, PAGE));
    }
  }

  private static long number(Path file, long at) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      assertEquals(Long.BYTES, channel.read(bytes, at));
    }
    return bytes.getLong(0);
  }

  @Test
  void theBeginningIsAlignedAsHugePagesAre() throws Exception {
    for (int n = 1; n < 5; n++) {
      try (AddressRange range = AddressRange.reserve((long) n * PAGE, 0, PAGE)) {
        assertEquals(0, range.segment().address() % HUGE);
        assertEquals((long) n * PAGE, range.segment().byteSize());
      }
    }
  }

  @Test
  void aPlaceBehindTheBeginningIsAlignedWhereThatIsAskedFor() throws Exception {
    try (AddressRange range = AddressRange.reserve(9 * HUGE, 5 * PAGE, 4 * HUGE)) {
      assertEquals(0, (range.segment().address() + 5 * PAGE) % (4 * HUGE));
    }
  }

  @Test
  void memoryOfTheProcessMayLieBeforeAFile() throws Exception {
    Path two = file("two", 1);
    try (AddressRange range = AddressRange.reserve(3 * PAGE, 0, PAGE);
        FileBlocks second = blocks(two)) {
      range.mapAnonymous(0, 2 * PAGE);
      AddressRange.Sync _ = range.map(second, 0, 2 * PAGE, PAGE);
      assertEquals(0, range.segment().get(Layouts.BYTE, 0));
      assertEquals(1, range.segment().get(Layouts.BYTE, 2 * PAGE));
    }
  }

  @Test
  void nothingOutsideOfTheRangeIsMappedOver() throws Exception {
    try (AddressRange range = AddressRange.reserve(2 * PAGE, 0, PAGE)) {
      assertThrows(IndexOutOfBoundsException.class, () -> range.mapAnonymous(PAGE, 2 * PAGE));
    }
  }

  @Test
  void nobodyReadsARangeThatIsClosed() throws Exception {
    AddressRange range = AddressRange.reserve(PAGE, 0, PAGE);
    range.mapAnonymous(0, PAGE);
    MemorySegment memory = range.segment();
    range.close();
    assertThrows(IllegalStateException.class, () -> memory.get(Layouts.BYTE, 0));
  }

  @Test
  void aPlaceThatIsNoWholePageIsAnError() throws Exception {
    try (AddressRange range = AddressRange.reserve(2 * PAGE, 0, PAGE)) {
      IOException failed = assertThrows(IOException.class, () -> range.mapAnonymous(100, PAGE));
      assertTrue(String.valueOf(failed.getMessage()).contains("mmap failed"));
    }
  }

  @Test
  void aMountSaysOfWhichKindItsFilesAre() {
    List<String> mounts =
        List.of(
            "22 1 8:1 / / rw - ext4 /dev/vda rw",
            "25 22 0:24 / /dev/shm rw,nosuid shared:3 - tmpfs tmpfs rw,size=4g",
            "26 22 0:25 / /mnt/huge rw - hugetlbfs none rw,pagesize=2M",
            "27 22 259:0 / /mnt/pmem rw,noatime - xfs /dev/pmem0 rw,dax=always",
            "28 22 0:26 / /mnt/node1 rw - tmpfs tmpfs rw,mpol=bind:1,huge=within_size");
    MountedFileSystem shm = MountedFileSystem.under(mounts, Path.of("/dev/shm/a/b"));
    assertTrue(shm.isVolatile() && !shm.isHugeTlb() && !shm.offersHugePages());
    MountedFileSystem huge = MountedFileSystem.under(mounts, Path.of("/mnt/huge"));
    assertTrue(huge.isVolatile() && huge.isHugeTlb() && huge.offersHugePages());
    MountedFileSystem pmem = MountedFileSystem.under(mounts, Path.of("/mnt/pmem/x"));
    assertTrue(!pmem.isVolatile() && pmem.options().contains("dax=always"));
    MountedFileSystem node = MountedFileSystem.under(mounts, Path.of("/mnt/node1/x"));
    assertTrue(node.isVolatile() && node.offersHugePages());
    assertTrue(!MountedFileSystem.under(List.of(), Path.of("/mnt")).isKnown());
  }
}
