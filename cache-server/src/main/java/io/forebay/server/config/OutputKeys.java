package io.forebay.server.config;

import static io.forebay.server.config.Field.atStart;
import static io.forebay.server.config.Field.optional;
import static io.forebay.server.config.ValueType.duration;
import static io.forebay.server.config.ValueType.integer;
import static io.forebay.server.config.ValueType.oneOf;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The keys for the files and for the messages of syslog of a log: every log has the same, with
 * defaults of its own.
 */
record OutputKeys<C>(
    Field<C, Long> size,
    Field<C, Duration> every,
    Field<C, Integer> keep,
    Field<C, Boolean> compress,
    Field<C, String> facility,
    Field<C, String> tag) {

  /**
   * What a log has where nothing is configured.
   *
   * @param size null for files that do not rotate by size
   * @param compress {@code on} or {@code off}
   */
  record Defaults(@Nullable String size, int keep, String compress, String facility, String tag) {}

  static <C> OutputKeys<C> of(
      Function<C, LogConfig.Rotation> rotation,
      Function<C, LogConfig.Syslog> syslog,
      Defaults defaults) {
    Function<C, @Nullable Long> size =
        log -> {
          long bytes = rotation.apply(log).size();
          return bytes == 0 ? null : bytes;
        };
    String sizeText =
        "Size at which a file is renamed to `NAME.YYYYMMDDTHHMMSSZ` and a new one begins.";
    return new OutputKeys<>(
        defaults.size() == null
            ? optional("rotate.size", ValueType.size("1MiB", "1TiB"), "none", true, size, sizeText)
            : atStart(
                "rotate.size", ValueType.size("1MiB", "1TiB"), defaults.size(), size, sizeText),
        optional(
            "rotate.every",
            duration("1m", "366d"),
            "never",
            true,
            log -> {
              Duration every = rotation.apply(log).every();
              return every.isZero() ? null : every;
            },
            "The same after this time, counted from 1970 in UTC: `1d` is at midnight. The first"
                + " line after it begins the new file."),
        atStart(
            "rotate.keep",
            integer(0, 10_000),
            String.valueOf(defaults.keep()),
            log -> rotation.apply(log).isOn() ? rotation.apply(log).keep() : null,
            "Number of old files that are kept."),
        atStart(
            "rotate.compress",
            ValueType.ON_OFF,
            defaults.compress(),
            log -> rotation.apply(log).isOn() ? rotation.apply(log).compress() : null,
            "Whether old files are compressed (gzip), by a thread of their own."),
        atStart(
            "syslog.facility",
            oneOf(LogConfig.FACILITIES),
            defaults.facility(),
            log -> syslog.apply(log).facilityName(),
            "Facility of messages of syslog."),
        atStart(
            "syslog.tag",
            ValueType.SYSLOG_TAG,
            defaults.tag(),
            log -> syslog.apply(log).tag(),
            "Name of the program (APP-NAME) in messages of syslog."));
  }

  /** In the order of the reference. */
  List<Field<C, ?>> all() {
    return List.of(size, every, keep, compress, facility, tag);
  }
}
