package io.forebay.server.exchange;

import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.policy.Reason;
import io.forebay.core.route.Route;
import io.forebay.server.accesslog.AccessEvent;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.TlsSession;
import org.jspecify.annotations.Nullable;

/** What is counted and logged of one exchange; written as it goes on, read once at its end. */
final class RequestRecord implements AccessEvent {

  private final ExchangeContext loop;
  private final RequestView request;
  private final ClientInfo client;
  private final long startNanos;
  private final long startMillis;

  // Taken at the start: a connection may let go of the request's fields once the response has
  // ended.
  private final @Nullable CharSequence referer;
  private final @Nullable CharSequence userAgent;
  private final @Nullable CharSequence traceparent;

  private @Nullable Route route;
  private int status;
  private long bodyBytes;
  private long tunnelledBytes = -1;
  private CacheResult result = CacheResult.REFUSED;
  private @Nullable Reason reason;
  private @Nullable String refusal;
  private @Nullable String error;
  private @Nullable String abort;
  private long headNanos = -1;
  private long forwardedNanos = -1;
  private long durationNanos;
  private @Nullable String requestId;

  RequestRecord(ExchangeContext loop, RequestView request, ClientInfo client, long nowMillis) {
    this.loop = loop;
    this.request = request;
    this.client = client;
    this.startNanos = System.nanoTime();
    this.startMillis = nowMillis;
    boolean isLogged = loop.accessLog().isEnabled();
    this.referer = isLogged ? request.fields().first("referer") : null;
    this.userAgent = isLogged ? request.fields().first("user-agent") : null;
    this.traceparent = isLogged ? request.value(KnownField.TRACEPARENT) : null;
  }

  void route(Route matched) {
    route = matched;
  }

  /** The request has been sent on to an origin, by itself or as the leader of a fill. */
  void forwarded() {
    forwardedNanos = System.nanoTime();
  }

  void head(int sentStatus, CacheResult how, Reason why) {
    status = sentStatus;
    result = how;
    reason = why;
    headNanos = System.nanoTime() - startNanos;
  }

  /** The listener found the rest of the request bad and answered by itself. */
  void refused(int sentStatus, String detail) {
    status = sentStatus;
    result = CacheResult.REFUSED;
    refusal = detail;
  }

  /** The rest of the body comes from the origin, because memory has lost it. */
  void restFetched() {
    reason = Reason.REST_FETCHED;
  }

  void bodyBytes(long bytes) {
    bodyBytes = bytes;
  }

  /** Bytes through the tunnel that the exchange became. */
  void tunnelled(long toClient, long fromClient) {
    bodyBytes = toClient;
    tunnelledBytes = fromClient;
  }

  /** Why the origin gave no answer, as the client is not told. */
  void error(String detail) {
    error = detail;
  }

  void aborted(String why) {
    abort = why;
  }

  void finish() {
    durationNanos = System.nanoTime() - startNanos;
    var counters = loop.counters();
    counters.countRequest(methodClass(), result, status);
    if (result == CacheResult.HIT) {
      counters.hitTime.record(headNanos);
    }
    if (loop.accessLog().isEnabled()) {
      loop.accessLog().record(this);
    }
  }

  private MethodClass methodClass() {
    return switch (request.method()) {
      case "GET" -> MethodClass.GET;
      case "HEAD" -> MethodClass.HEAD;
      default -> MethodClass.OTHER;
    };
  }

  /** Unique in the node for its life; made only when somebody asks. */
  @Override
  public String requestId() {
    String id = requestId;
    if (id == null) {
      id = loop.requestIds().next();
      requestId = id;
    }
    return id;
  }

  @Override
  public long epochMillis() {
    return startMillis;
  }

  @Override
  public @Nullable CharSequence traceparent() {
    return traceparent;
  }

  @Override
  public String client() {
    return client.address();
  }

  @Override
  public @Nullable TlsSession tls() {
    return client.tls();
  }

  @Override
  public String method() {
    return request.method();
  }

  @Override
  public String scheme() {
    return request.scheme();
  }

  @Override
  public CharSequence host() {
    return request.authority();
  }

  @Override
  public CharSequence path() {
    return request.path();
  }

  @Override
  public @Nullable CharSequence query() {
    return request.query();
  }

  @Override
  public String protocol() {
    return client.protocol();
  }

  @Override
  public int status() {
    return status;
  }

  @Override
  public long bytes() {
    return bodyBytes;
  }

  @Override
  public long tunnelledBytes() {
    return tunnelledBytes;
  }

  @Override
  public long durationNanos() {
    return durationNanos;
  }

  @Override
  public long firstByteNanos() {
    return headNanos;
  }

  @Override
  public CacheResult cache() {
    return result;
  }

  @Override
  public @Nullable String reason() {
    return refusal != null ? refusal : reason == null ? null : reason.label();
  }

  @Override
  public @Nullable String route() {
    return route == null ? null : route.name();
  }

  @Override
  public @Nullable String origin() {
    return route == null ? null : route.originName();
  }

  @Override
  public long fetchNanos() {
    return forwardedNanos < 0 ? -1 : startNanos + durationNanos - forwardedNanos;
  }

  @Override
  public @Nullable CharSequence referer() {
    return referer;
  }

  @Override
  public @Nullable CharSequence userAgent() {
    return userAgent;
  }

  @Override
  public @Nullable String error() {
    return error;
  }

  @Override
  public @Nullable String abort() {
    return abort;
  }
}
