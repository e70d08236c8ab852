package io.forebay.server.tls.acme;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Logs the first failure of a series at once and then one a day, with how many there were. Confined
 * to its owner; has as many entries as there are names.
 */
final class DailyLog {
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();

  private final Consumer<String> out;
  private final Map<String, Series> series = new HashMap<>();

  private static final class Series {
    long saidAtMillis;
    int unsaid;
  }

  DailyLog(Consumer<String> out) {
    this.out = out;
  }

  void failed(String subject, String text, long nowMillis) {
    Series known = series.get(subject);
    if (known != null && nowMillis - known.saidAtMillis < DAY_MILLIS) {
      known.unsaid++;
      return;
    }
    Series said = known == null ? new Series() : known;
    out.accept(
        subject
            + ": "
            + text
            + (said.unsaid == 0 ? "" : " (" + said.unsaid + " more failures since the last line)"));
    said.saidAtMillis = nowMillis;
    said.unsaid = 0;
    series.put(subject, said);
  }

  /** The series is over. */
  void succeeded(String subject) {
    series.remove(subject);
  }
}
