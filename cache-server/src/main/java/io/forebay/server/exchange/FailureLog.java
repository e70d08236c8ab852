package io.forebay.server.exchange;

import io.forebay.core.http.RequestView;
import io.forebay.server.origin.call.OriginFailure;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.LoggerFactory;

/**
 * Logs why an origin gave no usable response, which clients are not told. Each line starts with the
 * request id of the client's error page. Clients can cause failures as fast as they send requests,
 * so the lines per second are limited; the access log has every request. One per event loop.
 */
public final class FailureLog {
  static final int LINES_PER_SECOND = 10;

  private static final int MAX_TEXT = 512;

  private final LongSupplier clockMillis;
  private final Consumer<String> out;
  private long second = Long.MIN_VALUE;
  private int lines;
  private long omitted;

  /**
   * A loop's log.
   *
   * @param clockMillis wall clock
   */
  public FailureLog(LongSupplier clockMillis) {
    this(clockMillis, LoggerFactory.getLogger(FailureLog.class)::warn);
  }

  FailureLog(LongSupplier clockMillis, Consumer<String> out) {
    this.clockMillis = clockMillis;
    this.out = out;
  }

  /** The origin failed, and the client is answered with that status. */
  void refused(String requestId, RequestView request, int status, OriginFailure failure) {
    if (mayLog()) {
      out.accept(
          "request %s: %d %s: %s: %s"
              .formatted(
                  requestId, status, target(request), failure.kind(), printable(failure.detail())));
    }
  }

  /** A response was aborted after its head, and neither client nor operator caused it. */
  void aborted(String requestId, RequestView request, String why) {
    if (mayLog()) {
      out.accept(
          "request %s: response aborted after its head: %s: %s"
              .formatted(requestId, target(request), why));
    }
  }

  private boolean mayLog() {
    long now = Math.floorDiv(clockMillis.getAsLong(), 1000L);
    if (now != second) {
      if (omitted > 0) {
        out.accept(omitted + " further failed requests were not logged here");
      }
      second = now;
      lines = 0;
      omitted = 0;
    }
    if (lines < LINES_PER_SECOND) {
      lines++;
      return true;
    }
    omitted++;
    return false;
  }

  private static String target(RequestView request) {
    return printable(request.method())
        + ' '
        + printable(request.authority())
        + printable(request.path());
  }

  /** Clients, origins and libraries write these texts: one line, of printable ASCII, bounded. */
  private static String printable(CharSequence text) {
    int length = Math.min(text.length(), MAX_TEXT);
    StringBuilder line = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      line.append(c >= 0x20 && c < 0x7F ? c : '?');
    }
    return line.toString();
  }
}
