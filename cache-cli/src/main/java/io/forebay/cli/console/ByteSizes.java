package io.forebay.cli.console;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Formats numbers of bytes for people. */
public final class ByteSizes {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

  private static final Pattern TEXT =
      Pattern.compile("([0-9]{1,7}) ?((?:[KMGT]i?)?)B?", Pattern.CASE_INSENSITIVE);

  private ByteSizes() {}

  public static String text(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0
        ? bytes + " B"
        : String.format(Locale.ROOT, value < 10 ? "%.1f %s" : "%.0f %s", value, UNITS[unit]);
  }

  /** Bytes of a text such as 100MiB or 1GB. */
  public static long parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new CommandException(ExitCode.USAGE, "'" + text + "' is not a size such as 100MiB");
    }
    String unit = matcher.group(2).toUpperCase(Locale.ROOT);
    long base = unit.contains("I") ? 1024 : 1000;
    int power = unit.isEmpty() ? 0 : "KMGT".indexOf(unit.charAt(0)) + 1;
    long factor = 1;
    for (int n = 0; n < power; n++) {
      factor *= base;
    }
    return Long.parseLong(matcher.group(1)) * factor;
  }
}
