package io.forebay.lab.host;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files in which the kernel describes the machine and its processes: {@code /proc} and {@code
 * /sys}, or copies of them below another root. Reading is bounded. A file that is missing, cannot
 * be read or is too long says nothing.
 *
 * @param root below which {@code proc} and {@code sys} are mounted
 */
record KernelTree(Path root) {
  /** {@code /proc/cpuinfo} of a machine with a thousand CPUs has two million. */
  private static final int MAX_BYTES = 8 << 20;

  /** More than any kernel is built for. */
  private static final int MAX_NUMBER = 65_535;

  static final KernelTree SYSTEM = new KernelTree(Path.of("/"));

  /** Of a name below the root, such as {@code proc/stat}. */
  Path at(String name) {
    return root.resolve(name);
  }

  Path process(long pid) {
    return root.resolve("proc").resolve(Long.toString(pid));
  }

  /** The content of a file; null where it says nothing. */
  static @Nullable String text(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      return bytes.length > MAX_BYTES ? null : new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return null;
    }
  }

  /** The content without the blanks around it; null where the file says nothing or is empty. */
  static @Nullable String line(Path file) {
    String text = text(file);
    return text == null || text.isBlank() ? null : text.strip();
  }

  /** The lines of a file; none where it says nothing. */
  List<String> lines(String name) {
    return lines(at(name));
  }

  static List<String> lines(Path file) {
    String text = text(file);
    return text == null ? List.of() : text.lines().toList();
  }

  /** The number that is all there is in a file. */
  static OptionalLong number(Path file) {
    String text = line(file);
    return text == null ? OptionalLong.empty() : number(text);
  }

  static OptionalLong number(String text) {
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException none) {
      return OptionalLong.empty();
    }
  }

  /** The number behind a name at the beginning of a line: {@code VmRSS: 1780 kB}. */
  static OptionalLong field(List<String> lines, String name) {
    for (String line : lines) {
      String[] words = line.strip().split("\\s+", 3);
      if (words.length >= 2 && words[0].equals(name)) {
        return number(words[1]);
      }
    }
    return OptionalLong.empty();
  }

  /** The same of a number of KiB, in bytes. */
  static OptionalLong kibibytes(List<String> lines, String name) {
    OptionalLong kibibytes = field(lines, name);
    return kibibytes.isEmpty() ? kibibytes : OptionalLong.of(kibibytes.getAsLong() << 10);
  }

  /** The text behind a name and a colon at the beginning of a line; null where there is none. */
  static @Nullable String text(List<String> lines, String name) {
    for (String line : lines) {
      int colon = line.indexOf(':');
      if (colon > 0 && line.substring(0, colon).strip().equals(name)) {
        String text = line.substring(colon + 1).strip();
        return text.isEmpty() ? null : text;
      }
    }
    return null;
  }

  /** Names in a directory, sorted; none where it cannot be read. */
  static List<String> names(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (IOException | java.io.UncheckedIOException e) {
      return List.of();
    }
  }

  /** The last name of what a link leads to, such as that of a driver; null where it is none. */
  static @Nullable String linked(Path link) {
    try {
      return Files.readSymbolicLink(link).getFileName().toString();
    } catch (IOException | UnsupportedOperationException e) {
      return null;
    }
  }

  /** Whether there is such a file, or a link that leads nowhere. */
  static boolean exists(Path file) {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }

  /** A list as the kernel writes it, {@code 0-3,8}; empty where it is none. */
  static BitSet cpus(@Nullable String list) {
    BitSet set = new BitSet();
    if (list == null || list.isBlank()) {
      return set;
    }
    for (String part : list.strip().split(",", -1)) {
      int dash = part.indexOf('-');
      OptionalLong from = number(dash < 0 ? part : part.substring(0, dash));
      OptionalLong to = dash < 0 ? from : number(part.substring(dash + 1));
      if (from.isEmpty()
          || to.isEmpty()
          || from.getAsLong() < 0
          || to.getAsLong() < from.getAsLong()
          || to.getAsLong() > MAX_NUMBER) {
        return new BitSet();
      }
      set.set((int) from.getAsLong(), (int) to.getAsLong() + 1);
    }
    return set;
  }

  /** The NUMA nodes that are online, by number; none where the kernel does not tell. */
  List<Integer> nodes() {
    List<Integer> nodes = new ArrayList<>();
    cpus(line(at("sys/devices/system/node/online"))).stream().forEach(nodes::add);
    return nodes;
  }

  /** The NUMA node of a device, by itself or by what it hangs on; null where it is not known. */
  @Nullable Integer nodeOf(Path device) {
    try {
      Path top = at("sys").toRealPath();
      for (Path at = device.toRealPath();
          at != null && at.startsWith(top) && !at.equals(top);
          at = at.getParent()) {
        OptionalLong node = number(at.resolve("numa_node"));
        if (node.isPresent() && node.getAsLong() >= 0 && node.getAsLong() <= MAX_NUMBER) {
          return (int) node.getAsLong();
        }
      }
    } catch (IOException e) {
      return null;
    }
    return null;
  }
}
