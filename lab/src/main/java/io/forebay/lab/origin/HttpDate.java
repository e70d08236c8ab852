package io.forebay.lab.origin;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The value of Date, made once a second. */
final class HttpDate {
  private static final DateTimeFormatter FORMAT =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);

  private record Made(long second, String text) {}

  private volatile Made last = new Made(-1, "");

  String of(Instant now) {
    Made made = last;
    if (made.second != now.getEpochSecond()) {
      made = new Made(now.getEpochSecond(), FORMAT.format(now));
      last = made;
    }
    return made.text;
  }
}
