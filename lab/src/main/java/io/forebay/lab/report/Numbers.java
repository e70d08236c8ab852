package io.forebay.lab.report;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers as tables show them: three significant digits or more, thousands grouped. */
final class Numbers {

  static final String NOT_KNOWN = "n/a";

  private Numbers() {}

  static String text(double value) {
    if (!Double.isFinite(value)) {
      return NOT_KNOWN;
    }
    double size = Math.abs(value);
    if (size > 0 && size < 0.01) {
      return String.format(Locale.ROOT, "%.2g", value);
    }
    boolean isWhole = value == Math.rint(value);
    int decimals = isWhole || size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 3;
    String text = String.format(Locale.ROOT, "%,." + decimals + "f", value);
    return decimals == 3 && text.endsWith("0") ? text.substring(0, text.length() - 1) : text;
  }

  static String text(@Nullable Double value) {
    return value == null ? NOT_KNOWN : text(value.doubleValue());
  }

  static String text(@Nullable String value) {
    return value == null ? NOT_KNOWN : value;
  }

  /** The median, and least and most where there were several repetitions. */
  static String text(@Nullable Spread spread) {
    if (spread == null) {
      return NOT_KNOWN;
    }
    String median = text(spread.median());
    String least = text(spread.least());
    String most = text(spread.most());
    return spread.count() == 1 || least.equals(most)
        ? median
        : median + " (" + least + "–" + most + ")";
  }

  static String range(double low, double high) {
    return low == high ? text(low) : text(low) + "–" + text(high);
  }

  static String percent(@Nullable Spread share) {
    return text(share == null ? null : share.times(100));
  }

  /** {@code 4 KB} and {@code 50 MB}, in thousands as the tests count. */
  static String bytes(long bytes) {
    if (bytes >= 1_000_000 && bytes % 1_000_000 == 0) {
      return text((double) bytes / 1_000_000) + " MB";
    }
    return bytes >= 1_000 ? text((double) bytes / 1_000) + " KB" : bytes + " B";
  }
}
