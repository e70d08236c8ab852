package io.forebay.server.protect;

import io.forebay.core.http.RequestView;
import io.forebay.core.policy.Reason;
import io.forebay.server.config.JwtConfig;
import io.forebay.server.config.ProtectionProfile.BasicAuthConfig;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.ProtectionRule;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.protect.auth.Credentials;
import io.forebay.server.protect.auth.PasswordVerifier;
import io.forebay.server.protect.forward.ForwardAuth;
import io.forebay.server.protect.forward.ForwardRule;
import io.forebay.server.protect.forward.ForwardVerdict;
import io.forebay.server.protect.rate.RateBuckets;
import io.forebay.server.protect.rate.RateLimit;
import io.forebay.server.protect.rate.RateLimiter;
import io.forebay.server.protect.rate.Usage;
import io.forebay.server.protect.token.TokenReader;
import io.forebay.server.protect.token.TokenVerdict;
import io.forebay.server.protect.token.TokenVerifier;
import io.forebay.server.protect.url.UrlSignature;
import io.forebay.server.protect.url.UrlSignature.Verdict;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Judges requests by the gates of their routes. One per event loop, which confines it; no method
 * blocks.
 */
public final class Gatekeeper {
  private static final Refusal TOO_MANY_WAIT =
      new Refusal(
          503,
          Reason.REFUSED_OVERLOAD,
          "Too many credentials wait to be verified.",
          Duration.ofSeconds(2),
          "");

  /** By client network: beyond that no password of it is verified. */
  private static final RateLimit WRONG_PASSWORDS = perMinute("wrong-passwords", 10);

  /** The same of tokens, which cost less. */
  private static final RateLimit INVALID_TOKENS = perMinute("invalid-tokens", 100);

  private static final Refusal NOT_SIGNED = Refusal.of(403, Reason.REFUSED_SIGNATURE);
  private static final Refusal EXPIRED = Refusal.of(410, Reason.REFUSED_EXPIRED);
  private static final Refusal OF_NETWORK = Refusal.of(403, Reason.REFUSED_ACCESS);

  private final LoopCounters counters;
  private final LongSupplier clockMillis;
  private final RateLimiter rates;
  private final Verifiers verifiers;
  private final ForwardAuth forwarding;
  private final ClientAddress address = new ClientAddress();

  /** Of what was admitted last. */
  private @Nullable Usage usage;

  /**
   * For one loop.
   *
   * @param buckets of the node
   * @param verifiers of the node
   * @param forwarding of the loop
   * @param clockMillis wall clock, by which signed URLs expire
   */
  public Gatekeeper(
      LoopCounters counters,
      RateBuckets buckets,
      Verifiers verifiers,
      ForwardAuth forwarding,
      LongSupplier clockMillis) {
    this.verifiers = verifiers;
    this.forwarding = forwarding;
    this.clockMillis = clockMillis;
    this.counters = counters;
    this.rates = new RateLimiter(buckets, counters);
  }

  /**
   * Whether a request is admitted that can be answered at once. If it is not, nothing has been
   * counted, and {@link #judge} says what becomes of it. Allocates nothing, except to verify a
   * signed URL. {@link #charge} follows.
   */
  public boolean admits(RouteProtection gate, RequestView request, ClientInfo client) {
    address.resolve(client, request.fields(), gate.trusted());
    return !gate.asksForCredentials()
        && !gate.limitsInFlight()
        && (!gate.hasAccess() || gate.admits(address))
        && verdict(gate, request) == Verdict.VALID
        && (gate.limits().length == 0
            || rates.takeAll(gate.limits(), request, gate.route(), address.hi(), address.lo()));
  }

  /** Charges the request that {@link #admits} admitted last for its body. */
  public void charge(RouteProtection gate, long bodyBytes) {
    if (gate.limitsBytes()) {
      rates.sent(gate.limits(), bodyBytes);
    }
  }

  /**
   * Why a request is refused, or null where it is admitted. Called once for each request; {@link
   * #usage} is asked for next, whatever this gives.
   */
  public @Nullable Refusal judge(RouteProtection gate, RequestView request, ClientInfo client) {
    usage = null;
    Refusal ofNetwork = judgeNetwork(gate, request, client);
    if (ofNetwork != null) {
      return ofNetwork;
    }
    Refusal ofLimits = take(gate.limits(), gate, request);
    if (ofLimits != null) {
      return ofLimits;
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

  /**
   * Why a request is refused whose credentials were all verified, by a limit that counts by a claim
   * of its token; or null. {@link #usage} is asked for next, whatever this gives.
   */
  public @Nullable Refusal judgeVerified(
      RouteProtection gate, RequestView request, Map<String, String> claims) {
    usage = null;
    if (gate.claimLimits().length == 0) {
      return null;
    }
    rates.claims(claims);
    return take(gate.claimLimits(), gate, request);
  }

  /** Counts a request of the client whose address was resolved last. */
  private @Nullable Refusal take(RateLimit[] limits, RouteProtection gate, RequestView request) {
    int limit = rates.take(limits, request, gate.route(), address.hi(), address.lo());
    if (limit != RateLimiter.NONE) {
      counters.count(ProtectionRule.RATE_LIMIT);
      return RateLimitRefusal.of(limits, limit, rates.waitNanos());
    }
    if (gate.limitsBytes() || gate.limitsInFlight()) {
      usage = rates.usage(limits);
    }
    return null;
  }

  /**
   * Why a request is refused by the client's network alone, or null. That is all that CORS
   * preflights are asked: browsers send no credentials with them, and one that is refused by a rate
   * limit would hide from the script that a limit is the reason.
   */
  public @Nullable Refusal judgeNetwork(
      RouteProtection gate, RequestView request, ClientInfo client) {
    address.resolve(client, request.fields(), gate.trusted());
    if (gate.hasAccess() && !gate.admits(address)) {
      counters.count(ProtectionRule.ACCESS);
      return OF_NETWORK;
    }
    return null;
  }

  /**
   * What the request or fetch that was judged last is charged for until its end, which its owner
   * says; null for nothing.
   */
  public @Nullable Usage usage() {
    return usage;
  }

  /**
   * Counts a request to an origin.
   *
   * @return the name of the limit that refuses it, or null where it is admitted; then {@link
   *     #usage} is asked for next
   */
  public @Nullable String refusesFetch(RouteProtection gate, RequestView request) {
    usage = null;
    RateLimit[] limits = gate.fetchLimits();
    int limit = rates.take(limits, request, gate.route(), 0, 0);
    if (limit != RateLimiter.NONE) {
      counters.count(ProtectionRule.FETCH_LIMIT);
      return limits[limit].config().name();
    }
    usage = rates.usage(limits);
    return null;
  }

  /** For the client whose address was resolved last. */
  private Verdict verdict(RouteProtection gate, RequestView request) {
    UrlSignature signature = gate.signature();
    return signature == null
        ? Verdict.VALID
        : signature.verify(request, address.hi(), address.lo(), clockMillis.getAsLong() / 1000);
  }

  /**
   * Goes on after {@link #judge} with one of the checks of credentials; a route that does not have
   * it admits.
   *
   * @param request as received, with its credentials
   */
  public Authentication authenticate(
      CredentialCheck check,
      RouteProtection gate,
      RequestView request,
      ClientInfo client,
      Authentication.Listener listener) {
    BasicAuthConfig auth = gate.basicAuth();
    JwtConfig tokens = gate.jwt();
    ForwardRule forward = gate.forward();
    return switch (check) {
      case PASSWORD ->
          auth == null ? Authentication.ADMITTED : password(gate, auth, request, client, listener);
      case TOKEN ->
          tokens == null ? Authentication.ADMITTED : token(gate, tokens, request, client, listener);
      case FORWARD ->
          forward == null
              ? Authentication.ADMITTED
              : forward(gate, forward, request, client, listener);
    };
  }

  private Authentication password(
      RouteProtection gate,
      BasicAuthConfig auth,
      RequestView request,
      ClientInfo client,
      Authentication.Listener listener) {
    Credentials credentials = Credentials.of(request.fields());
    if (credentials == null) {
      counters.count(ProtectionRule.BASIC_AUTH);
      return new Authentication.Refused(unauthorized(auth));
    }
    PasswordVerifier passwords = verifiers.passwords();
    if (passwords.isRemembered(auth.users(), credentials)) {
      return Authentication.ADMITTED;
    }
    Refusal limited = beyond(WRONG_PASSWORDS, ProtectionRule.BASIC_AUTH, gate, request, client);
    if (limited != null) {
      return new Authentication.Refused(limited);
    }
    boolean isTaken =
        passwords.verify(
            auth.users(),
            credentials,
            listener::isWaiting,
            isRight ->
                listener.onKnown(
                    isRight
                        ? Authentication.ADMITTED
                        : new Authentication.Refused(unauthorized(auth))));
    return isTaken ? new Authentication.Pending() : new Authentication.Refused(TOO_MANY_WAIT);
  }

  private Authentication token(
      RouteProtection gate,
      JwtConfig config,
      RequestView request,
      ClientInfo client,
      Authentication.Listener listener) {
    String token = TokenReader.token(config, request);
    if (token == null) {
      counters.count(ProtectionRule.JWT);
      return new Authentication.Refused(TokenRefusals.missing(config));
    }
    TokenVerifier tokens = verifiers.tokens();
    TokenVerdict known = tokens.remembered(gate.name(), config, token);
    if (known != null) {
      if (known instanceof TokenVerdict.LacksClaim) {
        counters.count(ProtectionRule.JWT);
      }
      return outcome(config, known);
    }
    Refusal limited = beyond(INVALID_TOKENS, ProtectionRule.JWT, gate, request, client);
    if (limited != null) {
      return new Authentication.Refused(limited);
    }
    boolean isTaken =
        tokens.verify(
            gate.name(),
            config,
            token,
            listener::isWaiting,
            verdict -> listener.onKnown(outcome(config, verdict)));
    return isTaken ? new Authentication.Pending() : new Authentication.Refused(TOO_MANY_WAIT);
  }

  private static Authentication outcome(JwtConfig config, TokenVerdict verdict) {
    return switch (verdict) {
      case TokenVerdict.Valid valid -> new Authentication.Admitted(valid.fields(), valid.claims());
      case TokenVerdict.LacksClaim ignored ->
          new Authentication.Refused(TokenRefusals.lacksClaim(config));
      case TokenVerdict.Invalid invalid ->
          new Authentication.Refused(TokenRefusals.invalid(config, invalid.why()));
      case TokenVerdict.NoKeys ignored -> new Authentication.Refused(TokenRefusals.unverified());
      case TokenVerdict.TooMany ignored -> new Authentication.Refused(TOO_MANY_WAIT);
    };
  }

  private Authentication forward(
      RouteProtection gate,
      ForwardRule rule,
      RequestView request,
      ClientInfo client,
      Authentication.Listener listener) {
    boolean mayFail = rule.config().admitsOnError();
    ForwardVerdict known =
        forwarding.ask(
            rule,
            request,
            gate.withoutCredentials(request.query()),
            client,
            gate.trusted().contains(client.ip()),
            verdict -> listener.onKnown(outcome(mayFail, verdict)));
    if (known == null) {
      return new Authentication.Pending();
    }
    return outcome(mayFail, known);
  }

  private static Authentication outcome(boolean mayFail, ForwardVerdict verdict) {
    return switch (verdict) {
      case ForwardVerdict.Admitted admitted ->
          new Authentication.Admitted(admitted.fields(), Map.of());
      case ForwardVerdict.Refused refused ->
          new Authentication.Refused(
              new Refusal(
                  refused.status(),
                  Reason.REFUSED_FORWARD_AUTH,
                  Reason.REFUSED_FORWARD_AUTH.explanation(),
                  Duration.ZERO,
                  refused.lines()));
      case ForwardVerdict.Failed ignored ->
          mayFail
              ? Authentication.ADMITTED
              : new Authentication.Refused(TokenRefusals.unverified());
      case ForwardVerdict.TooMany ignored -> new Authentication.Refused(TOO_MANY_WAIT);
    };
  }

  /** The answer to a client whose network has had too much refused lately, or null. */
  private @Nullable Refusal beyond(
      RateLimit limit,
      ProtectionRule rule,
      RouteProtection gate,
      RequestView request,
      ClientInfo client) {
    address.resolve(client, request.fields(), gate.trusted());
    if (rates.isAdmitted(limit, request, gate.name(), address.hi(), address.lo())) {
      return null;
    }
    counters.count(rule);
    return RateLimitRefusal.of(new RateLimit[] {limit}, 0, rates.waitNanos());
  }

  /** Credentials turned out not to admit their request; on the loop. */
  public void refused(
      RouteProtection gate, RequestView request, ClientInfo client, Refusal refusal) {
    switch (refusal.reason()) {
      case REFUSED_CREDENTIALS -> {
        counters.count(ProtectionRule.BASIC_AUTH);
        takeFrom(WRONG_PASSWORDS, gate, request, client);
      }
      case REFUSED_TOKEN -> {
        counters.count(ProtectionRule.JWT);
        takeFrom(INVALID_TOKENS, gate, request, client);
      }
      case REFUSED_CLAIMS -> counters.count(ProtectionRule.JWT);
      case REFUSED_FORWARD_AUTH -> counters.count(ProtectionRule.FORWARD_AUTH);
      case REFUSED_UNVERIFIED ->
          counters.count(gate.forward() == null ? ProtectionRule.JWT : ProtectionRule.FORWARD_AUTH);
      default -> {
        // The node had too much to do.
      }
    }
  }

  private void takeFrom(
      RateLimit limit, RouteProtection gate, RequestView request, ClientInfo client) {
    address.resolve(client, request.fields(), gate.trusted());
    int ignored =
        rates.take(new RateLimit[] {limit}, request, gate.name(), address.hi(), address.lo());
  }

  private static Refusal unauthorized(BasicAuthConfig auth) {
    return new Refusal(
        401,
        Reason.REFUSED_CREDENTIALS,
        Reason.REFUSED_CREDENTIALS.explanation(),
        Duration.ZERO,
        "www-authenticate: Basic realm=\"" + auth.realm() + "\", charset=\"UTF-8\"\r\n");
  }

  private static RateLimit perMinute(String name, int requests) {
    return RateLimit.of(
        "",
        RateLimitConfig.of(
            name,
            RateLimitConfig.Kind.CLIENT_NETWORK,
            "",
            RateLimitConfig.Unit.REQUESTS,
            requests,
            Duration.ofMinutes(1)));
  }
}
