package io.forebay.server.tls.acme;

import java.net.http.HttpResponse;
import java.time.DateTimeException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.function.LongSupplier;

/** Status and Retry-After of the last answer of an authority. Confined to its thread. */
final class LastAnswer {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;

  private final LongSupplier clockMillis;
  private int status;
  private String retryAfter = "";

  LastAnswer(LongSupplier clockMillis) {
    this.clockMillis = clockMillis;
  }

  void clear() {
    status = 0;
    retryAfter = "";
  }

  void set(HttpResponse<?> answer) {
    status = answer.statusCode();
    retryAfter = answer.headers().firstValue("Retry-After").orElse("").strip();
  }

  boolean isRateLimited() {
    return status == TOO_MANY_REQUESTS;
  }

  boolean isServerError() {
    return status >= SERVER_ERROR;
  }

  /** What the authority asked to wait, or 0 (RFC 9110 §10.2.3). */
  long retryAfterMillis() {
    if (retryAfter.matches("\\d{1,7}")) {
      return Long.parseLong(retryAfter) * 1000;
    }
    try {
      return retryAfter.isEmpty()
          ? 0
          : ZonedDateTime.parse(retryAfter, DateTimeFormatter.RFC_1123_DATE_TIME)
                  .toInstant()
                  .toEpochMilli()
              - clockMillis.getAsLong();
    } catch (DateTimeException e) {
      return 0;
    }
  }
}
