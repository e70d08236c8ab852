package io.forebay.server.protect;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.route.RequestWithFields;
import io.forebay.server.config.ForwardAuthConfig;
import io.forebay.server.config.JwtConfig;
import io.forebay.server.config.ProtectionProfile;
import io.forebay.server.config.ProtectionProfile.AccessConfig;
import io.forebay.server.config.ProtectionProfile.BasicAuthConfig;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig.Unit;
import io.forebay.server.config.ProtectionProfile.SignedUrlConfig;
import io.forebay.server.network.NetworkSet;
import io.forebay.server.protect.forward.ForwardRule;
import io.forebay.server.protect.rate.RateLimit;
import io.forebay.server.protect.url.UrlSignature;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The protection of a route, compiled when the configuration is loaded. Immutable; any thread. */
public final class RouteProtection {
  private final String name;
  private final NetworkSet trusted;
  private final AccessConfig access;
  private final String route;
  private final RateLimit[] limits;
  private final RateLimit[] claimLimits;
  private final boolean limitsBytes;
  private final boolean limitsInFlight;
  private final RateLimit[] fetchLimits;
  private final @Nullable BasicAuthConfig basicAuth;
  private final @Nullable UrlSignature signature;
  private final @Nullable JwtConfig jwt;
  private final @Nullable ForwardRule forward;
  private final CredentialFilter credentials;
  private final Set<String> verifiedFields;

  private RouteProtection(
      String route, ProtectionProfile profile, NetworkSet trusted, @Nullable ForwardRule forward) {
    this.forward = forward;
    this.route = route;
    this.limits = limits(profile, false);
    this.claimLimits = limits(profile, true);
    this.limitsBytes = counts(profile, Unit.BYTES);
    this.limitsInFlight = counts(profile, Unit.IN_FLIGHT);
    this.fetchLimits =
        profile.fetchLimits().stream()
            .map(limit -> RateLimit.of(profile.name() + " fetches", limit))
            .toArray(RateLimit[]::new);
    this.basicAuth = profile.basicAuth();
    SignedUrlConfig urls = profile.signedUrls();
    this.signature = urls == null ? null : UrlSignature.of(urls);
    this.jwt = profile.jwt();
    this.credentials = CredentialFilter.of(profile);
    this.verifiedFields = Set.copyOf(profile.verifiedFields());
    this.name = profile.name();
    this.trusted = trusted;
    this.access = profile.access();
  }

  private static RateLimit[] limits(ProtectionProfile profile, boolean areByClaim) {
    return profile.rateLimits().stream()
        .filter(limit -> (limit.kind() == RateLimitConfig.Kind.CLAIM) == areByClaim)
        .map(limit -> RateLimit.of(profile.name(), limit))
        .toArray(RateLimit[]::new);
  }

  private static boolean counts(ProtectionProfile profile, Unit unit) {
    return profile.rateLimits().stream().anyMatch(limit -> limit.unit() == unit);
  }

  /**
   * Compiles a profile for a route.
   *
   * @param trusted networks of relays whose word on their clients is believed
   * @param forward its forward authentication, or null
   */
  public static RouteProtection of(
      String route, ProtectionProfile profile, NetworkSet trusted, @Nullable ForwardRule forward) {
    return new RouteProtection(route, profile, trusted, forward);
  }

  /** The name of the profile. */
  public String name() {
    return name;
  }

  NetworkSet trusted() {
    return trusted;
  }

  boolean hasAccess() {
    return !access.isOpen();
  }

  /** Whether clients of that address are served: not denied, and allowed where that is needed. */
  boolean admits(ClientAddress client) {
    NetworkSet allowed = access.allowed();
    return client.isKnown()
        && !access.denied().contains(client.hi(), client.lo())
        && (allowed == null || allowed.contains(client.hi(), client.lo()));
  }

  String route() {
    return route;
  }

  /** Those that are asked before credentials, in their order; not to be changed. */
  RateLimit[] limits() {
    return limits;
  }

  /** Those that are asked once the token is verified, in their order; not to be changed. */
  RateLimit[] claimLimits() {
    return claimLimits;
  }

  /** Whether bytes of bodies are charged. */
  boolean limitsBytes() {
    return limitsBytes;
  }

  /** Whether requests are counted until their end. */
  boolean limitsInFlight() {
    return limitsInFlight;
  }

  /** Whether requests to origins are limited. */
  public boolean limitsFetches() {
    return fetchLimits.length > 0;
  }

  /** In their order; not to be changed. */
  RateLimit[] fetchLimits() {
    return fetchLimits;
  }

  @Nullable UrlSignature signature() {
    return signature;
  }

  /**
   * A request with what the check found out about its client in fields, and without what clients
   * say in fields of these names.
   */
  public RequestView verified(RequestView request, HeaderFields found) {
    return verifiedFields.isEmpty()
        ? request
        : RequestWithFields.replacing(request, verifiedFields::contains, found);
  }

  /** A request as the rest of the node sees it: without the credentials that are checked here. */
  public RequestView withoutCredentials(RequestView request) {
    return credentials.requestWithout(request);
  }

  /** A query without signature and token. */
  public @Nullable CharSequence withoutCredentials(@Nullable CharSequence query) {
    return query == null ? null : credentials.queryWithout(query);
  }

  /** Whether more than the head of a request is asked for, so that no fast lane admits it. */
  boolean asksForCredentials() {
    return basicAuth != null || jwt != null || forward != null;
  }

  @Nullable ForwardRule forward() {
    return forward;
  }

  @Nullable JwtConfig jwt() {
    return jwt;
  }

  @Nullable BasicAuthConfig basicAuth() {
    return basicAuth;
  }

  /** What it asks of clients, one sentence each, for people. */
  public List<Requirement> requirements() {
    List<Requirement> all = new ArrayList<>();
    if (hasAccess()) {
      NetworkSet allowed = access.allowed();
      String denied = access.denied().isEmpty() ? "" : access.denied() + " denied";
      String only = allowed == null ? "" : allowed + " allowed, all others denied";
      String both = denied + (denied.isEmpty() || only.isEmpty() ? "" : "; ") + only;
      all.add(new Requirement("access", both + ": 403 for other clients."));
    }
    for (RateLimit limit : limits) {
      all.add(requirement(limit.config()));
    }
    for (RateLimit limit : fetchLimits) {
      all.add(
          new Requirement(
              "fetch-limit",
              describe(limit.config())
                  + ", to origins; beyond that a stale response if allowed, otherwise 503."));
    }
    if (signature != null) {
      all.add(
          new Requirement(
              "signed-url", "a valid signature; otherwise 403, and 410 when its time is over."));
    }
    BasicAuthConfig auth = basicAuth;
    if (auth != null) {
      all.add(
          new Requirement(
              "basic-auth", "name and password of one of " + auth.users() + "; otherwise 401."));
    }
    if (jwt != null) {
      all.add(new Requirement("jwt", requirement(jwt)));
    }
    if (forward != null) {
      all.add(new Requirement("forward-auth", requirement(forward.config())));
    }
    for (RateLimit limit : claimLimits) {
      all.add(requirement(limit.config()));
    }
    return all;
  }

  private static Requirement requirement(RateLimitConfig limit) {
    String penalty = limit.penalty() == null ? "" : " for " + limit.penalty().toSeconds() + " s";
    return new Requirement("rate-limit", describe(limit) + "; beyond that 429" + penalty + ".");
  }

  private static String requirement(JwtConfig jwt) {
    StringBuilder text = new StringBuilder("a token (").append(jwt.from().getFirst());
    jwt.from().stream().skip(1).forEach(place -> text.append(" or ").append(place));
    text.append(") of ")
        .append(jwt.expected().issuer() == null ? "any issuer" : jwt.expected().issuer());
    if (!jwt.expected().audiences().isEmpty()) {
      text.append(" for ").append(String.join(" or ", jwt.expected().audiences()));
    }
    text.append("; otherwise 401.");
    if (!jwt.expected().claims().isEmpty()) {
      text.append(" Without the claims ").append(jwt.expected().claims()).append(" 403.");
    }
    if (!jwt.claimFields().isEmpty()) {
      text.append(" Claims are fields and in the key: ").append(jwt.claimFields()).append('.');
    }
    return text.toString();
  }

  private static String requirement(ForwardAuthConfig forward) {
    StringBuilder text = new StringBuilder("a 2xx of origin ").append(forward.origin());
    text.append(" for ").append(forward.path()).append("; otherwise its 401 or 403");
    text.append(forward.passesRedirects() ? " or redirect" : "");
    text.append(forward.admitsOnError() ? "; admitted without an answer." : ", or 503.");
    if (!forward.cacheBy().isEmpty()) {
      text.append(" Remembered for ").append(forward.ttl().toSeconds()).append(" s by ");
      text.append(forward.cacheBy()).append('.');
    }
    text.append(" Responses are shared by all who are admitted");
    if (!forward.responseFields().isEmpty()) {
      text.append(" with the same ").append(forward.responseFields());
    }
    return text.append('.').toString();
  }

  private static String describe(RateLimitConfig config) {
    return switch (config.unit()) {
      case REQUESTS, BYTES ->
          "%s: %d %s in %d s by %s, %d at once"
              .formatted(
                  config.name(),
                  config.quota(),
                  config.unit() == Unit.BYTES ? "bytes" : "requests",
                  config.per().toSeconds(),
                  config.key(),
                  config.burst());
      case IN_FLIGHT ->
          "%s: %d requests in flight by %s".formatted(config.name(), config.quota(), config.key());
    };
  }

  /** One part of a protection. */
  public record Requirement(String name, String text) {}
}
