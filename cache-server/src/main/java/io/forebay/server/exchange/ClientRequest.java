package io.forebay.server.exchange;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.QueryRequest;
import io.forebay.core.http.RequestView;
import io.forebay.core.key.CanonicalRequest;
import io.forebay.core.peer.PeerRequestField;
import io.forebay.core.policy.Reason;
import io.forebay.core.route.Route;
import io.forebay.server.esi.EsiRole;
import io.forebay.server.fill.history.FillKey;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.protect.RouteProtection;
import io.forebay.server.response.LoggedFields;
import io.forebay.server.rule.RuleOutcome;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.transit.TransitBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The request of one exchange: as it came, with the configuration it is handled by, and what was
 * found out about it: route, key, and why it is no plain hit. Data only; what follows from it is
 * decided elsewhere.
 *
 * <p>Owner: the exchange; {@link Lookup} sets the key.
 */
final class ClientRequest {

  private final RuntimeConfig config;
  private final ClientInfo client;
  private final long arrivalPurgeSequence;
  private final boolean isHead;

  // Replaced once where the content of a QUERY is read before anything else.
  private RequestView view;
  private RequestBody body;

  private @Nullable Route route;
  private @Nullable RuleOutcome rules;
  private @Nullable DebugFields debug;
  private @Nullable LoggedFields logged;
  private @Nullable RequestBounds bounds;
  private long keyHi;
  private long keyLo;
  private boolean hasBaseKey;
  private long absentAt = StoreLane.UNKNOWN;
  private Reason reason = Reason.MISS_URI;

  /** What was read from a disk for the next lookup; null without a read. */
  private @Nullable TransitBuffer headRead;

  private @Nullable TransitBuffer copyRead;
  private boolean isIdentityOnly;
  private @Nullable String confirmedTag;
  private @Nullable PeerRequestField peer;

  /** What the exchange is for, where its route assembles pages. */
  private @Nullable EsiRole esi;

  /** The request without conditions and ranges, and whether it stands for the request. */
  private @Nullable RequestView unconditional;

  private boolean isUnconditional;

  /** Whether what was found is assembled. */
  private boolean isPage;

  /**
   * A request without a route.
   *
   * @param config in force when it came
   * @param arrivalPurgeSequence the newest purge when it came
   */
  ClientRequest(
      RuntimeConfig config,
      ClientInfo client,
      RequestView view,
      RequestBody body,
      long arrivalPurgeSequence) {
    this.config = config;
    this.client = client;
    this.view = view;
    this.body = body;
    this.arrivalPurgeSequence = arrivalPurgeSequence;
    this.isHead = view.method().equals("HEAD");
  }

  RuntimeConfig config() {
    return config;
  }

  ClientInfo client() {
    return client;
  }

  long arrivalPurgeSequence() {
    return arrivalPurgeSequence;
  }

  boolean isHead() {
    return isHead;
  }

  RequestView view() {
    RequestView whole = isUnconditional ? unconditional : null;
    return whole == null ? view : whole;
  }

  private void view(RequestView replaced) {
    view = replaced;
    if (unconditional != null) {
      unconditional = UnconditionalRequest.of(replaced);
    }
  }

  RequestBody body() {
    return body;
  }

  // --- other nodes -----------------------------------------------------------------------------

  /** Another node of the cluster asks for what it lacks. */
  void askedBy(PeerRequestField field) {
    peer = field;
    isIdentityOnly = true;
  }

  /** What that node says; null where a client asks. */
  @Nullable PeerRequestField peer() {
    return peer;
  }

  boolean isFromPeer() {
    return peer != null;
  }

  // --- route ------------------------------------------------------------------------------------

  /** The route has been found. */
  void route(Route found) {
    route = found;
  }

  /**
   * What the route does not pass on of fields, cookies and credentials is out of sight from now on,
   * of logs too. Protection and rules see what the client sent.
   */
  void hideRemovedFields() {
    RequestView left = route().settings().cookies().request().requestWithout(view);
    left = route().forwarding().requestWithout(left);
    RouteProtection gate = config.gate(route());
    view(gate == null ? left : gate.withoutCredentials(left));
  }

  /**
   * The same request as the protection of its route leaves it, with what is known of the client.
   */
  void verified(RequestView checked) {
    view(checked);
  }

  /** The route, or null where none was found or looked for yet. */
  @Nullable Route routeIfAny() {
    return route;
  }

  Route route() {
    Route found = route;
    if (found == null) {
      throw new IllegalStateException("no route yet");
    }
    return found;
  }

  /** What the rules of the route say of the request; null where it has none. */
  @Nullable RuleOutcome rules() {
    return rules;
  }

  void rules(RuleOutcome outcome) {
    rules = outcome;
    DebugFields told = debug;
    if (told != null) {
      outcome.lastLines(told);
    }
    outcome.observer(logged);
  }

  /** The log gets fields of the response. */
  void logs(LoggedFields fields) {
    logged = fields;
    RuleOutcome outcome = rules;
    rules(outcome == null ? new RuleOutcome() : outcome);
  }

  /** The fields of the response that the log gets; null for none. */
  @Nullable LoggedFields logged() {
    return logged;
  }

  // --- debugging --------------------------------------------------------------------------------

  /** The client may see how its response comes about. */
  void debug(DebugFields fields) {
    debug = fields;
    rules(new RuleOutcome());
  }

  /** What it sees; null if it may not. */
  @Nullable DebugFields debug() {
    return debug;
  }

  /** Why the response is as it is, for a client that debugs. */
  void because(Reason why) {
    if (debug != null) {
      debug.because(why);
    }
  }

  // --- pages of ESI -----------------------------------------------------------------------------

  /** The exchange is for a page that may be assembled, or for a part of one. */
  void esi(EsiRole role) {
    esi = role;
    if (!role.isFragment()) {
      unconditional = UnconditionalRequest.of(view);
      isUnconditional = true;
    }
  }

  @Nullable EsiRole esi() {
    return esi;
  }

  /** Whatever was found before does not count any more. */
  void looksUp() {
    EsiRole role = esi;
    if (role != null) {
      role.lookedUpAgain();
      isPage = false;
      isUnconditional = unconditional != null;
    }
  }

  /**
   * That response is sent next. Where it is no page, the conditions and ranges of the request count
   * from now on.
   */
  void found(int status, FieldsView response) {
    EsiRole role = esi;
    if (role != null) {
      isPage = role.found(status, response);
      isUnconditional = isPage && unconditional != null;
    }
  }

  /** Whether what was found is assembled: it is sent whole and as it is. */
  boolean isPage() {
    return isPage;
  }

  // --- key --------------------------------------------------------------------------------------

  long keyHi() {
    return keyHi;
  }

  long keyLo() {
    return keyLo;
  }

  void key(long hi, long lo) {
    absentAt = StoreLane.UNKNOWN;
    keyHi = hi;
    keyLo = lo;
  }

  /**
   * The install count of the lane before a look at this key that found nothing; UNKNOWN where
   * something was found, or was not looked for.
   */
  long absentAt() {
    return absentAt;
  }

  void absentAt(long installCount) {
    absentAt = installCount;
  }

  /** Whether the key was found to be that of the URL, not that of a variant. */
  boolean hasBaseKey() {
    return hasBaseKey;
  }

  void hasBaseKey(boolean isNow) {
    hasBaseKey = isNow;
  }

  FillKey key() {
    return new FillKey(keyHi, keyLo);
  }

  /** A record that has been read from a disk for this request; held by the exchange. */
  @Nullable TransitBuffer headRead() {
    return headRead;
  }

  void headRead(@Nullable TransitBuffer read) {
    headRead = read;
  }

  // --- representation ---------------------------------------------------------------------------

  /** The same for a coded copy of what is looked up. */
  @Nullable TransitBuffer copyRead() {
    return copyRead;
  }

  void copyRead(@Nullable TransitBuffer read) {
    copyRead = read;
  }

  /** Whether coded copies are left alone, since one could not be sent. */
  boolean isIdentityOnly() {
    return isIdentityOnly;
  }

  void identityOnly() {
    isIdentityOnly = true;
  }

  /** The tag of a coded representation that the client has and that is current, or null. */
  @Nullable String confirmedTag() {
    return confirmedTag;
  }

  void confirmedTag(@Nullable String etag) {
    confirmedTag = etag;
  }

  // --- why there is no plain hit ----------------------------------------------------------------

  /** What Cache-Status says of the request if it is forwarded. */
  Reason reason() {
    return reason;
  }

  void reason(Reason why) {
    reason = why;
  }

  // --- content ----------------------------------------------------------------------------------

  /** From now on the content is read through that. */
  void content(QueryContent held) {
    body = held;
  }

  /** From now on the body is read through that. */
  void holds(HeldBody held) {
    body = held;
  }

  /** From now on the request is limited by its route. */
  void bounded(RequestBounds limits) {
    bounds = limits;
    if (body.lengthBytes() != 0) {
      body = limits;
    }
  }

  /** The limits of its route count no longer. */
  void unbounded() {
    RequestBounds limits = bounds;
    if (limits != null) {
      bounds = null;
      limits.end();
    }
  }

  /** The content has been read, and is a part of the key from now on. */
  void contentDigest(String digest) {
    view(new QueryRequest(view, digest));
  }

  /** Whether the node holds the request's content. */
  boolean hasHeldContent() {
    return body instanceof QueryContent;
  }

  // --- what the origin is asked -----------------------------------------------------------------

  /** Whether the body of the response can be fetched in parts: not for QUERY. */
  boolean hasParts() {
    return !QueryRequest.isQuery(view);
  }

  /** What a fill asks of the origin for all who have this request's key; a copy. */
  RequestView question() {
    String method = hasParts() ? "GET" : view.method();
    return CanonicalRequest.of(view, method, route().keyRecipe());
  }

  /** The content that goes with the question; of its own, since it may outlive the exchange. */
  RequestBody questionBody() {
    byte[] bytes = body instanceof QueryContent read ? read.bytes() : new byte[0];
    return bytes.length == 0 ? RequestBody.NONE : new QueryContent.Replay(bytes);
  }
}
