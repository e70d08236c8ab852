package io.forebay.lab.run;

import io.forebay.lab.scenario.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the machine has.
 *
 * @param cores that processes may run on
 * @param memoryBytes that are available without swapping
 * @param diskBytes that are free below the lab's directory
 */
record Machine(int cores, long memoryBytes, long diskBytes) {
  private static final Pattern AVAILABLE = Pattern.compile("(?m)^MemAvailable:\\s+(\\d+) kB$");

  /** Of memory that is left to clients, origin and system. */
  private static final long SPARE_BYTES = 1L << 30;

  /** This one. */
  static Machine here(Path directory) throws IOException {
    Matcher available = AVAILABLE.matcher(Files.readString(Path.of("/proc/meminfo")));
    return new Machine(
        Runtime.getRuntime().availableProcessors(),
        available.find() ? Long.parseLong(available.group(1)) * 1024 : Long.MAX_VALUE,
        Files.getFileStore(directory).getUsableSpace());
  }

  /** Why a set-up does not fit, in a sentence; null where it does. */
  @Nullable String lacks(Setup setup) {
    long memory = setup.server().memoryBytes();
    if (memory + SPARE_BYTES > memoryBytes) {
      return String.format(
          Locale.ROOT,
          "needs %.1f GB of memory and 1 GB beside it, %.1f GB are available; take --profile here"
              + " or smoke",
          memory / 1e9,
          memoryBytes / 1e9);
    }
    if (setup.server().diskBytes() > diskBytes) {
      return String.format(
          Locale.ROOT,
          "needs %.1f GB of disk, %.1f GB are free; name another directory with --work",
          setup.server().diskBytes() / 1e9,
          diskBytes / 1e9);
    }
    return null;
  }

  /** The cores of a server as for {@code taskset -c}; null for all. */
  @Nullable String cpus(Setup.Server server) {
    String cpus = server.cpus();
    if (!"loops".equals(cpus)) {
      return cpus;
    }
    int count = server.loops() * server.instances();
    if (count == 0 || count >= cores) {
      return null;
    }
    return count == 1 ? "0" : "0-" + (count - 1);
  }
}
