package io.forebay.server.drive;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the drive that a file system lies on, by what the kernel tells in {@code /sys}. */
final class BlockDevices {
  /** Partitions, logical volumes and encryption may lie upon each other. */
  private static final int MAX_LAYERS = 8;

  private final Path blocks;

  /**
   * @param sys where sysfs is mounted
   */
  BlockDevices(Path sys) {
    this.blocks = sys.resolve("dev/block");
  }

  /** The name of the drive below a directory, such as {@code sda}; null if it is not one drive. */
  @Nullable String driveOf(Path directory) throws IOException {
    Object device = Files.getAttribute(directory, "unix:dev");
    return device instanceof Long number ? driveOf(number) : null;
  }

  /** The same of a device number. */
  @Nullable String driveOf(long device) throws IOException {
    // As glibc's makedev puts them together.
    long major = (device >>> 8 & 0xFFF) | (device >>> 32 & ~0xFFFL);
    long minor = (device & 0xFF) | (device >>> 12 & ~0xFFL);
    Path link = blocks.resolve(major + ":" + minor);
    if (!Files.exists(link)) {
      return null;
    }
    Path block = link.toRealPath();
    for (int layer = 0; layer < MAX_LAYERS; layer++) {
      if (Files.exists(block.resolve("partition"))) {
        block = parent(block);
        continue;
      }
      List<Path> below = entries(block.resolve("slaves"));
      if (below.isEmpty()) {
        Path name = block.getFileName();
        return name == null || name.toString().startsWith("loop") ? null : name.toString();
      }
      if (below.size() > 1) {
        return null;
      }
      block = below.getFirst().toRealPath();
    }
    return null;
  }

  private static Path parent(Path block) throws IOException {
    Path parent = block.getParent();
    if (parent == null) {
      throw new IOException(block + " has no parent");
    }
    return parent;
  }

  private static List<Path> entries(Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
        entries.forEach(found::add);
      }
    }
    return found;
  }
}
