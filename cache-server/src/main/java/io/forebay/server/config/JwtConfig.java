package io.forebay.server.config;

import io.forebay.server.jwt.JwtExpectations;
import io.forebay.server.jwt.VerificationKeys;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Signed tokens that admit a client.
 *
 * @param keysFile JWK set, or null
 * @param keysUrl where a JWK set is fetched from, or null
 * @param secretFile secret for HMAC, or null
 * @param fileKeys what the file has; none for a URL
 * @param from where requests have their token, the first first
 * @param claimFields claims that become fields of the request
 * @param isForwarded whether the origin gets the Authorization field and cookies with tokens, which
 *     otherwise nobody behind the check sees
 * @param keyClaims claims that rate limits of the profile count by
 */
public record JwtConfig(
    JwtExpectations expected,
    @Nullable Path keysFile,
    @Nullable URI keysUrl,
    @Nullable Path secretFile,
    VerificationKeys fileKeys,
    List<TokenPlace> from,
    List<ClaimField> claimFields,
    String realm,
    boolean isForwarded,
    List<String> keyClaims) {

  public JwtConfig {
    from = List.copyOf(from);
    claimFields = List.copyOf(claimFields);
    keyClaims = List.copyOf(keyClaims);
  }

  /** The same where limits count by these claims. */
  JwtConfig withKeyClaims(List<String> claims) {
    return new JwtConfig(
        expected,
        keysFile,
        keysUrl,
        secretFile,
        fileKeys,
        from,
        claimFields,
        realm,
        isForwarded,
        claims);
  }

  /** Whether there is a place of that kind. */
  public boolean reads(TokenPlace.Kind kind) {
    return from.stream().anyMatch(place -> place.kind() == kind);
  }

  /** The names of the places of that kind. */
  public List<String> names(TokenPlace.Kind kind) {
    return from.stream().filter(place -> place.kind() == kind).map(TokenPlace::name).toList();
  }

  /**
   * Where a request has its token.
   *
   * @param name of the cookie or parameter; else empty
   */
  public record TokenPlace(Kind kind, String name) {

    /** Parts of a request. */
    public enum Kind {
      /** The Authorization field with the scheme Bearer (RFC 6750 §2.1). */
      BEARER,
      COOKIE,
      QUERY
    }

    /** {@code bearer}, {@code cookie NAME} or {@code query NAME}. */
    static TokenPlace of(String text) {
      int blank = text.indexOf(' ');
      String word = blank < 0 ? text : text.substring(0, blank);
      return new TokenPlace(
          Kind.valueOf(word.toUpperCase(Locale.ROOT)), blank < 0 ? "" : text.substring(blank + 1));
    }

    @Override
    public String toString() {
      String word = kind.name().toLowerCase(Locale.ROOT);
      return name.isEmpty() ? word : word + " " + name;
    }
  }

  /**
   * A claim that becomes a field.
   *
   * @param field its name in lower case
   */
  public record ClaimField(String claim, String field) {

    /** {@code CLAIM=FIELD}. */
    static ClaimField of(String text) {
      int equals = text.indexOf('=');
      return new ClaimField(
          text.substring(0, equals), text.substring(equals + 1).toLowerCase(Locale.ROOT));
    }

    @Override
    public String toString() {
      return claim + "=" + field;
    }
  }
}
