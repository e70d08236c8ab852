package io.forebay.server.origin.sign;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Why an origin refuses signed requests, as far as its answers tell. A response with status 401 or
 * 403 whose {@code Date} is far from this node's clock points to the clocks: a signature is valid
 * for some minutes only. Shared by event loops; a response that is no refusal costs one read.
 */
final class RefusalNotes {

  /** Verifiers allow for 5 to 15 minutes. */
  static final Duration SKEW = Duration.ofMinutes(4);

  private final InstantSource clock;
  private volatile boolean wasAccepted;
  private volatile @Nullable String latest;

  RefusalNotes(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * Notes an answer.
   *
   * @return a sentence for the log: of clocks that differ, and of refusals before any signed
   *     request was accepted. Afterwards a 403 may well be the answer for an object that is not
   *     there
   */
  @Nullable String onAnswer(int status, HeaderFields fields) {
    if (status != 401 && status != 403) {
      if (!wasAccepted && status < 500) {
        wasAccepted = true;
      }
      return null;
    }
    Instant now = clock.instant();
    Duration ahead = aheadOfOrigin(fields, now);
    boolean isSkewed = ahead.abs().compareTo(SKEW) > 0;
    String text =
        "answered a signed request with status "
            + status
            + (isSkewed
                ? ": the clock of this node is "
                    + text(ahead.abs())
                    + (ahead.isNegative() ? " behind" : " ahead of")
                    + " the origin's, and signatures are valid for some minutes only"
                : ": check the key and its rights, and the region or key id");
    latest = "the origin " + text + " (at " + now.truncatedTo(ChronoUnit.SECONDS) + ")";
    return isSkewed || !wasAccepted ? text : null;
  }

  /** The latest refusal, or null. */
  @Nullable String latest() {
    return latest;
  }

  private static Duration aheadOfOrigin(HeaderFields fields, Instant now) {
    String date = fields.first("date");
    long millis = date == null ? HttpDate.INVALID : HttpDate.parse(date, now.toEpochMilli());
    return millis == HttpDate.INVALID
        ? Duration.ZERO
        : Duration.between(Instant.ofEpochMilli(millis), now);
  }

  private static String text(Duration duration) {
    return duration.toMinutes() < 120 ? duration.toMinutes() + " min" : duration.toHours() + " h";
  }
}
