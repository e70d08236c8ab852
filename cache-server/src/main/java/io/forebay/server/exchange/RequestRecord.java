package io.forebay.server.exchange;

import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.policy.Reason;
import io.forebay.core.route.Route;
import io.forebay.server.cmcd.Cmcd;
import io.forebay.server.config.RouteLog;
import io.forebay.server.counters.AbortLabel;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import io.forebay.server.counters.NameTable;
import io.forebay.server.esi.EsiRecord;
import io.forebay.server.esi.EsiRole;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.pacing.Pacing;
import io.forebay.server.response.LoggedFields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is counted and logged of one exchange; written during the exchange and read once at its end.
 */
final class RequestRecord extends RequestEvent implements EsiRecord {

  private static final CharSequence[] NO_HEADERS = {};

  private final ExchangeContext loop;
  private final ClientRequest request;
  private final PlayerReports players;
  private final Prefetcher prefetcher;
  private final long startNanos;
  private final long startMillis;

  // Copied at the start: a connection may release the request's fields once the response has
  // ended.
  private final @Nullable CharSequence referer;
  private final @Nullable CharSequence userAgent;
  private final @Nullable CharSequence traceparent;

  private RouteLog rules;

  /** Which conditions of the log's sampling hold. */
  private long held;

  private @Nullable CharSequence[] headers = NO_HEADERS;
  private @Nullable String cmcd;

  /** The next objects, as the client names them. */
  private List<String> named = List.of();

  /** Bytes a second that the player asks for, or -1. */
  private long askedRate = -1;

  /** As {@link #fill()}. */
  private long fill;

  private int status;
  private long bodyBytes;
  private long tunnelledBytes = -1;
  private CacheResult result = CacheResult.REFUSED;
  private @Nullable String reason;
  private @Nullable String error;
  private @Nullable String abort;
  private @Nullable String coding;
  private long headNanos = -1;
  private long forwardedNanos = -1;
  private long durationNanos;
  private @Nullable String requestId;
  private @Nullable String fallback;

  /** What the exchange is for, where its route assembles pages. */
  private @Nullable EsiRole esi;

  /** As {@link #esiFragments()}. */
  private int esiFragments = NO_ESI;

  private boolean isBroken;

  /** An origin was asked for a part of the body that the store had lost. */
  private boolean isPartlyFetched;

  RequestRecord(
      ExchangeContext loop, ClientRequest request, PlayerReports players, Prefetcher prefetcher) {
    this.loop = loop;
    this.request = request;
    this.players = players;
    this.prefetcher = prefetcher;
    this.startNanos = System.nanoTime();
    this.startMillis = loop.nowMillis();
    this.rules = request.config().logOfUnrouted();
    boolean isLogged = loop.requestLog().isEnabled();
    RequestView received = request.view();
    this.referer = isLogged ? received.fields().first("referer") : null;
    this.userAgent = isLogged ? received.fields().first("user-agent") : null;
    this.traceparent = isLogged ? received.value(KnownField.TRACEPARENT) : null;
  }

  /** The route is found: what it counts and logs is read now, too. */
  void routed() {
    rules = request.config().log(request.route());
    if (rules.sampling().isOn() && loop.requestLog().hasLines()) {
      held = RuleResponder.held(rules.sampling(), request, startMillis);
    }
    Cmcd told = players.read(request.config(), request.route(), request.view());
    if (told != null && !told.isMalformed() && loop.requestLog().hasLines()) {
      cmcd = told.json().toString();
    }
    if (told != null && request.config().prefetch(request.route()).isOn()) {
      named = told.nextObjects();
    }
    Pacing pacing = request.config().pacing(request.route(), null);
    if (told != null && pacing != null && pacing.bitRateFactor() > 0) {
      askedRate = told.askedRate(pacing.bitRateFactor());
    }
    int count = rules.requestHeaders().size();
    if (count > 0 && loop.requestLog().hasLines()) {
      headers = new CharSequence[count];
      for (int i = 0; i < count; i++) {
        headers[i] = request.view().fields().first(rules.requestHeaders().get(i));
      }
    }
    List<String> ofResponse = rules.responseHeaders();
    if (!ofResponse.isEmpty() && loop.requestLog().hasLines()) {
      request.logs(new LoggedFields(ofResponse.size(), RouteLog.MAX_VALUE_LENGTH).of(ofResponse));
    }
  }

  /** Bytes a second that the player asks for, where a pacing follows players; or -1. */
  long askedRate(Pacing pacing) {
    return pacing.bitRateFactor() > 0 ? askedRate : -1;
  }

  /** Notes the fetch that the request leads or joins; the last one counts. */
  void follows(long number) {
    fill = number;
  }

  /** The request has been sent on to an origin, by itself or as the leader of a fill. */
  void forwarded() {
    forwardedNanos = System.nanoTime();
  }

  /** Notes that an origin is asked for a part of the body that the store has lost. */
  void partRequested() {
    isPartlyFetched = true;
  }

  long nanosSoFar() {
    return System.nanoTime() - startNanos;
  }

  /** Since the origin was asked, or -1 where it was not. */
  long nanosSinceForwarded() {
    return forwardedNanos < 0 ? -1 : System.nanoTime() - forwardedNanos;
  }

  /** Another origin than that of the route answered. */
  void answeredBy(String origin) {
    fallback = origin;
  }

  void head(int sentStatus, CacheResult how, Reason why) {
    status = sentStatus;
    result = how;
    reason = why.label();
    headNanos = System.nanoTime() - startNanos;
    prefetcher.onHead(request, sentStatus, how, named);
  }

  /** The listener found the rest of the request bad and answered by itself. */
  void refused(int sentStatus, String detail) {
    status = sentStatus;
    result = CacheResult.REFUSED;
    reason = detail;
  }

  /** The rest of the body comes from the origin, because memory has lost it. */
  void restFetched() {
    reason = Reason.REST_FETCHED.label();
  }

  void bodyBytes(long bytes) {
    if (esiFragments < 0) {
      bodyBytes = bytes;
    }
  }

  /** The exchange is for a page, or for a part of one. */
  void esi(EsiRole role) {
    esi = role;
    role.record(this);
    if (role.isFragment()) {
      esiFragments = ESI_FRAGMENT;
    }
  }

  @Override
  public void assembled(int fragments, long bytes, @Nullable String applied) {
    esiFragments = fragments;
    bodyBytes = bytes;
    coding = applied;
  }

  @Override
  public void brokenOff(String cause, String detail) {
    error = detail;
    brokenOff(cause);
    isBroken = true;
  }

  @Override
  public int esiFragments() {
    return esiFragments;
  }

  /** Bytes through the tunnel that the exchange became. */
  void tunnelled(long toClient, long fromClient) {
    bodyBytes = toClient;
    tunnelledBytes = fromClient;
  }

  /** The body is coded on its way; see {@link #coding()}. */
  void coding(@Nullable String token) {
    coding = token;
  }

  /** Why the origin gave no answer, as the client is not told. */
  void error(String detail) {
    error = detail;
  }

  /** The response was not completed. */
  void aborted(String why) {
    abort = why;
  }

  /** The same because of its body; counted by cause, and logged where it is not the client's. */
  void brokenOff(String why) {
    AbortLabel cause = AbortLabel.of(why);
    loop.counters().countAborted(cause);
    if (cause.isOurs()) {
      loop.failures().aborted(requestId(), request.view(), why);
    }
    aborted(why);
  }

  /** The same because the client left. */
  @Override
  public void clientGone() {
    if (isBroken) {
      // The node let it go.
      return;
    }
    loop.counters().clientAborts++;
    aborted("CLIENT_GONE");
  }

  void finish() {
    EsiRole role = esi;
    if (role == null || !role.holdsRecord()) {
      finishHeld();
    }
  }

  @Override
  public void finishHeld() {
    durationNanos = System.nanoTime() - startNanos;
    var counters = loop.counters();
    counters.countRequest(methodClass(), result, status);
    if (isPartlyFetched) {
      counters.countPartlyFetched(result);
    }
    Route route = request.routeIfAny();
    counters.served.count(
        route == null ? NameTable.NONE : route.number(),
        request.client().counterCell(),
        result,
        bodyBytes);
    counters.recordLastByte(result, durationNanos);
    if (result == CacheResult.HIT) {
      counters.hitTime.record(headNanos);
    }
    prefetcher.onEnd(request, status, result, bodyBytes);
    if (loop.requestLog().isEnabled()) {
      loop.requestLog().record(this);
    }
  }

  private MethodClass methodClass() {
    return switch (request.view().method()) {
      case "GET" -> MethodClass.GET;
      case "HEAD" -> MethodClass.HEAD;
      default -> MethodClass.OTHER;
    };
  }

  /** Unique in the node for its life; created on first use. */
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
  @Nullable String fallback() {
    return fallback;
  }

  @Override
  RequestView request() {
    return request.view();
  }

  @Override
  ClientInfo asking() {
    return request.client();
  }

  @Override
  @Nullable Route matched() {
    return request.routeIfAny();
  }

  @Override
  public RouteLog rules() {
    return rules;
  }

  @Override
  public long heldConditions() {
    return held;
  }

  @Override
  public @Nullable CharSequence cmcd() {
    return cmcd;
  }

  @Override
  public @Nullable CharSequence requestHeader(int index) {
    return index < headers.length ? headers[index] : null;
  }

  @Override
  public @Nullable CharSequence responseHeader(int index) {
    LoggedFields sent = request.logged();
    return sent == null ? null : sent.value(index);
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
  public CharSequence path() {
    return request.view().path();
  }

  @Override
  public @Nullable CharSequence query() {
    return request.view().query();
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
    return reason;
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
  public long fill() {
    return fill;
  }

  @Override
  public @Nullable CharSequence userAgent() {
    return userAgent;
  }

  @Override
  public @Nullable String coding() {
    return coding;
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
