package io.forebay.server.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The mounted file systems, from {@code /proc/mounts}. */
public final class MountTable {

  /** File systems that keep files in memory and nowhere else. */
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "hugetlbfs", "devtmpfs");

  private final List<Mount> mounts;

  /**
   * A mounted file system.
   *
   * @param point where it is mounted
   * @param options of the mount and of the file system
   */
  public record Mount(Path point, String type, List<String> options) {
    public Mount {
      options = List.copyOf(options);
    }

    /** Whether files there are in memory and nowhere else. */
    public boolean isInMemory() {
      return IN_MEMORY.contains(type)
          || options.stream().anyMatch(o -> o.equals("dax") || o.equals("dax=always"));
    }
  }

  private MountTable(List<Mount> mounts) {
    this.mounts = mounts;
  }

  /** The table of this machine; empty where there is none to be read. */
  static MountTable system() {
    return read(Path.of("/proc/mounts"));
  }

  /**
   * Reads lines such as
   *
   * <pre>
   * tmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0
   * </pre>
   */
  public static MountTable read(Path table) {
    List<Mount> mounts = new ArrayList<>();
    try {
      for (String line : Files.readAllLines(table, StandardCharsets.ISO_8859_1)) {
        String[] words = line.split(" ", -1);
        if (words.length >= 4) {
          mounts.add(
              new Mount(Path.of(unescaped(words[1])), words[2], List.of(words[3].split(",", -1))));
        }
      }
    } catch (IOException e) {
      return new MountTable(List.of());
    }
    return new MountTable(List.copyOf(mounts));
  }

  /** The kernel writes a blank as {@code \040}, and likewise tab, line feed and backslash. */
  private static String unescaped(String word) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      if (c == '\\' && i + 4 <= word.length() && word.substring(i + 1, i + 4).matches("[0-7]{3}")) {
        text.append((char) Integer.parseInt(word.substring(i + 1, i + 4), 8));
        i += 3;
      } else {
        text.append(c);
      }
    }
    // The rest of the line was read a byte a character.
    return new String(
        text.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  /**
   * The type of the file system that a directory is on, or will be on once it is made, if files
   * there are not in memory; null where they are, or where nothing is known.
   */
  @Nullable String diskUnder(Path directory) {
    Mount best = under(directory);
    return best == null || best.isInMemory() ? null : best.type;
  }

  /** Whether a directory is, or will be, on the file system that is mounted at the root. */
  boolean isOnRoot(Path directory) {
    Mount best = under(directory);
    return best != null && best.point.getNameCount() == 0;
  }

  /**
   * What a directory is on, or will be on once it is made; null where nothing is known. Links are
   * followed.
   */
  public @Nullable Mount under(Path directory) {
    Path real = real(directory);
    Mount best = null;
    for (Mount mount : mounts) {
      // Of two at one place the later one lies on top.
      if (real.startsWith(mount.point)
          && (best == null || mount.point.getNameCount() >= best.point.getNameCount())) {
        best = mount;
      }
    }
    return best;
  }

  /** Without links, as far as it exists. */
  private static Path real(Path directory) {
    Path absolute = directory.toAbsolutePath().normalize();
    Path known = absolute;
    while (known.getParent() != null && !Files.exists(known)) {
      known = known.getParent();
    }
    try {
      return known.toRealPath().resolve(known.relativize(absolute));
    } catch (IOException e) {
      return absolute;
    }
  }
}
