package io.forebay.lab.target;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How many files a program may open: servers without limits of their own are told. */
final class OpenFiles {
  private static final Pattern LIMIT =
      Pattern.compile("Max open files\\s+\\S+\\s+(unlimited|[0-9]{1,18})\\s.*");

  /** Enough for any load of the lab; a server makes tables of the size that it is told. */
  private static final int MAX = 65_536;

  private OpenFiles() {}

  /** The hard limit of this process, which those that it starts have, too. */
  static int limit() throws IOException {
    return limit(Files.readAllLines(Path.of("/proc/self/limits")));
  }

  static int limit(List<String> lines) {
    for (String line : lines) {
      Matcher matcher = LIMIT.matcher(line);
      if (matcher.matches() && !matcher.group(1).equals("unlimited")) {
        return (int) Math.min(MAX, Long.parseLong(matcher.group(1)));
      }
    }
    return MAX;
  }
}
