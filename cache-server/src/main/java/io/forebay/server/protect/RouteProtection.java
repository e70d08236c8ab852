package io.forebay.server.protect;

import io.forebay.core.http.ForwardingRequest;
import io.forebay.core.http.RequestView;
import io.forebay.server.config.ProtectionProfile;
import io.forebay.server.config.ProtectionProfile.AccessConfig;
import io.forebay.server.config.ProtectionProfile.BasicAuthConfig;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig;
import io.forebay.server.config.ProtectionProfile.SignedUrlConfig;
import io.forebay.server.network.NetworkSet;
import io.forebay.server.protect.rate.RateLimit;
import io.forebay.server.protect.url.UrlSignature;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The protection of a route, compiled when the configuration is loaded. Immutable; any thread. */
public final class RouteProtection {
  private final String name;
  private final NetworkSet trusted;
  private final AccessConfig access;
  private final String route;
  private final RateLimit[] limits;
  private final @Nullable BasicAuthConfig basicAuth;
  private final @Nullable UrlSignature signature;

  private RouteProtection(String route, ProtectionProfile profile, NetworkSet trusted) {
    this.route = route;
    this.limits =
        profile.rateLimits().stream()
            .map(limit -> RateLimit.of(profile.name(), limit))
            .toArray(RateLimit[]::new);
    this.basicAuth = profile.basicAuth();
    SignedUrlConfig urls = profile.signedUrls();
    this.signature = urls == null ? null : UrlSignature.of(urls);
    this.name = profile.name();
    this.trusted = trusted;
    this.access = profile.access();
  }

  /**
   * Compiles a profile for a route.
   *
   * @param trusted networks of relays whose word on their clients is believed
   */
  public static RouteProtection of(String route, ProtectionProfile profile, NetworkSet trusted) {
    return new RouteProtection(route, profile, trusted);
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

  /** In their order; not to be changed. */
  RateLimit[] limits() {
    return limits;
  }

  @Nullable UrlSignature signature() {
    return signature;
  }

  /** A request as the rest of the node sees it: without the signature of its URL. */
  public RequestView withoutToken(RequestView request) {
    UrlSignature signed = signature;
    return signed == null || request.query() == null
        ? request
        : new RequestWithQuery(request, signed.withoutToken(request.query()));
  }

  /** The same of a query. */
  public @Nullable CharSequence withoutToken(@Nullable CharSequence query) {
    UrlSignature signed = signature;
    return signed == null || query == null ? query : signed.withoutToken(query.toString());
  }

  private record RequestWithQuery(RequestView request, @Nullable String query)
      implements ForwardingRequest {}

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
      RateLimitConfig config = limit.config();
      all.add(
          new Requirement(
              "rate-limit",
              "%s: %d requests in %d s by %s, %d at once; beyond that 429%s."
                  .formatted(
                      config.name(),
                      config.requests(),
                      config.per().toSeconds(),
                      config.key(),
                      config.burst(),
                      config.penalty() == null
                          ? ""
                          : " for " + config.penalty().toSeconds() + " s")));
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
    return all;
  }

  /** One part of a protection. */
  public record Requirement(String name, String text) {}
}
