package io.forebay.server.accesslog;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Times as lines have them; those of one second share their text. Confined to one thread. */
final class TimeText {
  private static final DateTimeFormatter CLF =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);

  private long second = Long.MIN_VALUE;
  private byte[] text = {};
  private long clfSecond = Long.MIN_VALUE;
  private byte[] clf = {};

  /** RFC 3339 in UTC, without the fraction of the second and the zone. */
  byte[] rfc3339(long epochMillis) {
    long now = Math.floorDiv(epochMillis, 1000L);
    if (now != second) {
      String whole = Instant.ofEpochSecond(now).toString();
      text = whole.substring(0, whole.length() - 1).getBytes(StandardCharsets.US_ASCII);
      second = now;
    }
    return text;
  }

  /** As in the common log format, in UTC. */
  byte[] clf(long epochMillis) {
    long now = Math.floorDiv(epochMillis, 1000L);
    if (now != clfSecond) {
      clf = CLF.format(Instant.ofEpochSecond(now)).getBytes(StandardCharsets.US_ASCII);
      clfSecond = now;
    }
    return clf;
  }
}
