package io.forebay.storage.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads the control groups of this process, version 1 and 2, from the innermost outwards. */
final class ControlGroups {
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
    List<Limited> found = new ArrayList<>();
    for (Group group : groups()) {
      Limited limited = group.limited();
      if (limited != null) {
        found.add(limited);
      }
    }
    return found;
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
    try {
      for (String line : Files.readAllLines(ownGroups)) {
        String[] parts = line.split(":", 3);
        if (parts.length < 3) {
          continue;
        }
        boolean isUnified = parts[1].isEmpty();
        if (!isUnified && !List.of(parts[1].split(",", -1)).contains("memory")) {
          continue;
        }
        Path base = isUnified ? root : root.resolve("memory");
        Path group = base.resolve(parts[2].substring(1)).normalize();
        while (group != null && group.startsWith(base)) {
          groups.add(new Group(group, isUnified));
          group = group.getParent();
        }
      }
    } catch (IOException e) {
      // No control groups to read: nothing but the machine limits us.
      return List.of();
    }
    return groups;
  }

  private record Group(Path directory, boolean isUnified) {
    @org.jspecify.annotations.Nullable
    Limited limited() {
      try {
        String limit = read(isUnified ? "memory.max" : "memory.limit_in_bytes");
        if (limit.equals("max")) {
          return null;
        }
        long limitBytes = Long.parseLong(limit);
        if (limitBytes >= Long.MAX_VALUE / 2) {
          return null;
        }
        long used = Long.parseLong(read(isUnified ? "memory.current" : "memory.usage_in_bytes"));
        return new Limited(directory, limitBytes, Math.max(0, used - droppableBytes()));
      } catch (IOException | NumberFormatException e) {
        return null;
      }
    }

    /**
     * Pages of files, which the kernel gives up before it ends anybody; tmpfs is not among them.
     */
    private long droppableBytes() {
      String prefix = isUnified ? "" : "total_";
      long sum = 0;
      try {
        for (String line : Files.readAllLines(directory.resolve("memory.stat"))) {
          if (line.startsWith(prefix + "inactive_file ")
              || line.startsWith(prefix + "active_file ")) {
            sum += Long.parseLong(line.substring(line.indexOf(' ') + 1).trim());
          }
        }
      } catch (IOException | NumberFormatException e) {
        return 0;
      }
      return sum;
    }

    private String read(String file) throws IOException {
      return Files.readString(directory.resolve(file)).trim();
    }
  }
}
