package io.forebay.storage.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * How much memory may still be taken before the kernel ends the process: over a control group's
 * limit a write to tmpfs is not refused, the process is killed.
 */
public final class Headroom {
  private static final Path GROUPS = Path.of("/sys/fs/cgroup");

  private final Path ownGroups;
  private final Path root;

  public Headroom() {
    this(Path.of("/proc/self/cgroup"), GROUPS);
  }

  Headroom(Path ownGroups, Path root) {
    this.ownGroups = ownGroups;
    this.root = root;
  }

  /** The smallest room that any enclosing control group leaves; empty if none limits memory. */
  public OptionalLong bytes() {
    OptionalLong least = OptionalLong.empty();
    try {
      for (String line : Files.readAllLines(ownGroups)) {
        String[] parts = line.split(":", 3);
        if (parts.length < 3) {
          continue;
        }
        boolean unified = parts[1].isEmpty();
        if (!unified && !List.of(parts[1].split(",", -1)).contains("memory")) {
          continue;
        }
        Path base = unified ? root : root.resolve("memory");
        Path group = base.resolve(parts[2].substring(1)).normalize();
        while (group != null && group.startsWith(base)) {
          OptionalLong room =
              unified
                  ? room(group, "memory.max", "memory.current")
                  : room(group, "memory.limit_in_bytes", "memory.usage_in_bytes");
          if (room.isPresent() && (least.isEmpty() || room.getAsLong() < least.getAsLong())) {
            least = room;
          }
          group = group.getParent();
        }
      }
    } catch (IOException e) {
      // No control groups to read: nothing but the file system limits us.
      return least;
    }
    return least;
  }

  /** Refuses what would not fit in a directory's file system, or in a control group. */
  public void require(Path directory, long lengthBytes, String what) throws IOException {
    long free = Files.getFileStore(directory).getUsableSpace();
    OptionalLong group = bytes();
    if (free < lengthBytes || (group.isPresent() && group.getAsLong() < lengthBytes)) {
      throw new NoRoomException(
          String.format(
              Locale.ROOT,
              "%s needs %d MiB and %s has %d MiB free: make room or give it fewer",
              what,
              lengthBytes >> 20,
              free < lengthBytes ? directory : "the control group",
              (free < lengthBytes ? free : group.getAsLong()) >> 20));
    }
  }

  private static OptionalLong room(Path group, String limitFile, String usageFile) {
    try {
      String limit = Files.readString(group.resolve(limitFile)).trim();
      if (limit.equals("max")) {
        return OptionalLong.empty();
      }
      long limitBytes = Long.parseLong(limit);
      if (limitBytes >= Long.MAX_VALUE / 2) {
        return OptionalLong.empty();
      }
      return OptionalLong.of(
          limitBytes - Long.parseLong(Files.readString(group.resolve(usageFile)).trim()));
    } catch (IOException | NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
