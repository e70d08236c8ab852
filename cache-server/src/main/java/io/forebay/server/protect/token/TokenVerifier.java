package io.forebay.server.protect.token;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.JwtConfig;
import io.forebay.server.config.JwtConfig.ClaimField;
import io.forebay.server.jwt.JwtClaims;
import io.forebay.server.jwt.JwtExpectations;
import io.forebay.server.jwt.JwtVerdict;
import io.forebay.server.jwt.JwtVerifier;
import io.forebay.server.jwt.VerificationKeys;
import io.forebay.server.protect.auth.VerdictTable;
import io.forebay.server.protect.auth.VerifierThreads;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Verifies tokens on threads of the node, and remembers for a while which were genuine: by the
 * SHA-256 of profile and token, until the token expires, and only as long as keys and expectations
 * are the same. Made once a node; any thread.
 */
public final class TokenVerifier {

  /** Tokens that are remembered. */
  public static final int MAX_REMEMBERED = 16_384;

  private static final Duration REMEMBERED = Duration.ofMinutes(5);

  private final VerifierThreads threads;
  private final TokenKeys keys;
  private final LongSupplier clockMillis;
  private final VerdictTable<Remembered> remembered;

  /**
   * One that remembers nothing yet.
   *
   * @param clockMillis wall clock, by which tokens expire
   * @param nanoTime a clock that never goes back
   */
  public TokenVerifier(
      VerifierThreads threads, TokenKeys keys, LongSupplier clockMillis, LongSupplier nanoTime) {
    this.threads = threads;
    this.keys = keys;
    this.clockMillis = clockMillis;
    this.remembered = new VerdictTable<>(MAX_REMEMBERED, nanoTime);
  }

  private record Remembered(
      JwtExpectations expected,
      List<ClaimField> claimFields,
      List<String> keyClaims,
      VerificationKeys keys,
      long untilSeconds,
      TokenVerdict verdict) {

    boolean holdsFor(JwtConfig config, VerificationKeys inForce, long nowSeconds) {
      return nowSeconds < untilSeconds
          && keys.equals(inForce)
          && expected.equals(config.expected())
          && claimFields.equals(config.claimFields())
          && keyClaims.equals(config.keyClaims());
    }
  }

  /** What was found out about a token lately, or null. */
  public @Nullable TokenVerdict remembered(String profile, JwtConfig config, String token) {
    if (remembered.isEmpty() || token.length() > JwtVerifier.MAX_LENGTH) {
      return null;
    }
    Remembered known = remembered.get(fingerprint(profile, token));
    return known != null && known.holdsFor(config, keys.of(config), nowSeconds())
        ? known.verdict()
        : null;
  }

  /**
   * Verifies a token. One that names an unknown key waits until the keys have been fetched, where
   * that is due.
   *
   * @param isWanted asked before the work begins; where it is false, the token counts as invalid
   * @param whenKnown told on another thread
   * @return false if too many verifications wait; then nothing is told
   */
  public boolean verify(
      String profile,
      JwtConfig config,
      String token,
      BooleanSupplier isWanted,
      Consumer<TokenVerdict> whenKnown) {
    return threads.execute(() -> verify(profile, config, token, isWanted, whenKnown, true));
  }

  private void verify(
      String profile,
      JwtConfig config,
      String token,
      BooleanSupplier isWanted,
      Consumer<TokenVerdict> whenKnown,
      boolean mayFetch) {
    if (!isWanted.getAsBoolean()) {
      whenKnown.accept(new TokenVerdict.Invalid("nobody waits for it"));
      return;
    }
    VerificationKeys inForce = keys.of(config);
    JwtVerdict verdict = JwtVerifier.verify(token, inForce, config.expected(), nowSeconds());
    switch (verdict) {
      case JwtVerdict.Valid valid ->
          whenKnown.accept(
              remember(
                  profile,
                  config,
                  token,
                  inForce,
                  valid.untilSeconds(),
                  new TokenVerdict.Valid(
                      fields(config.claimFields(), valid.claims()),
                      texts(config.keyClaims(), valid.claims()))));
      case JwtVerdict.LacksClaim lacking ->
          whenKnown.accept(
              remember(
                  profile,
                  config,
                  token,
                  inForce,
                  lacking.untilSeconds(),
                  new TokenVerdict.LacksClaim()));
      case JwtVerdict.Invalid invalid -> whenKnown.accept(new TokenVerdict.Invalid(invalid.why()));
      case JwtVerdict.UnknownKey ignored -> {
        Runnable again =
            () -> {
              boolean isTaken =
                  threads.execute(() -> verify(profile, config, token, isWanted, whenKnown, false));
              if (!isTaken) {
                whenKnown.accept(new TokenVerdict.TooMany());
              }
            };
        if (!mayFetch || !keys.refetch(config, again)) {
          whenKnown.accept(
              inForce.isEmpty()
                  ? new TokenVerdict.NoKeys()
                  : new TokenVerdict.Invalid("the key of the token is not known"));
        }
      }
    }
  }

  private TokenVerdict remember(
      String profile,
      JwtConfig config,
      String token,
      VerificationKeys inForce,
      long untilSeconds,
      TokenVerdict verdict) {
    remembered.put(
        fingerprint(profile, token),
        new Remembered(
            config.expected(),
            config.claimFields(),
            config.keyClaims(),
            inForce,
            untilSeconds,
            verdict),
        REMEMBERED.toNanos());
    return verdict;
  }

  private static HeaderFields fields(List<ClaimField> wanted, ObjectNode claims) {
    HeaderFields.Builder fields = HeaderFields.builder();
    for (ClaimField claim : wanted) {
      String value = JwtClaims.field(claims, claim.claim());
      if (value != null) {
        fields.add(claim.field(), value);
      }
    }
    return fields.build();
  }

  private static Map<String, String> texts(List<String> wanted, ObjectNode claims) {
    Map<String, String> texts = new HashMap<>();
    for (String name : wanted) {
      String value = JwtClaims.field(claims, name);
      if (value != null) {
        texts.put(name, value);
      }
    }
    return Map.copyOf(texts);
  }

  private long nowSeconds() {
    return Math.floorDiv(clockMillis.getAsLong(), 1000L);
  }

  private static String fingerprint(String profile, String token) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(profile.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
      return HexFormat.of().formatHex(digest.digest(token.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
