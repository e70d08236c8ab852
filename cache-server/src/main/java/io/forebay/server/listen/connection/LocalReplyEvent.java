package io.forebay.server.listen.connection;

import io.forebay.server.accesslog.AccessEvent;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.TlsSession;
import io.netty.handler.codec.http2.Http2Headers.PseudoHeaderName;
import org.jspecify.annotations.Nullable;

/**
 * The access log event of a request that the listener answered itself. Parts that were not read are
 * empty; target and host are as received.
 *
 * @param bytes of the answer's body
 * @param abort why there was no whole answer, or null
 */
public record LocalReplyEvent(
    ClientInfo from,
    String scheme,
    String method,
    CharSequence host,
    CharSequence path,
    @Nullable CharSequence userAgent,
    int status,
    CacheResult cache,
    @Nullable String reason,
    long bytes,
    @Nullable String abort,
    long epochMillis)
    implements AccessEvent {

  /** Of a stream of HTTP/2 or HTTP/3; the request is null where no field of it is known. */
  static LocalReplyEvent ofStream(
      ClientInfo from,
      String scheme,
      @Nullable FramedRequest request,
      int status,
      CacheResult cache,
      @Nullable Rejection refusal,
      long bytes,
      @Nullable String abort,
      long epochMillis) {
    return new LocalReplyEvent(
        from,
        scheme,
        request == null ? "" : request.raw(PseudoHeaderName.METHOD).toString(),
        request == null ? "" : request.raw(PseudoHeaderName.AUTHORITY),
        request == null ? "" : request.raw(PseudoHeaderName.PATH),
        request == null ? null : request.first("user-agent"),
        status,
        cache,
        refusal == null ? null : refusal.detail(),
        bytes,
        abort,
        epochMillis);
  }

  @Override
  public String client() {
    return from.address();
  }

  @Override
  public @Nullable TlsSession tls() {
    return from.tls();
  }

  @Override
  public String protocol() {
    return from.protocol();
  }

  /** Stands in the path: a target that was refused is not taken apart. */
  @Override
  public @Nullable CharSequence query() {
    return null;
  }

  @Override
  public @Nullable CharSequence requestId() {
    return null;
  }

  @Override
  public @Nullable CharSequence traceparent() {
    return null;
  }

  @Override
  public long durationNanos() {
    return 0;
  }

  @Override
  public long firstByteNanos() {
    return -1;
  }

  @Override
  public @Nullable String route() {
    return null;
  }

  @Override
  public @Nullable String origin() {
    return null;
  }

  @Override
  public long fetchNanos() {
    return -1;
  }

  @Override
  public @Nullable CharSequence referer() {
    return null;
  }
}
