package io.forebay.storage.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Backs memory with 2 MiB pages where the machine offers them. Accesses are scattered over a whole
 * memory tier, and with 4 KiB pages TLB misses dominate a lookup; a device pins each page that it
 * reads into. A file on a tmpfs gets them through its mount ({@code huge=within_size} or {@code
 * always}), process memory through madvise.
 */
final class HugePages {
  private static final int MADV_HUGEPAGE = 14;

  /** Advice for madvise: allocate and map for writing. */
  static final int POPULATE = 23;

  static final FunctionDescriptor MADVISE =
      FunctionDescriptor.of(
          ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);

  /** What {@link #state} says of a tier without them. */
  static final String SMALL = "pages of 4 KiB";

  private static final Path FORCED = Path.of("/sys/kernel/mm/transparent_hugepage/shmem_enabled");

  /** Of bytes: a machine may have many mounts. */
  private static final int MAX_MOUNTS = 8 << 20;

  private HugePages() {}

  /** Requests them; has no effect where none are available. */
  static void ask(MemorySegment memory) {
    boolean ignored = CLibrary.call("madvise", MADVISE, memory, memory.byteSize(), MADV_HUGEPAGE);
  }

  /** As a part of a line for the log: how much of what is mapped now has them. */
  static String state(MemorySegment memory) {
    try {
      long bytes = hugeBytes(memory);
      return bytes == 0
          ? SMALL
          : bytes >= memory.byteSize() - memory.byteSize() / 64
              ? "pages of 2 MiB"
              : (bytes >> 20) + " MiB of it in pages of 2 MiB";
    } catch (IOException e) {
      return "pages of unknown size";
    }
  }

  /** How much of what is mapped now has them. */
  static long hugeBytes(MemorySegment memory) throws IOException {
    // Names of files, which may be in any charset, stand in it.
    try (Stream<String> smaps =
        Files.lines(Path.of("/proc/self/smaps"), StandardCharsets.ISO_8859_1)) {
      return hugeBytes(smaps.iterator(), memory.address(), memory.address() + memory.byteSize());
    } catch (UncheckedIOException e) {
      throw new IOException("reading smaps", e);
    }
  }

  /**
   * What the lines of smaps say of the mappings between two addresses. Those behind are not read:
   * the kernel counts the pages of a mapping only when its lines are.
   */
  static long hugeBytes(Iterator<String> smaps, long from, long to) {
    long kibibytes = 0;
    boolean isBetween = false;
    while (smaps.hasNext()) {
      String line = smaps.next();
      int dash = line.indexOf('-');
      int blank = line.indexOf(' ');
      if (dash > 0 && dash < blank) {
        // 7f0000000000-7f0040000000 rw-s 00000000 00:19 42 /dev/shm/tier
        long start = Long.parseUnsignedLong(line, 0, dash, 16);
        if (start >= to) {
          break;
        }
        isBetween = Long.parseUnsignedLong(line, dash + 1, blank, 16) > from;
      } else if (isBetween
          && (line.startsWith("ShmemPmdMapped:") || line.startsWith("AnonHugePages:"))) {
        // ShmemPmdMapped:   524288 kB
        String number = line.substring(line.indexOf(':') + 1, line.lastIndexOf(' '));
        kibibytes += Long.parseLong(number.strip());
      }
    }
    return kibibytes << 10;
  }

  /**
   * Whether the file system of a file, or the kernel for all of tmpfs, may give it huge pages; then
   * parts that are not aligned to them cannot be given back. True if the mounts are not known.
   */
  static boolean areOffered(Path file) {
    List<String> mounts = KernelFile.lines(Path.of("/proc/self/mountinfo"), MAX_MOUNTS);
    return mounts.isEmpty() || areOffered(mounts, file) || areForced(KernelFile.lines(FORCED));
  }

  /** Whether each tmpfs gives them, whatever its mount says: what the kernel's setting says. */
  static boolean areForced(List<String> shmemEnabled) {
    return shmemEnabled.stream().anyMatch(line -> line.contains("[force]"));
  }

  /** What the lines of mountinfo say of the mount that a file is on. */
  static boolean areOffered(List<String> mounts, Path file) {
    return MountedFileSystem.under(mounts, file).offersHugePages();
  }
}
