package io.forebay.lab.scenario;

import java.math.BigDecimal;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes, times and shares as texts. */
final class Units {
  private static final Pattern SIZE =
      Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?) ?(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)?");
  private static final Pattern TIME = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?) ?(ms|s|m|h)");
  private static final Pattern SHARE = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,9})?) ?%");
  private static final Map<String, Long> BYTES =
      Map.of(
          "B", 1L,
          "KB", 1_000L,
          "MB", 1_000_000L,
          "GB", 1_000_000_000L,
          "TB", 1_000_000_000_000L,
          "KiB", 1L << 10,
          "MiB", 1L << 20,
          "GiB", 1L << 30,
          "TiB", 1L << 40);
  private static final Map<String, Double> SECONDS =
      Map.of("ms", 0.001, "s", 1.0, "m", 60.0, "h", 3600.0);

  private Units() {}

  /** Of {@code 2MB}, {@code 1.5GiB}, {@code 17}; empty for another text. */
  static OptionalLong bytes(String text) {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      return OptionalLong.empty();
    }
    String unit = matcher.group(2);
    BigDecimal bytes =
        new BigDecimal(matcher.group(1))
            .multiply(BigDecimal.valueOf(unit == null ? 1 : BYTES.getOrDefault(unit, 1L)));
    return bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0
        ? OptionalLong.empty()
        : OptionalLong.of(bytes.longValue());
  }

  /** Of {@code 500ms}, {@code 30s}, {@code 5m}; empty for another text. */
  static OptionalDouble seconds(String text) {
    Matcher matcher = TIME.matcher(text);
    return matcher.matches()
        ? OptionalDouble.of(
            Double.parseDouble(matcher.group(1)) * SECONDS.getOrDefault(matcher.group(2), 1.0))
        : OptionalDouble.empty();
  }

  /** Of {@code 98.8%}, 0 to 1; empty for another text or more than 100 %. */
  static OptionalDouble share(String text) {
    Matcher matcher = SHARE.matcher(text);
    if (!matcher.matches()) {
      return OptionalDouble.empty();
    }
    double share = Double.parseDouble(matcher.group(1)) / 100;
    return share <= 1 ? OptionalDouble.of(share) : OptionalDouble.empty();
  }
}
