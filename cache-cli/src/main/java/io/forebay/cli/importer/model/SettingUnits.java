package io.forebay.cli.importer.model;

/** Times and sizes as the configuration of a node writes them. */
public final class SettingUnits {
  private SettingUnits() {}

  /** A duration such as {@code 10s} or {@code 1d}. */
  public static String duration(long millis) {
    if (millis % 1000 != 0) {
      return millis + "ms";
    }
    long seconds = millis / 1000;
    if (seconds == 0) {
      return "0s";
    }
    return seconds % 86_400 == 0
        ? seconds / 86_400 + "d"
        : seconds % 3600 == 0
            ? seconds / 3600 + "h"
            : seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }

  /** A size such as {@code 10MiB}. */
  public static String size(long bytes) {
    return bytes % (1L << 30) == 0 && bytes > 0
        ? (bytes >> 30) + "GiB"
        : bytes % (1 << 20) == 0 && bytes > 0
            ? (bytes >> 20) + "MiB"
            : bytes % 1024 == 0 && bytes > 0 ? (bytes >> 10) + "KiB" : String.valueOf(bytes);
  }
}
