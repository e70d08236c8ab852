package io.forebay.storage.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The report of the page size under a tier. */
final class HugePagesTest {

  private static final List<String> SMAPS =
      List.of(
          "5634e2a00000-5634e2a21000 rw-p 00000000 00:00 0                          [heap]",
          "Rss:                 132 kB",
          "AnonHugePages:      4096 kB",
          "ShmemPmdMapped:        0 kB",
          "7f0000000000-7f0040000000 rw-s 00000000 00:19 42                         /dev/shm/tier",
          "Size:            1048576 kB",
          "AnonHugePages:         0 kB",
          "ShmemPmdMapped:   524288 kB",
          "VmFlags: rd wr sh mr mw me ms lo sd hg",
          "7f0040000000-7f0040001000 r--p 00000000 fe:00 7                         "
              + " /usr/lib/a-b.so",
          "ShmemPmdMapped:     2048 kB");

  @Test
  void countsWhatIsMappedBetweenTheAddresses() {
    assertEquals(
        512L << 20, HugePages.hugeBytes(SMAPS.iterator(), 0x7f0000000000L, 0x7f0040000000L));
    assertEquals(
        512L << 20, HugePages.hugeBytes(SMAPS.iterator(), 0x7f0000001000L, 0x7f0000002000L));
    assertEquals(0, HugePages.hugeBytes(SMAPS.iterator(), 0x7e0000000000L, 0x7f0000000000L));
  }

  @Test
  void readsNoMappingBehindTheLastAddress() {
    Iterator<String> smaps = SMAPS.iterator();
    assertEquals(512L << 20, HugePages.hugeBytes(smaps, 0x7f0000000000L, 0x7f0040000000L));
    assertEquals("ShmemPmdMapped:     2048 kB", smaps.next());
  }

  @Test
  void askingDoesNoHarmWhereThereAreNone() {
    try (Arena arena = Arena.ofConfined()) {
      var memory = arena.allocate(3 << 20, 4096);
      HugePages.ask(memory);
      memory.fill((byte) 1);
      assertTrue(HugePages.state(memory).contains("pages of"), HugePages.state(memory));
    }
  }

  @Test
  void aMountSaysWhetherItOffersThem() {
    List<String> mounts =
        List.of(
            "22 1 8:1 / / rw - ext4 /dev/vda rw",
            "25 22 0:24 / /dev/shm rw,nosuid shared:3 - tmpfs tmpfs rw,size=4g",
            "26 22 0:25 / /mnt/huge\\040ones rw - tmpfs tmpfs rw,huge=within_size",
            "27 22 0:26 / /mnt/never rw - tmpfs tmpfs rw,huge=never",
            "28 22 0:27 / /mnt/never/not rw - tmpfs tmpfs rw,huge=always",
            "rubbish",
            "29 22 0:28 / /mnt/huge\\040ones/over rw - tmpfs tmpfs rw");
    assertFalse(HugePages.areOffered(mounts, Path.of("/dev/shm/forebay/memory.tier")));
    assertTrue(HugePages.areOffered(mounts, Path.of("/mnt/huge ones/memory.tier")));
    assertFalse(HugePages.areOffered(mounts, Path.of("/mnt/huge ones/over/memory.tier")));
    assertFalse(HugePages.areOffered(mounts, Path.of("/mnt/never/memory.tier")));
    assertTrue(HugePages.areOffered(mounts, Path.of("/mnt/never/not/memory.tier")));
    assertFalse(HugePages.areOffered(mounts, Path.of("/mnt/never/nothing/memory.tier")));
  }

  @Test
  void theKernelMayGiveThemToEveryTmpfs() {
    assertTrue(HugePages.areForced(List.of("always within_size advise never deny [force]")));
    assertFalse(HugePages.areForced(List.of("always within_size advise [never] deny force")));
    assertFalse(HugePages.areForced(List.of()));
  }
}
