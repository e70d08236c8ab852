package io.forebay.server.exchange;

import io.forebay.core.http.Latin1Text;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.WireRequest;
import io.forebay.core.policy.Reason;
import io.forebay.core.route.Route;
import io.forebay.server.cmcd.Cmcd;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.config.RouteLog;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.loop.RequestIds;
import io.forebay.server.protect.RouteProtection;
import io.forebay.server.response.LoggedFields;
import org.jspecify.annotations.Nullable;

/**
 * The access log event of a hit of the fast lane. One per event loop: the log reads it at once,
 * while the bytes of the request are still available.
 */
final class FreshHitEvent extends RequestEvent {

  private final RequestIds requestIds;
  private final Latin1Text referer = new Latin1Text();
  private final Latin1Text userAgent = new Latin1Text();
  private final Latin1Text traceparent = new Latin1Text();

  /** Of one field after the other. */
  private final Latin1Text header = new Latin1Text();

  /** Of the response, where the route logs some. */
  private final LoggedFields sent =
      new LoggedFields(RouteLog.MAX_HEADERS, RouteLog.MAX_VALUE_LENGTH);

  private WireRequest request = new WireRequest("http");
  private ClientInfo client = new ClientInfo("", 0, "", "", false, null, 0);
  private RouteLog rules = RouteLog.DEFAULT;
  private @Nullable Route route;
  private @Nullable RouteProtection gate;
  private @Nullable ContentCoding coding;
  private @Nullable Cmcd cmcd;
  private int status;
  private long bytes;
  private long epochMillis;
  private long durationNanos;

  /** Number of the request's id, or 0 until it is needed. */
  private long idNumber;

  private long held;

  FreshHitEvent(RequestIds requestIds) {
    this.requestIds = requestIds;
  }

  /** What takes the fields of the response that is about to be sent. */
  LoggedFields sent() {
    return sent;
  }

  /** Becomes the event of this request. */
  FreshHitEvent of(
      RouteLog ofRoute,
      Route matched,
      @Nullable RouteProtection gateOfRoute,
      WireRequest answered,
      ClientInfo asking,
      @Nullable ContentCoding codingOfCopy,
      int sentStatus,
      long bodyBytes,
      long nowMillis,
      long nanos) {
    rules = ofRoute;
    route = matched;
    gate = gateOfRoute;
    request = answered;
    client = asking;
    coding = codingOfCopy;
    status = sentStatus;
    bytes = bodyBytes;
    epochMillis = nowMillis;
    durationNanos = nanos;
    idNumber = 0;
    held = 0;
    return this;
  }

  /** With what was found out about the conditions of the log's sampling. */
  FreshHitEvent holding(long conditions) {
    held = conditions;
    return this;
  }

  /** With what a player told, or null. */
  FreshHitEvent told(@Nullable Cmcd read) {
    cmcd = read == null || read.isMalformed() ? null : read;
    return this;
  }

  private @Nullable CharSequence field(String lowerCaseName, Latin1Text text) {
    return request.field(lowerCaseName, text) ? text : null;
  }

  @Override
  RequestView request() {
    return request;
  }

  @Override
  ClientInfo asking() {
    return client;
  }

  @Override
  @Nullable Route matched() {
    return route;
  }

  @Override
  public RouteLog rules() {
    return rules;
  }

  @Override
  public @Nullable CharSequence cmcd() {
    return cmcd == null ? null : cmcd.json();
  }

  @Override
  public @Nullable CharSequence requestHeader(int index) {
    return field(rules.requestHeaders().get(index), header);
  }

  @Override
  public @Nullable CharSequence responseHeader(int index) {
    return sent.value(index);
  }

  @Override
  public long epochMillis() {
    return epochMillis;
  }

  @Override
  public CharSequence requestId() {
    return requestIds.view(idNumber());
  }

  @Override
  public long idHash() {
    return requestIds.hash(idNumber());
  }

  private long idNumber() {
    if (idNumber == 0) {
      idNumber = requestIds.reserve();
    }
    return idNumber;
  }

  @Override
  public long heldConditions() {
    return held;
  }

  @Override
  public @Nullable CharSequence traceparent() {
    return field("traceparent", traceparent);
  }

  @Override
  public CharSequence path() {
    return request.pathText();
  }

  @Override
  public @Nullable CharSequence query() {
    RouteProtection asked = gate;
    return asked == null ? request.queryText() : asked.withoutCredentials(request.queryText());
  }

  @Override
  public int status() {
    return status;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public long durationNanos() {
    return durationNanos;
  }

  @Override
  public long firstByteNanos() {
    return durationNanos;
  }

  @Override
  public CacheResult cache() {
    return CacheResult.HIT;
  }

  @Override
  public String reason() {
    return Reason.HIT_FRESH.label();
  }

  @Override
  public long fetchNanos() {
    return -1;
  }

  @Override
  public @Nullable CharSequence referer() {
    return field("referer", referer);
  }

  @Override
  public @Nullable CharSequence userAgent() {
    return field("user-agent", userAgent);
  }

  @Override
  public @Nullable String coding() {
    return coding == null ? null : coding.token();
  }

  @Override
  public @Nullable String abort() {
    return null;
  }
}
