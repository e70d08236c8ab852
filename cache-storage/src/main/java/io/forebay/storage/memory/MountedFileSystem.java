package io.forebay.storage.memory;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * The file system that a file is on, as mountinfo describes it.
 *
 * @param type empty where that is not known
 * @param options of the mount and of the file system, separated by commas
 */
record MountedFileSystem(String type, String options) {
  private static final MountedFileSystem UNKNOWN = new MountedFileSystem("", "");

  /** Of bytes: a machine may have many mounts. */
  private static final int MAX_MOUNTS = 8 << 20;

  /** Their files end with the machine's memory. */
  private static final Set<String> VOLATILE = Set.of("tmpfs", "ramfs", "hugetlbfs", "devtmpfs");

  /** Of a file, or directory, by its name without links. */
  static MountedFileSystem under(Path real) {
    return under(KernelFile.lines(Path.of("/proc/self/mountinfo"), MAX_MOUNTS), real);
  }

  /** What the lines of mountinfo say of the mount that a file is on: the last of the longest. */
  static MountedFileSystem under(List<String> mounts, Path real) {
    int longest = 0;
    MountedFileSystem found = UNKNOWN;
    for (String line : mounts) {
      // 36 35 0:25 / /dev/shm rw,nosuid shared:3 - tmpfs tmpfs rw,size=4g,huge=within_size
      int dash = line.indexOf(" - ");
      String[] words = line.substring(0, Math.max(0, dash)).split(" ", 7);
      if (dash < 0 || words.length < 6) {
        continue;
      }
      String mount = words[4].replace("\\040", " ");
      boolean isAbove =
          mount.equals("/") || real.toString().equals(mount) || real.startsWith(mount);
      if (isAbove && mount.length() >= longest) {
        longest = mount.length();
        String[] rest = line.substring(dash + 3).split(" ", 3);
        found = new MountedFileSystem(rest[0], words[5] + "," + (rest.length < 3 ? "" : rest[2]));
      }
    }
    return found;
  }

  boolean isKnown() {
    return !type.isEmpty();
  }

  /** Whether a file on it takes memory of the machine, and does not survive its stop. */
  boolean isVolatile() {
    return VOLATILE.contains(type);
  }

  /** Whether its files consist of huge pages, and are mapped in these only. */
  boolean isHugeTlb() {
    return type.equals("hugetlbfs");
  }

  /** Whether it may give huge pages to a file, or does. */
  boolean offersHugePages() {
    return isHugeTlb() || (options.contains("huge=") && !options.contains("huge=never"));
  }
}
