package io.forebay.server.origin.call;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.UpgradeOffer;
import io.forebay.core.route.Mirror;
import io.forebay.server.config.OriginTimeouts;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One request to an origin, complete except for framing, which the client adds.
 *
 * @param method method token
 * @param target path and query in origin form
 * @param fields every field to send, {@code host} included; no hop-by-hop or framing fields
 * @param body the request body; {@link RequestBody#NONE} for none
 * @param hop what is said on this connection alone
 * @param client on whose behalf alone it is sent, or null where others may get the response too
 * @param priority where requests wait at the origin's limit
 * @param mirror the origin that gets a copy, or null
 * @param timeouts what its route sets in place of the origin's
 * @param peers what other nodes are asked before the origin; null where none is
 */
public record OriginRequest(
    String method,
    String target,
    HeaderFields fields,
    RequestBody body,
    Hop hop,
    @Nullable ClientInfo client,
    Priority priority,
    @Nullable Mirror mirror,
    OriginTimeouts timeouts,
    @Nullable PeerQuestion peers) {

  private static final Set<String> IDEMPOTENT =
      Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY");

  /** A request without a copy. */
  public OriginRequest(
      String method,
      String target,
      HeaderFields fields,
      RequestBody body,
      Hop hop,
      @Nullable ClientInfo client,
      Priority priority) {
    this(method, target, fields, body, hop, client, priority, null, OriginTimeouts.OF_ORIGIN, null);
  }

  /** A request that a client waits for. */
  public OriginRequest(
      String method,
      String target,
      HeaderFields fields,
      RequestBody body,
      Hop hop,
      @Nullable ClientInfo client) {
    this(method, target, fields, body, hop, client, Priority.CLIENT);
  }

  /** A request for whoever waits for the response. */
  public OriginRequest(
      String method, String target, HeaderFields fields, RequestBody body, Hop hop) {
    this(method, target, fields, body, hop, null);
  }

  /** A request that asks nothing of the connection. */
  public OriginRequest(String method, String target, HeaderFields fields, RequestBody body) {
    this(method, target, fields, body, Hop.PLAIN);
  }

  /** The same for another target. */
  public OriginRequest at(String newTarget) {
    return newTarget.equals(target)
        ? this
        : new OriginRequest(
            method, newTarget, fields, body, hop, client, priority, mirror, timeouts, peers);
  }

  /** The same, and trailers of the response are wanted. */
  public OriginRequest takingTrailers(boolean value) {
    Hop wanted = value ? Hop.TRAILERS : Hop.PLAIN;
    return wanted.equals(hop)
        ? this
        : new OriginRequest(
            method, target, fields, body, wanted, client, priority, mirror, timeouts, peers);
  }

  /** The same on behalf of one client. */
  public OriginRequest onBehalfOf(ClientInfo newClient) {
    return new OriginRequest(
        method, target, fields, body, hop, newClient, priority, mirror, timeouts, peers);
  }

  /** The same with other fields. */
  public OriginRequest with(HeaderFields newFields) {
    return new OriginRequest(
        method, target, newFields, body, hop, client, priority, mirror, timeouts, peers);
  }

  /** The same with another priority. */
  public OriginRequest with(Priority newPriority) {
    return newPriority == priority
        ? this
        : new OriginRequest(
            method, target, fields, body, hop, client, newPriority, mirror, timeouts, peers);
  }

  /** The same with a copy for another origin, or without one. */
  public OriginRequest mirroredTo(@Nullable Mirror newMirror) {
    return newMirror == null && mirror == null
        ? this
        : new OriginRequest(
            method, target, fields, body, hop, client, priority, newMirror, timeouts, peers);
  }

  /** The same with timeouts of its route. */
  public OriginRequest with(OriginTimeouts ofRoute) {
    return ofRoute.equals(timeouts)
        ? this
        : new OriginRequest(
            method, target, fields, body, hop, client, priority, mirror, ofRoute, peers);
  }

  /** The same, and other nodes are asked first. */
  public OriginRequest asking(@Nullable PeerQuestion question) {
    return question == null && peers == null
        ? this
        : new OriginRequest(
            method, target, fields, body, hop, client, priority, mirror, timeouts, question);
  }

  /** Whether the method's effect is the same when it is sent twice (RFC 9110 §9.2.2). */
  public boolean isIdempotent() {
    return IDEMPOTENT.contains(method);
  }

  /** Whether it makes no difference to send it twice, and all of it is there to do so. */
  public boolean isSafeToSendAgain() {
    return (body.lengthBytes() == 0 || body.isRepeatable())
        && hop.upgrade() == null
        && isIdempotent();
  }

  /**
   * What is agreed upon with the origin for this exchange alone.
   *
   * @param upgrade protocols offered instead of HTTP, or null
   * @param expectsContinue whether the body waits until the origin says that it wants it
   * @param acceptsTrailers whether fields after the body are of any use
   */
  public record Hop(
      @Nullable UpgradeOffer upgrade, boolean expectsContinue, boolean acceptsTrailers) {
    public static final Hop PLAIN = new Hop(null, false, false);
    private static final Hop TRAILERS = new Hop(null, false, true);
  }
}
