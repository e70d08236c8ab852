package io.forebay.server.media;

import io.forebay.server.media.DashManifest.RefusedException;
import io.forebay.server.text.Printable;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Values of attributes of a manifest. An absent attribute is null. */
final class MpdValues {
  /** Days to seconds of xs:duration; years and months have no fixed length and must be 0. */
  private static final Pattern DURATION =
      Pattern.compile(
          "P(?:0{1,4}Y)?(?:0{1,4}M)?(?:(\\d{1,6})D)?"
              + "(?:T(?:(\\d{1,9})H)?(?:(\\d{1,9})M)?(?:(\\d{1,9})(?:\\.(\\d{1,18}))?S)?)?");

  private MpdValues() {}

  static long number(String name, @Nullable String text, long absent) throws RefusedException {
    if (text == null) {
      return absent;
    }
    String digits = text.strip();
    if (digits.isEmpty() || digits.length() > 18) {
      throw wrong(name, text);
    }
    long value = 0;
    for (int i = 0; i < digits.length(); i++) {
      int digit = digits.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        throw wrong(name, text);
      }
      value = value * 10 + digit;
    }
    return value;
  }

  static @Nullable Duration duration(String name, @Nullable String text) throws RefusedException {
    if (text == null) {
      return null;
    }
    Matcher parts = DURATION.matcher(text.strip());
    if (!parts.matches()) {
      throw wrong(name, text);
    }
    return Duration.ofDays(part(parts, 1))
        .plusHours(part(parts, 2))
        .plusMinutes(part(parts, 3))
        .plusSeconds(part(parts, 4))
        .plusNanos(nanos(parts.group(5)));
  }

  private static long part(Matcher parts, int group) {
    String text = parts.group(group);
    return text == null ? 0 : Long.parseLong(text);
  }

  private static long nanos(@Nullable String fraction) {
    return fraction == null ? 0 : Long.parseLong((fraction + "000000000").substring(0, 9));
  }

  /** A point in time; without a zone it is UTC. */
  static @Nullable Instant instant(String name, @Nullable String text) throws RefusedException {
    if (text == null) {
      return null;
    }
    try {
      return OffsetDateTime.parse(text.strip()).toInstant();
    } catch (DateTimeException withoutZone) {
      try {
        return LocalDateTime.parse(text.strip()).toInstant(ZoneOffset.UTC);
      } catch (DateTimeException e) {
        throw wrong(name, text);
      }
    }
  }

  private static RefusedException wrong(String name, String text) {
    String shown = text.length() > 100 ? text.substring(0, 100) : text;
    return new RefusedException(
        "the manifest's " + name + " cannot be read: " + Printable.json(shown));
  }
}
