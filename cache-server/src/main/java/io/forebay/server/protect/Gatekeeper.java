package io.forebay.server.protect;

import io.forebay.core.http.RequestView;
import io.forebay.core.policy.Reason;
import io.forebay.server.config.ProtectionProfile.BasicAuthConfig;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.ProtectionRule;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.protect.auth.Credentials;
import io.forebay.server.protect.auth.PasswordVerifier;
import io.forebay.server.protect.rate.RateBuckets;
import io.forebay.server.protect.rate.RateLimit;
import io.forebay.server.protect.rate.RateLimiter;
import io.forebay.server.protect.url.UrlSignature;
import io.forebay.server.protect.url.UrlSignature.Verdict;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Judges requests by the gates of their routes. One per event loop, which confines it; no method
 * blocks.
 */
public final class Gatekeeper {
  private static final Authentication ADMITTED = new Authentication.Admitted();
  private static final Refusal TOO_MANY_PASSWORDS =
      new Refusal(
          503,
          Reason.REFUSED_OVERLOAD,
          "Too many passwords wait to be verified.",
          Duration.ofSeconds(2),
          "");

  /** By client network: beyond that no password of it is verified. */
  private static final RateLimit WRONG_PASSWORDS =
      RateLimit.of(
          "",
          new RateLimitConfig(
              "wrong-passwords",
              RateLimitConfig.Kind.CLIENT_NETWORK,
              "",
              10,
              Duration.ofMinutes(1),
              10,
              null));

  private static final Refusal NOT_SIGNED = Refusal.of(403, Reason.REFUSED_SIGNATURE);
  private static final Refusal EXPIRED = Refusal.of(410, Reason.REFUSED_EXPIRED);
  private static final Refusal OF_NETWORK = Refusal.of(403, Reason.REFUSED_ACCESS);

  private final LoopCounters counters;
  private final LongSupplier clockMillis;
  private final RateLimiter rates;
  private final PasswordVerifier passwords;
  private final ClientAddress address = new ClientAddress();

  /**
   * For one loop.
   *
   * @param buckets of the node
   * @param passwords of the node
   * @param clockMillis wall clock, by which signed URLs expire
   */
  public Gatekeeper(
      LoopCounters counters,
      RateBuckets buckets,
      PasswordVerifier passwords,
      LongSupplier clockMillis) {
    this.passwords = passwords;
    this.clockMillis = clockMillis;
    this.counters = counters;
    this.rates = new RateLimiter(buckets, counters);
  }

  /**
   * Whether a request is admitted that can be answered at once. If it is not, nothing has been
   * counted, and {@link #judge} says what becomes of it. Allocates nothing, except to verify a
   * signed URL.
   */
  public boolean admits(RouteProtection gate, RequestView request, ClientInfo client) {
    address.resolve(client, request.fields(), gate.trusted());
    return gate.basicAuth() == null
        && (!gate.hasAccess() || gate.admits(address))
        && verdict(gate, request) == Verdict.VALID
        && (gate.limits().length == 0
            || rates.takeAll(gate.limits(), request, gate.route(), address.hi(), address.lo()));
  }

  /** Why a request is refused, or null where it is admitted. Called once for each request. */
  public @Nullable Refusal judge(RouteProtection gate, RequestView request, ClientInfo client) {
    address.resolve(client, request.fields(), gate.trusted());
    if (gate.hasAccess() && !gate.admits(address)) {
      counters.count(ProtectionRule.ACCESS);
      return OF_NETWORK;
    }
    int limit = rates.take(gate.limits(), request, gate.route(), address.hi(), address.lo());
    if (limit != RateLimiter.NONE) {
      counters.count(ProtectionRule.RATE_LIMIT);
      return RateLimitRefusal.of(gate.limits(), limit, rates.waitNanos());
    }
    return switch (verdict(gate, request)) {
      case VALID -> null;
      case INVALID -> {
        counters.count(ProtectionRule.SIGNED_URL);
        yield NOT_SIGNED;
      }
      case EXPIRED -> {
        counters.count(ProtectionRule.SIGNED_URL);
        yield EXPIRED;
      }
    };
  }

  /** For the client whose address was resolved last. */
  private Verdict verdict(RouteProtection gate, RequestView request) {
    UrlSignature signature = gate.signature();
    return signature == null
        ? Verdict.VALID
        : signature.verify(request, address.hi(), address.lo(), clockMillis.getAsLong() / 1000);
  }

  /**
   * Goes on after {@link #judge} where the route asks for a password.
   *
   * @param request as received, with its Authorization field
   */
  public Authentication authenticate(
      RouteProtection gate,
      RequestView request,
      ClientInfo client,
      Authentication.Listener listener) {
    BasicAuthConfig auth = gate.basicAuth();
    if (auth == null) {
      return ADMITTED;
    }
    Credentials credentials = Credentials.of(request.fields());
    if (credentials == null) {
      return refused(auth);
    }
    if (passwords.isRemembered(auth.users(), credentials)) {
      return ADMITTED;
    }
    address.resolve(client, request.fields(), gate.trusted());
    long hi = address.hi();
    long lo = address.lo();
    if (!rates.isAdmitted(WRONG_PASSWORDS, request, gate.name(), hi, lo)) {
      counters.count(ProtectionRule.BASIC_AUTH);
      return new Authentication.Refused(
          RateLimitRefusal.of(new RateLimit[] {WRONG_PASSWORDS}, 0, rates.waitNanos()));
    }
    boolean isTaken =
        passwords.verify(
            auth.users(),
            credentials,
            listener::isWaiting,
            isRight -> listener.onKnown(isRight ? null : unauthorized(auth)));
    return isTaken ? new Authentication.Pending() : new Authentication.Refused(TOO_MANY_PASSWORDS);
  }

  /** A password turned out to be wrong; on the loop. */
  public void wrongPassword(RouteProtection gate, RequestView request, ClientInfo client) {
    counters.count(ProtectionRule.BASIC_AUTH);
    address.resolve(client, request.fields(), gate.trusted());
    int ignored =
        rates.take(
            new RateLimit[] {WRONG_PASSWORDS}, request, gate.name(), address.hi(), address.lo());
  }

  private Authentication refused(BasicAuthConfig auth) {
    counters.count(ProtectionRule.BASIC_AUTH);
    return new Authentication.Refused(unauthorized(auth));
  }

  private static Refusal unauthorized(BasicAuthConfig auth) {
    return new Refusal(
        401,
        Reason.REFUSED_CREDENTIALS,
        Reason.REFUSED_CREDENTIALS.explanation(),
        Duration.ZERO,
        "www-authenticate: Basic realm=\"" + auth.realm() + "\", charset=\"UTF-8\"\r\n");
  }
}
