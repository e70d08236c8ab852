package io.forebay.server.config;

import io.forebay.server.config.JwtConfig.ClaimField;
import io.forebay.server.config.JwtConfig.TokenPlace;
import io.forebay.server.network.NetworkSet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What decides whether a client may have an answer of the routes that name this profile.
 *
 * @param name as routes name it
 */
public record ProtectionProfile(
    String name,
    AccessConfig access,
    List<RateLimitConfig> rateLimits,
    List<RateLimitConfig> fetchLimits,
    @Nullable SignedUrlConfig signedUrls,
    @Nullable BasicAuthConfig basicAuth,
    @Nullable JwtConfig jwt,
    @Nullable ForwardAuthConfig forwardAuth) {

  public ProtectionProfile {
    rateLimits = List.copyOf(rateLimits);
    fetchLimits = List.copyOf(fetchLimits);
  }

  /** The parameters of queries that only protection sees. */
  public List<String> credentialParameters() {
    List<String> names = new ArrayList<>();
    if (signedUrls != null) {
      names.addAll(signedUrls.parameters());
    }
    if (jwt != null) {
      names.addAll(jwt.names(TokenPlace.Kind.QUERY));
    }
    return names;
  }

  /** The fields, in lower case, that requests get from the check and never from clients. */
  public List<String> verifiedFields() {
    List<String> names = new ArrayList<>();
    if (jwt != null) {
      jwt.claimFields().stream().map(ClaimField::field).forEach(names::add);
    }
    if (forwardAuth != null) {
      names.addAll(forwardAuth.responseFields());
    }
    return names;
  }

  /**
   * Which networks clients may come from. A client of {@code denied} is refused; where {@code
   * allowed} is there, so is everybody who is not in it.
   *
   * @param allow as configured; null where everybody may come who is not denied
   * @param allowed the networks of {@code allow} and {@code allowFile}; null where neither is given
   * @param denied those of {@code deny} and {@code denyFile}
   */
  public record AccessConfig(
      @Nullable List<String> allow,
      List<String> deny,
      @Nullable Path allowFile,
      @Nullable Path denyFile,
      @Nullable NetworkSet allowed,
      NetworkSet denied) {

    /** Everybody. */
    public static final AccessConfig ALL =
        new AccessConfig(null, List.of(), null, null, null, NetworkSet.EMPTY);

    public boolean isOpen() {
      return allowed == null && denied.isEmpty();
    }
  }

  /**
   * A limit on requests, on the bytes of their responses, or on fetches, by what they have in
   * common.
   *
   * @param field lower-case name of the header field, or name of the cookie or claim; else empty
   * @param quota requests or bytes within {@code per}, or requests in progress
   * @param burst requests or bytes that are admitted at once after a pause
   * @param penalty how long a client that exceeded the limit is refused; null without penalty
   */
  public record RateLimitConfig(
      String name,
      Kind kind,
      String field,
      Unit unit,
      long quota,
      Duration per,
      long burst,
      @Nullable Duration penalty) {

    /** What is counted. */
    public enum Unit {
      REQUESTS,
      /** Of response bodies, as sent. */
      BYTES,
      IN_FLIGHT
    }

    /** What requests are counted by. */
    public enum Kind {
      CLIENT,
      CLIENT_NETWORK,
      HEADER,
      COOKIE,
      HOST,
      ROUTE,
      /** Of the token, once that is verified. */
      CLAIM
    }

    /** Requests or bytes that are admitted within that time; never past a bound in progress. */
    public static RateLimitConfig of(
        String name, Kind kind, String field, Unit unit, long quota, Duration per) {
      return new RateLimitConfig(name, kind, field, unit, quota, per, quota, null);
    }

    /** The quota, or null where another unit is counted. */
    @Nullable Long quota(Unit counted) {
      return unit == counted ? quota : null;
    }

    /** The key as it is written in the configuration. */
    public String key() {
      String word = kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
      return field.isEmpty() ? word : word + " " + field;
    }
  }

  /**
   * Links that admit every client that presents them.
   *
   * @param parameters of the query that the signature consists of
   * @param hasAddress whether nginx's recipe has the client's address
   * @param keys each of which is valid
   */
  public record SignedUrlConfig(
      Type type, List<String> parameters, boolean hasAddress, List<UrlKey> keys) {

    /** What signed URLs of CloudFront have in their query. */
    public static final List<String> CLOUDFRONT_PARAMETERS =
        List.of("Policy", "Expires", "Signature", "Key-Pair-Id", "Hash-Algorithm");

    /** How links are signed. */
    public enum Type {
      HMAC,
      NGINX_SECURE_LINK,
      CLOUDFRONT
    }

    /** The cookies that a signature can be in. */
    public List<String> cookies() {
      return type == Type.CLOUDFRONT
          ? CLOUDFRONT_PARAMETERS.stream().map(name -> "CloudFront-" + name).toList()
          : List.of();
    }
  }

  /**
   * What URLs are signed with, or verified by.
   *
   * @param publicKey by which signatures of CloudFront are verified; null for all other types,
   *     which have a secret
   */
  public record UrlKey(String id, Secret secret, @Nullable PublicKeyFile publicKey) {

    /** A secret. */
    public UrlKey(String id, Secret secret) {
      this(id, secret, null);
    }
  }

  /**
   * Names and passwords that admit a client.
   *
   * @param isForwarded whether the origin gets the Authorization field, which otherwise nobody
   *     behind the check sees
   */
  public record BasicAuthConfig(Path file, String realm, boolean isForwarded, PasswordFile users) {}
}
