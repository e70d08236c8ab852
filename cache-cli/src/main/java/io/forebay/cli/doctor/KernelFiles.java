package io.forebay.cli.doctor;

import io.forebay.server.config.MountTable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files in which the kernel describes the machine and this process. Reading is bounded; what
 * cannot be read says nothing.
 *
 * @param root below which {@code proc} and {@code sys} are mounted
 */
record KernelFiles(Path root) {
  /** The longest, the table of sockets, has 150 bytes for each. */
  private static final int MAX_BYTES = 32 << 20;

  /** Numbers of capabilities (capabilities(7)). */
  static final int CAP_NET_BIND_SERVICE = 10;

  static final int CAP_IPC_LOCK = 14;

  Path at(String name) {
    return root.resolve(name);
  }

  /** Without the blanks around it; null where there is nothing. */
  @Nullable String text(String name) {
    try (InputStream in = Files.newInputStream(at(name))) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      String text = new String(bytes, StandardCharsets.ISO_8859_1).strip();
      return bytes.length > MAX_BYTES || text.isEmpty() ? null : text;
    } catch (IOException e) {
      return null;
    }
  }

  List<String> lines(String name) {
    String text = text(name);
    return text == null ? List.of() : text.lines().toList();
  }

  OptionalLong number(String name) {
    String text = text(name);
    return text == null ? OptionalLong.empty() : parsed(text);
  }

  /** One of several numbers in a file, from 0. */
  OptionalLong number(String name, int position) {
    String text = text(name);
    String[] words = text == null ? new String[0] : text.split("\\s+", -1);
    return position < words.length ? parsed(words[position]) : OptionalLong.empty();
  }

  /** A setting of the kernel by its name for sysctl(8), such as {@code net.core.somaxconn}. */
  OptionalLong sysctl(String name) {
    return number(file(name));
  }

  /** One of several numbers of such a setting, from 0. */
  OptionalLong sysctl(String name, int position) {
    return number(file(name), position);
  }

  private static String file(String sysctl) {
    return "proc/sys/" + sysctl.replace('.', '/');
  }

  private static OptionalLong parsed(String text) {
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  /** Kibibytes that {@code /proc/meminfo} states, in bytes. */
  OptionalLong memory(String field) {
    for (String line : lines("proc/meminfo")) {
      String[] words = line.split("\\s+", -1);
      if (words.length >= 2 && words[0].equals(field + ":")) {
        OptionalLong kibibytes = parsed(words[1]);
        return kibibytes.isEmpty() ? kibibytes : OptionalLong.of(kibibytes.getAsLong() << 10);
      }
    }
    return OptionalLong.empty();
  }

  /**
   * A limit of this process, as setrlimit(2) would set it: {@code Max open files}. The largest
   * number for no limit.
   */
  OptionalLong limit(String name) {
    for (String line : lines("proc/self/limits")) {
      if (line.startsWith(name + " ")) {
        String soft = line.substring(name.length()).strip().split("\\s+", 2)[0];
        return soft.equals("unlimited") ? OptionalLong.of(Long.MAX_VALUE) : parsed(soft);
      }
    }
    return OptionalLong.empty();
  }

  /** Whether this process has a capability now. */
  boolean hasCapability(int number) {
    for (String line : lines("proc/self/status")) {
      if (line.startsWith("CapEff:")) {
        try {
          long set = Long.parseUnsignedLong(line.substring(line.indexOf(':') + 1).strip(), 16);
          return (set >>> number & 1) == 1;
        } catch (NumberFormatException e) {
          return false;
        }
      }
    }
    return false;
  }

  /** Of {@code always [madvise] never} the one in brackets; null where there is none. */
  @Nullable String chosen(String name) {
    String text = text(name);
    int open = text == null ? -1 : text.indexOf('[');
    int close = text == null ? -1 : text.indexOf(']');
    return text == null || open < 0 || close < open ? null : text.substring(open + 1, close);
  }

  MountTable mounts() {
    return MountTable.read(at("proc/mounts"));
  }

  /** Names in a directory; none where it cannot be read. */
  List<String> names(String directory) {
    try (Stream<Path> files = Files.list(at(directory))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (IOException | java.io.UncheckedIOException e) {
      return List.of();
    }
  }
}
