package io.forebay.server.runtime;

import io.forebay.core.http.AcceptEncoding;
import io.forebay.core.http.ConditionalFields;
import io.forebay.core.http.FieldName;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HopByHop;
import io.forebay.core.http.MaxForwards;
import io.forebay.core.http.RequestView;
import io.forebay.core.key.FieldRecipe;
import io.forebay.core.peer.PeerRequestField;
import io.forebay.core.policy.Decider;
import io.forebay.core.route.Mirror;
import io.forebay.core.route.Route;
import io.forebay.core.route.UpstreamEdits;
import io.forebay.server.config.OriginTimeouts;
import io.forebay.server.config.ServerConfig.ForwardingConfig;
import io.forebay.server.config.TrustedNetworks;
import io.forebay.server.digest.DigestPreferences;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginRequest;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Builds the request to an origin from a client's request: end-to-end fields only, the node's own
 * fields about the client, and for a fill none of the client's ranges and conditions.
 */
public final class UpstreamRequest {

  /** Written by the origin client, or by this class. */
  private static final Set<String> WRITTEN_HERE =
      Set.of(
          "content-length",
          "expect",
          "host",
          "http2-settings",
          "via",
          "cdn-loop",
          PeerRequestField.NAME);

  private static final Set<String> WANTED_DIGESTS =
      Set.of(DigestPreferences.WANT_CONTENT, DigestPreferences.WANT_REPRESENTATION);

  private static final String SURROGATE_CAPABILITY = "surrogate-capability";

  private static final Set<String> ABOUT_THE_CLIENT =
      Set.of("x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded");

  private final ForwardingConfig policy;
  private final TrustedNetworks trusted;
  private final Map<String, OriginTimeouts> timeouts;

  /** Routes whose origins are told that this node processes ESI. */
  private final Set<String> assembling;

  /** What origins are asked for in Want-Repr-Digest, of routes with digests. */
  private final Map<String, String> wantedDigests;

  /** Without timeouts of routes. */
  public UpstreamRequest(ForwardingConfig policy) {
    this(policy, Map.of(), Set.of(), Map.of());
  }

  /**
   * Requests of a configuration.
   *
   * @param timeouts by name of the route
   * @param assembling names of routes whose pages are assembled from ESI
   * @param wantedDigests by name of the route: what fills ask origins for
   */
  UpstreamRequest(
      ForwardingConfig policy,
      Map<String, OriginTimeouts> timeouts,
      Set<String> assembling,
      Map<String, String> wantedDigests) {
    this.policy = policy;
    this.timeouts = timeouts;
    this.assembling = assembling;
    this.wantedDigests = wantedDigests;
    this.trusted = TrustedNetworks.of(policy.trusted());
  }

  /** Whether what a client says of others is believed: it is a proxy, or a node of the cluster. */
  public boolean trusts(ClientInfo client) {
    return client.node() != null || trusts(client.address());
  }

  public boolean trusts(String address) {
    return trusted.contains(address);
  }

  /** The request of a fill: a plain GET, or a QUERY, with the given validators if any. */
  public OriginRequest fill(
      Route route,
      RequestView request,
      RequestBody body,
      ClientInfo client,
      @Nullable String host,
      HeaderFields validators) {
    String wanted = wantedDigests.get(route.name());
    HeaderFields.Builder out =
        begin(
            route,
            request,
            client,
            host,
            name -> isOfOneClient(name) || (wanted != null && WANTED_DIGESTS.contains(name)));
    if (wanted != null) {
      // What is stored, and whether it can be verified, does not depend on one client's wishes.
      out.add(DigestPreferences.WANT_REPRESENTATION, wanted);
    }
    // The class rather than the client's words: what comes back is stored for the whole class.
    out.add("accept-encoding", AcceptEncoding.value(AcceptEncoding.classOf(request.fields())));
    for (int i = 0; i < validators.size(); i++) {
      out.add(validators.name(i), validators.value(i));
    }
    UpstreamEdits.Edited edited = edited(route, request, out);
    return new OriginRequest(request.method(), edited.target(), edited.fields(), body)
        .mirroredTo(mirror(route))
        .with(timeouts(route));
  }

  /**
   * The fields of a fill's request as other nodes get it: without those of one client, and before
   * the edits for the origin.
   */
  public HeaderFields ofNodes(Route route, RequestView request, ClientInfo client) {
    HeaderFields.Builder out = begin(route, request, client, null, UpstreamRequest::isOfOneClient);
    out.add("accept-encoding", AcceptEncoding.value(AcceptEncoding.classOf(request.fields())));
    return out.build();
  }

  /** Whether a field would make the response fit one client only. */
  private static boolean isOfOneClient(String name) {
    return ConditionalFields.has(name) || name.equals("accept-encoding");
  }

  /** The request of a client, passed on but for the fields that the route drops. */
  public OriginRequest pass(
      Route route,
      RequestView request,
      ClientInfo client,
      @Nullable String host,
      RequestBody body,
      OriginRequest.Hop hop) {
    UpstreamEdits.Edited edited =
        edited(route, request, begin(route, request, client, host, dropped(route, request)));
    return new OriginRequest(request.method(), edited.target(), edited.fields(), body, hop, client)
        .mirroredTo(mirror(route))
        .with(timeouts(route));
  }

  /**
   * The fields that a request goes without where it is passed. One that might have been answered
   * from the store goes as a fill would: what the origin sees does not depend on what is stored.
   */
  public static Predicate<String> dropped(Route route, RequestView request) {
    FieldRecipe recipe = route.keyRecipe().fields();
    return Decider.decideBeforeLookup(request, route) == null
        ? recipe::drops
        : name -> recipe.dropsPassed(request.method(), name);
  }

  private OriginTimeouts timeouts(Route route) {
    return timeouts.getOrDefault(route.name(), OriginTimeouts.OF_ORIGIN);
  }

  private static @Nullable Mirror mirror(Route route) {
    UpstreamEdits edits = route.forwarding().edits();
    return edits == null ? null : edits.mirror();
  }

  private static UpstreamEdits.Edited edited(
      Route route, RequestView request, HeaderFields.Builder fields) {
    UpstreamEdits edits = route.forwarding().edits();
    return edits == null
        ? UpstreamEdits.Edited.none(request, fields.build())
        : edits.edited(request, fields.build());
  }

  private HeaderFields.Builder begin(
      Route route,
      RequestView request,
      ClientInfo client,
      @Nullable String host,
      Predicate<String> isDropped) {
    boolean isTrusted = trusts(client);
    HopByHop ofRequest = HopByHop.ofRequest(request.fields().all("connection"));
    // The listener refuses requests whose Connection field lists what it must not.
    HopByHop hopByHop = ofRequest == null ? HopByHop.STANDARD : ofRequest;
    HeaderFields.Builder out = HeaderFields.builder();
    // Of other methods it means nothing, and is one field among others (RFC 9110 §7.6.2).
    int forwards =
        request.method().equals("OPTIONS") ? MaxForwards.of(request.fields()) : MaxForwards.ABSENT;
    boolean isCounted = forwards > 0;
    boolean assembles = assembling.contains(route.name());
    if (isCounted) {
      out.add("max-forwards", Integer.toString(MaxForwards.next(forwards)));
    }
    out.add("host", host != null ? host : request.authority());
    request
        .fields()
        .forEach((name, value) -> {
          String lower = FieldName.lowerCase(name);
          if ((isCounted && lower.equals("max-forwards"))
              || (assembles && lower.equals(SURROGATE_CAPABILITY))) {
            return;
          }
          if (!WRITTEN_HERE.contains(lower)
              && !hopByHop.has(lower)
              && !ABOUT_THE_CLIENT.contains(lower)
              && !isDropped.test(lower)) {
            out.add(lower, value);
          }
        });
    aboutTheClient(out, request, client, isTrusted);
    if (route.forwarding().sendsVia()) {
      out.add(
          "via", appended(request, "via", viaProtocol(client.protocol()) + " " + policy.nodeId()));
    }
    out.add("cdn-loop", appended(request, "cdn-loop", policy.nodeId()));
    if (assembles) {
      // What the client sent under that name was left out: it is this node that processes ESI.
      out.add(SURROGATE_CAPABILITY, "forebay=\"ESI/1.0\"");
    }
    return out;
  }

  private void aboutTheClient(
      HeaderFields.Builder out, RequestView request, ClientInfo client, boolean isTrusted) {
    String address = client.address();
    if (policy.xForwarded()) {
      out.add(
          "x-forwarded-for", isTrusted ? appended(request, "x-forwarded-for", address) : address);
      out.add("x-forwarded-proto", kept(request, "x-forwarded-proto", isTrusted, request.scheme()));
      out.add(
          "x-forwarded-host", kept(request, "x-forwarded-host", isTrusted, request.authority()));
    }
    if (policy.forwarded()) {
      String node = address.indexOf(':') >= 0 ? "\"[" + address + "]\"" : address;
      String element =
          "for=" + node + ";host=\"" + request.authority() + "\";proto=" + request.scheme();
      out.add("forwarded", isTrusted ? appended(request, "forwarded", element) : element);
    }
  }

  private static String kept(
      RequestView request, String name, boolean isTrusted, String otherwise) {
    CharSequence sent = isTrusted ? request.fields().first(name) : null;
    return sent == null ? otherwise : sent.toString();
  }

  private static String appended(RequestView request, String name, String value) {
    String before = request.fields().combined(name);
    return before == null ? value : before + ", " + value;
  }

  private static String viaProtocol(String protocol) {
    return protocol.startsWith("HTTP/") ? protocol.substring("HTTP/".length()) : protocol;
  }
}
