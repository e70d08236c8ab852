package io.forebay.server.accesslog;

import io.forebay.server.cmcd.Cmcd;
import io.forebay.server.config.RouteLog;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.http.TlsSession;
import io.forebay.server.loop.RequestIds;
import org.jspecify.annotations.Nullable;

/**
 * One finished request as the source of an access log line. It is read once, on the event loop,
 * within {@link AccessLogRing#record}. Nothing of it is kept except the Strings of {@code client},
 * {@code method}, {@code scheme}, {@code protocol}, {@code reason}, {@code route}, {@code origin},
 * {@code abort} and {@code tls}, which should therefore be constants or live as long as the
 * configuration or the connection.
 */
public interface AccessEvent {

  /** When the request's first byte came, in milliseconds since 1970. */
  long epochMillis();

  @Nullable CharSequence requestId();

  @Nullable CharSequence traceparent();

  /** The peer's address, without port. */
  String client();

  String method();

  String scheme();

  CharSequence host();

  CharSequence path();

  /** Query without the question mark, or null. */
  @Nullable CharSequence query();

  /** {@code HTTP/1.1}, {@code HTTP/2}, … */
  String protocol();

  /** What its connection's handshake came to; null for plain text. */
  @Nullable TlsSession tls();

  /**
   * Status sent, or 0 when the client went away before one was. A malformed HTTP/2 request is
   * answered with a reset; its status is the one it was refused for.
   */
  int status();

  /** Body bytes handed to the transport. */
  long bytes();

  /** Bytes the client sent through a tunnel; -1 where there was none. */
  default long tunnelledBytes() {
    return -1;
  }

  /**
   * The content coding that the node applied to the body, or {@code decoded} where it removed one;
   * a constant, or null for neither.
   */
  default @Nullable String coding() {
    return null;
  }

  /** {@link #esiFragments()} of a response that is no page of ESI, and no part of one. */
  int NO_ESI = -1;

  /** The same of a part of a page. */
  int ESI_FRAGMENT = -2;

  /** Fragments that were requested for the page that was assembled. */
  default int esiFragments() {
    return NO_ESI;
  }

  long durationNanos();

  /** From the request to the first byte of the answer, or -1 when there was none. */
  long firstByteNanos();

  CacheResult cache();

  /** Why it was decided so; the reason of {@code Cache-Status}. */
  @Nullable String reason();

  @Nullable String route();

  @Nullable String origin();

  /** How long the origin took for a fetch of this request's own, or -1 when there was none. */
  long fetchNanos();

  @Nullable CharSequence referer();

  /** Number of the fetch that the request led or joined; 0 where it had none. */
  default long fill() {
    return 0;
  }

  @Nullable CharSequence userAgent();

  /** What the log says of requests like this. */
  default RouteLog rules() {
    return RouteLog.DEFAULT;
  }

  /** Which conditions of the log's sampling hold for the request. */
  default long heldConditions() {
    return 0;
  }

  /**
   * A number that follows from {@link #requestId()}, so that the same id is always chosen, or not;
   * 0 without an id.
   */
  default long idHash() {
    CharSequence id = requestId();
    return id == null ? 0 : RequestIds.hash(id);
  }

  /** The first line of the field at that place of {@link RouteLog#requestHeaders()}, or null. */
  default @Nullable CharSequence requestHeader(int index) {
    return null;
  }

  /** The same of {@link RouteLog#responseHeaders()}, of the response as it was sent. */
  default @Nullable CharSequence responseHeader(int index) {
    return null;
  }

  /**
   * What a player told of itself (CMCD), a whole object of JSON of at most {@link Cmcd#MAX_JSON}
   * characters of ASCII; null where the route does not read it or nothing was told.
   */
  default @Nullable CharSequence cmcd() {
    return null;
  }

  /** Why the origin gave no answer; null where it gave one or was not asked. */
  default @Nullable CharSequence error() {
    return null;
  }

  /** Why the answer was broken off, or null when it was whole. */
  @Nullable String abort();
}
