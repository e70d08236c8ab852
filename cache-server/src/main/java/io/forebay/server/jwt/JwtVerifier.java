package io.forebay.server.jwt;

import io.forebay.server.json.AdminError;
import io.forebay.server.json.Json;
import io.forebay.server.jwt.JwtExpectations.RequiredClaim;
import java.security.Key;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Verifies signed tokens in compact form (RFC 7515, RFC 7519), by the advice of RFC 8725. Takes up
 * to milliseconds: not for event loops.
 */
public final class JwtVerifier {

  /** Characters that a token may have. */
  public static final int MAX_LENGTH = 8192;

  private static final int MAX_KEY_ID = 256;

  /** Times beyond are no times; seconds since 1970. */
  private static final double MAX_TIME = 1e11;

  private static final JwtVerdict MALFORMED = new JwtVerdict.Invalid("the token is malformed");

  private JwtVerifier() {}

  /** Verifies one token. */
  public static JwtVerdict verify(
      String token, VerificationKeys keys, JwtExpectations expected, long nowSeconds) {
    if (token.length() > MAX_LENGTH) {
      return new JwtVerdict.Invalid("the token is too long");
    }
    String[] parts = token.split("\\.", -1);
    if (parts.length == 5) {
      return new JwtVerdict.Invalid("encrypted tokens are not accepted");
    }
    byte[] payload = parts.length == 3 ? decoded(parts[1]) : null;
    if (payload == null || decoded(parts[2]) == null) {
      return MALFORMED;
    }
    ObjectNode header = object(decoded(parts[0]));
    if (header == null) {
      return MALFORMED;
    }
    String label = text(header, "alg");
    JwtAlgorithm algorithm = label == null ? null : JwtAlgorithm.of(label);
    if (algorithm == null || !expected.algorithms().contains(algorithm)) {
      return new JwtVerdict.Invalid("the algorithm of the token is not allowed");
    }
    String contentType = text(header, "cty");
    if (contentType != null && contentType.toLowerCase(Locale.ROOT).contains("jwt")) {
      return new JwtVerdict.Invalid("nested tokens are not accepted");
    }
    if (header.has("crit") || header.has("b64") || header.has("zip")) {
      return new JwtVerdict.Invalid("the token uses an extension that is not accepted");
    }
    String keyId = text(header, "kid");
    if (header.has("kid") && (keyId == null || keyId.length() > MAX_KEY_ID)) {
      return MALFORMED;
    }
    List<Key> candidates = keys.candidates(keyId, algorithm);
    if (candidates.isEmpty()) {
      return new JwtVerdict.UnknownKey();
    }
    if (candidates.stream().noneMatch(key -> isSigned(token, algorithm, key))) {
      return new JwtVerdict.Invalid("the signature is wrong");
    }
    ObjectNode claims = object(payload);
    return claims == null ? MALFORMED : judge(claims, expected, nowSeconds);
  }

  private static boolean isSigned(String token, JwtAlgorithm algorithm, Key key) {
    try {
      JsonWebSignature signature = new JsonWebSignature();
      signature.setAlgorithmConstraints(
          new AlgorithmConstraints(AlgorithmConstraints.ConstraintType.PERMIT, algorithm.label()));
      signature.setCompactSerialization(token);
      signature.setKey(key);
      return signature.verifySignature();
    } catch (JoseException | RuntimeException e) {
      // What a library makes of bytes that an attacker chose.
      return false;
    }
  }

  private static JwtVerdict judge(ObjectNode claims, JwtExpectations expected, long nowSeconds) {
    double expires = time(claims, "exp");
    double notBefore = time(claims, "nbf");
    double issued = time(claims, "iat");
    if (!claims.has("exp")) {
      return new JwtVerdict.Invalid("the token has no time of expiry");
    }
    if (Double.isNaN(expires)
        || (claims.has("nbf") && Double.isNaN(notBefore))
        || (claims.has("iat") && Double.isNaN(issued))) {
      return MALFORMED;
    }
    if (nowSeconds >= expires + expected.skewSeconds()) {
      return new JwtVerdict.Invalid("the token has expired");
    }
    double latest = (double) nowSeconds + expected.skewSeconds();
    if (notBefore > latest || issued > latest) {
      return new JwtVerdict.Invalid("the token is not valid yet");
    }
    if (expected.issuer() != null && !expected.issuer().equals(text(claims, "iss"))) {
      return new JwtVerdict.Invalid("the token is of another issuer");
    }
    JsonNode audience = claims.get("aud");
    if (!expected.audiences().isEmpty()
        && expected.audiences().stream().noneMatch(name -> contains(audience, name))) {
      return new JwtVerdict.Invalid("the token is for another audience");
    }
    long until = (long) Math.ceil(expires) + expected.skewSeconds();
    for (RequiredClaim required : expected.claims()) {
      if (!has(claims, required)) {
        return new JwtVerdict.LacksClaim(until);
      }
    }
    return new JwtVerdict.Valid(claims, until);
  }

  private static boolean has(ObjectNode claims, RequiredClaim required) {
    JsonNode claim = claims.get(required.name());
    String value = required.value();
    if (value == null) {
      return claim != null && !claim.isNull() && !(claim.isBoolean() && !claim.booleanValue());
    }
    boolean isScope = required.name().equals("scope") || required.name().equals("scp");
    return contains(claim, value)
        || (isScope
            && claim != null
            && claim.isString()
            && List.of(claim.stringValue().split(" ")).contains(value));
  }

  /** Whether a claim is that value, or an array with it. */
  private static boolean contains(@Nullable JsonNode claim, String value) {
    if (claim == null) {
      return false;
    }
    if (claim.isArray()) {
      for (JsonNode item : claim) {
        if (value.equals(JwtClaims.text(item))) {
          return true;
        }
      }
      return false;
    }
    return value.equals(JwtClaims.text(claim));
  }

  /** A time of RFC 7519 §2, or NaN for what is none. */
  private static double time(ObjectNode claims, String name) {
    JsonNode value = claims.get(name);
    if (value == null || !value.isNumber()) {
      return Double.NaN;
    }
    double seconds = value.doubleValue();
    return seconds >= 0 && seconds <= MAX_TIME ? seconds : Double.NaN;
  }

  /** The bytes of base64url without padding, in the one form that encoders write; else null. */
  private static byte @Nullable [] decoded(String part) {
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(part);
      boolean isCanonical =
          bytes.length > 0
              && Base64.getUrlEncoder().withoutPadding().encodeToString(bytes).equals(part);
      return isCanonical ? bytes : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static @Nullable ObjectNode object(byte @Nullable [] json) {
    try {
      return json == null ? null : Json.object(json);
    } catch (AdminError e) {
      return null;
    }
  }

  private static @Nullable String text(ObjectNode object, String name) {
    JsonNode value = object.get(name);
    return value != null && value.isString() ? value.stringValue() : null;
  }
}
