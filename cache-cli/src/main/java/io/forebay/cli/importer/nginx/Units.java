package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.SettingUnits;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Units and sizes of nginx in the words of the configuration. */
final class Units {
  private static final Pattern TIME = Pattern.compile("(\\d+)(ms|s|m|h|d|w|M|y)?");
  private static final Pattern SIZE = Pattern.compile("(\\d+)([kKmMgG])?");

  private Units() {}

  /** Milliseconds of a time such as {@code 1h 30m} or {@code 30}, or -1. */
  static long millis(String text) {
    Matcher matcher = TIME.matcher(text);
    long sum = 0;
    int at = 0;
    while (matcher.find() && matcher.start() == at) {
      if (matcher.group(1).length() > 12) {
        return -1;
      }
      sum += Long.parseLong(matcher.group(1)) * unitMillis(matcher.group(2));
      at = matcher.end();
      while (at < text.length() && text.charAt(at) == ' ') {
        at++;
      }
      if (at == text.length()) {
        return sum;
      }
      matcher.region(at, text.length());
    }
    return -1;
  }

  private static long unitMillis(@Nullable String unit) {
    return switch (unit) {
      case "ms" -> 1;
      case "m" -> 60_000;
      case "h" -> 3_600_000;
      case "d" -> 86_400_000;
      case "w" -> 7 * 86_400_000L;
      case "M" -> 30 * 86_400_000L;
      case "y" -> 365 * 86_400_000L;
      case null, default -> 1000;
    };
  }

  /** A duration of the configuration, or null where it is no time. */
  static @Nullable String duration(String text) {
    long millis = millis(text);
    if (millis < 0) {
      return null;
    }
    return SettingUnits.duration(millis);
  }

  /** Bytes of a size such as {@code 10m}, or -1. */
  static long bytes(String text) {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches() || matcher.group(1).length() > 9) {
      return -1;
    }
    int shift =
        switch (matcher.group(2)) {
          case "k", "K" -> 10;
          case "m", "M" -> 20;
          case "g", "G" -> 30;
          case null, default -> 0;
        };
    return Long.parseLong(matcher.group(1)) << shift;
  }

  /** A size of the configuration. */
  static String size(long bytes) {
    return SettingUnits.size(bytes);
  }
}
