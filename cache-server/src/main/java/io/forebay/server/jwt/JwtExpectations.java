package io.forebay.server.jwt;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a token has to say to be valid.
 *
 * @param algorithms one of these signed it
 * @param issuer its {@code iss}, or null for any
 * @param audiences one of which is in its {@code aud}; empty for any
 * @param claims all of which it has to have
 * @param skewSeconds by how much the clocks of issuer and node may differ
 */
public record JwtExpectations(
    Set<JwtAlgorithm> algorithms,
    @Nullable String issuer,
    List<String> audiences,
    List<RequiredClaim> claims,
    long skewSeconds) {

  public JwtExpectations {
    algorithms = Set.copyOf(algorithms);
    audiences = List.copyOf(audiences);
    claims = List.copyOf(claims);
  }

  /**
   * A claim that a token has to have.
   *
   * @param value that it has to be or to contain, or null for any but {@code false} and null
   */
  public record RequiredClaim(String name, @Nullable String value) {

    /** {@code NAME} or {@code NAME=VALUE}. */
    public static RequiredClaim of(String text) {
      int equals = text.indexOf('=');
      return equals < 0
          ? new RequiredClaim(text, null)
          : new RequiredClaim(text.substring(0, equals), text.substring(equals + 1));
    }

    @Override
    public String toString() {
      return value == null ? name : name + "=" + value;
    }
  }
}
