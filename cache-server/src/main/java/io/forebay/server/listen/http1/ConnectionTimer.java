package io.forebay.server.listen.http1;

import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.http.RequestBodyRate;
import io.forebay.server.listen.connection.ListenerContext;
import io.forebay.server.listen.connection.StallDetector;
import io.forebay.server.loop.DeadlineWheel;
import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;

/**
 * The timeouts for each part of a request. One deadline is active at a time; it calls the
 * connection, which calls {@link #look} or {@link #isStalled}. Confined to the event loop.
 *
 * <pre>
 *   header section ─► request-header        body ─► request-body-idle, request-body-rate
 *   between requests ─► keep-alive          response ─► no-progress, request-total
 * </pre>
 */
final class ConnectionTimer {

  /** How long input of a client is read and dropped after the last response. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** How long an idle connection that is to end waits for a request that may be under way. */
  private static final long LAST_REQUEST_NANOS = 2_000_000_000L;

  /** What a look at an exchange found. */
  enum Verdict {
    FINE,
    /** The client takes nothing of the response. */
    STALLED,
    /** The exchange takes longer than any may. */
    TOTAL,
    /** No byte of the body comes. */
    SILENT,
    /** The body comes too slowly. */
    SLOW
  }

  private final TimeoutsConfig timeouts;
  private final DeadlineWheel wheel;
  private final DeadlineWheel.Entry deadline;
  private final StallDetector stalls;
  private final RequestBodyRate pace;
  private long lookNanos;
  private long keepAliveNanos;
  private long requestBeganNanos;
  private boolean isHeadTimed = true;

  /** {@code onDeadline} takes the present time of the wheel. */
  ConnectionTimer(
      ListenerContext loop,
      Channel channel,
      LimitsConfig limits,
      DeadlineWheel.Listener onDeadline) {
    timeouts = loop.timeouts();
    wheel = loop.wheel;
    deadline = wheel.entry(onDeadline);
    stalls = new StallDetector(channel, loop.sendQueue);
    pace =
        new RequestBodyRate(
            timeouts.requestBodyIdle().toNanos(), limits.client().requestBodyRate());
    lookNanos =
        Math.min(
            timeouts.noProgress().toNanos() / StallDetector.LOOKS,
            timeouts.requestTotal().toNanos());
    keepAliveNanos = timeouts.keepAlive().toNanos();
  }

  /** The limits of a route hold from now on, where they are stricter; within an exchange. */
  void tighten(long ofNoProgress, long ofKeepAlive) {
    keepAliveNanos = Math.min(keepAliveNanos, ofKeepAlive);
    long look = ofNoProgress / StallDetector.LOOKS;
    if (look < lookNanos) {
      lookNanos = look;
      stalls.reset();
      deadline.in(look);
    }
  }

  void connected() {
    deadline.in(timeouts.requestHeader().toNanos());
  }

  /** The first part of a header section has come. */
  void headBegan() {
    if (!isHeadTimed) {
      isHeadTimed = true;
      deadline.in(timeouts.requestHeader().toNanos());
    }
  }

  /** A header section is complete. */
  void headEnded() {
    requestBeganNanos = wheel.nowNanos();
    isHeadTimed = false;
  }

  void exchangeBegan(boolean hasBody) {
    stalls.reset();
    long look = lookNanos;
    if (hasBody) {
      pace.begin();
      look = Math.min(look, timeouts.requestBodyIdle().toNanos());
    }
    deadline.in(look);
  }

  /** Bytes of the body have come. */
  void bodyBytes(int lengthBytes) {
    pace.onBytes(lengthBytes, wheel.nowNanos());
  }

  /** Whether more of the body is wanted: only then its pace counts. */
  void bodyWanted(boolean isWanted) {
    pace.wanted(isWanted, wheel.nowNanos());
  }

  /** The unwanted rest of a body is read. */
  void dropsRest() {
    deadline.in(timeouts.requestBodyIdle().toNanos());
  }

  void betweenRequests() {
    deadline.in(keepAliveNanos);
  }

  /** The connection is to end: a client that is about to send a request gets its response. */
  void awaitsLastRequest() {
    deadline.in(Math.min(keepAliveNanos, LAST_REQUEST_NANOS));
  }

  /** What is queued goes out before the connection closes. */
  void closing() {
    stalls.reset();
    deadline.in(lookNanos);
  }

  void lingering() {
    deadline.in(LINGER_NANOS);
  }

  void end() {
    deadline.remove();
  }

  /** Looks at an exchange; comes again if all is fine. {@code awaitsBody}: more is to come. */
  Verdict look(long nowNanos, boolean awaitsBody) {
    if (stalls.isStalled()) {
      return Verdict.STALLED;
    }
    if (nowNanos - requestBeganNanos >= timeouts.requestTotal().toNanos()) {
      return Verdict.TOTAL;
    }
    long next = lookNanos;
    if (awaitsBody) {
      switch (pace.look(nowNanos)) {
        case SILENT -> {
          return Verdict.SILENT;
        }
        case SLOW -> {
          return Verdict.SLOW;
        }
        case FINE -> next = Math.min(next, pace.nextLookNanos(nowNanos));
      }
    }
    deadline.in(next);
    return Verdict.FINE;
  }

  /** Whether a client takes nothing of what is still to be sent; comes again if it does. */
  boolean isStalled() {
    if (stalls.isStalled()) {
      return true;
    }
    deadline.in(lookNanos);
    return false;
  }
}
