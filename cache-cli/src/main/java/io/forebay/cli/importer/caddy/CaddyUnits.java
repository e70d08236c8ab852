package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.model.SettingUnits;
import io.forebay.cli.importer.model.UntranslatableException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times and sizes of Caddyfiles as the configuration has them. */
final class CaddyUnits {
  private static final Pattern TIME =
      Pattern.compile("(\\d{1,9}(?:\\.\\d{1,6})?)(ns|us|µs|ms|s|m|h|d)");
  private static final Pattern SIZE =
      Pattern.compile("(\\d{1,12}(?:\\.\\d{1,6})?) ?(|b|[kmgt]i?b?)");

  private CaddyUnits() {}

  /** A duration such as {@code 1m30s}, within bounds. */
  static String duration(String text, long leastMillis, long mostMillis)
      throws UntranslatableException {
    Matcher part = TIME.matcher(text);
    double millis = 0;
    int at = 0;
    while (part.find() && part.start() == at) {
      millis += Double.parseDouble(part.group(1)) * unit(part.group(2));
      at = part.end();
    }
    boolean isZero = text.equals("0");
    if ((at == 0 && !isZero) || (at < text.length() && !isZero)) {
      throw new UntranslatableException("a time that is not understood");
    }
    long whole = Math.round(Math.min(millis, 1e15));
    if (whole < leastMillis || whole > mostMillis) {
      throw new UntranslatableException(
          "a time from "
              + SettingUnits.duration(leastMillis)
              + " to "
              + SettingUnits.duration(mostMillis));
    }
    return SettingUnits.duration(whole);
  }

  private static double unit(String name) {
    return switch (name) {
      case "ns" -> 1e-6;
      case "us", "µs" -> 1e-3;
      case "ms" -> 1;
      case "m" -> 60_000;
      case "h" -> 3_600_000;
      case "d" -> 86_400_000;
      default -> 1000;
    };
  }

  /** Bytes of a size such as {@code 10MB}, which is a power of ten. */
  static long bytes(String text) throws UntranslatableException {
    Matcher size = SIZE.matcher(text.toLowerCase(Locale.ROOT));
    if (!size.matches()) {
      throw new UntranslatableException("a size that is not understood");
    }
    String unit = size.group(2);
    int power = unit.isEmpty() ? 0 : "kmgt".indexOf(unit.charAt(0)) + 1;
    double base = unit.contains("i") ? 1024 : 1000;
    double bytes = Double.parseDouble(size.group(1)) * Math.pow(base, Math.max(0, power));
    if (bytes > 1L << 44) {
      throw new UntranslatableException("more than 16TiB");
    }
    return (long) bytes;
  }
}
