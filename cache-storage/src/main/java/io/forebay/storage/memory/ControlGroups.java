package io.forebay.storage.memory;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Reads the control groups of this process, version 1 and 2, from the innermost outwards. */
final class ControlGroups {
  /** Far more than anybody nests. */
  private static final int MAX_GROUPS = 128;

  private final Path ownGroups;
  private final Path root;

  /**
   * @param ownGroups the kernel's list of the groups of this process
   * @param root where the groups' files are mounted
   */
  ControlGroups(Path ownGroups, Path root) {
    this.ownGroups = ownGroups;
    this.root = root;
  }

  static ControlGroups system() {
    return new ControlGroups(Path.of("/proc/self/cgroup"), Path.of("/sys/fs/cgroup"));
  }

  /**
   * A group that limits memory.
   *
   * @param usedBytes of it, without what the kernel can drop at once
   */
  record Limited(Path group, long limitBytes, long usedBytes) {
    long roomBytes() {
      return limitBytes - usedBytes;
    }
  }

  /** Those that limit memory; none where nothing can be read. */
  List<Limited> limited() {
    return limited(false);
  }

  /**
   * Those that limit memory, with the limit above which the kernel slows their processes down
   * ({@code memory.high}) where it is the smaller one.
   */
  List<Limited> throttled() {
    return limited(true);
  }

  private List<Limited> limited(boolean isThrottled) {
    List<Limited> found = new ArrayList<>();
    for (Group group : groups()) {
      Limited limited = group.limited(isThrottled);
      if (limited != null) {
        found.add(limited);
      }
    }
    return found;
  }

  /**
   * How often the groups had nothing left that the kernel could drop for what was asked. Each
   * counts itself and not those within it. The counters {@code high} and {@code max} say less: they
   * go up whenever page cache is dropped, too.
   */
  long outOfMemory() {
    long sum = 0;
    for (Path file : files("memory.events.local")) {
      sum += KernelFile.field(KernelFile.lines(file), "oom").orElse(0);
    }
    return sum;
  }

  /** Files of this name in the groups, from the innermost outwards, that exist. */
  List<Path> files(String name) {
    return groups().stream()
        .map(group -> group.directory().resolve(name))
        .filter(Files::isReadable)
        .toList();
  }

  private List<Group> groups() {
    List<Group> groups = new ArrayList<>();
    for (String line : KernelFile.lines(ownGroups)) {
      String[] parts = line.split(":", 3);
      if (parts.length < 3 || !parts[2].startsWith("/")) {
        continue;
      }
      boolean isUnified = parts[1].isEmpty();
      if (!isUnified && !List.of(parts[1].split(",", -1)).contains("memory")) {
        continue;
      }
      Path base = isUnified ? root : root.resolve("memory");
      Path group = within(base, parts[2].substring(1));
      while (group != null && group.startsWith(base) && groups.size() < MAX_GROUPS) {
        groups.add(new Group(group, isUnified));
        group = group.getParent();
      }
    }
    return groups;
  }

  private static @Nullable Path within(Path base, String name) {
    try {
      return base.resolve(name).normalize();
    } catch (InvalidPathException noName) {
      return null;
    }
  }

  private record Group(Path directory, boolean isUnified) {
    @Nullable Limited limited(boolean isThrottled) {
      long limit = limit(isUnified ? "memory.max" : "memory.limit_in_bytes");
      if (isThrottled && isUnified) {
        limit = Math.min(limit, limit("memory.high"));
      }
      OptionalLong used =
          KernelFile.number(
              directory.resolve(isUnified ? "memory.current" : "memory.usage_in_bytes"));
      return limit == Long.MAX_VALUE || used.isEmpty()
          ? null
          : new Limited(directory, limit, Math.max(0, used.getAsLong() - droppableBytes()));
    }

    /** A limit in bytes; the largest number where there is none, or it cannot be read. */
    private long limit(String file) {
      long bytes = KernelFile.number(directory.resolve(file)).orElse(Long.MAX_VALUE);
      return bytes >= Long.MAX_VALUE / 2 ? Long.MAX_VALUE : bytes;
    }

    /**
     * Pages of files, which the kernel gives up before it ends anybody; tmpfs is not among them.
     */
    private long droppableBytes() {
      String prefix = isUnified ? "" : "total_";
      List<String> stat = KernelFile.lines(directory.resolve("memory.stat"));
      long inactive = KernelFile.field(stat, prefix + "inactive_file").orElse(0);
      long active = KernelFile.field(stat, prefix + "active_file").orElse(0);
      return Math.min(inactive, Long.MAX_VALUE / 2) + Math.min(active, Long.MAX_VALUE / 2);
    }
  }
}
