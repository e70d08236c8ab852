package io.forebay.server.config;

import static io.forebay.server.config.Field.optional;
import static io.forebay.server.config.ValueType.duration;

import io.forebay.server.config.JwtConfig.ClaimField;
import io.forebay.server.config.JwtConfig.TokenPlace;
import io.forebay.server.jwt.JwtAlgorithm;
import io.forebay.server.jwt.JwtExpectations.RequiredClaim;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The keys of {@code protection.NAME.jwt}; a part of the table of {@link ConfigKeys}. */
final class JwtKeys {
  static final Field<ProtectionProfile, List<String>> ALGORITHMS =
      optional(
          "jwt.algorithms",
          ValueType.list(
              "list of algorithms",
              "`RS256`, `RS384`, `RS512`, `PS256`, `PS384`, `PS512`, `ES256`, `ES384`, `ES512`,"
                  + " `EdDSA` (Ed25519), `HS256`, `HS384`, `HS512`",
              text -> JwtAlgorithm.of(text) != null,
              false,
              "write algorithms such as RS256 or ES256"),
          "none",
          false,
          of(jwt ->
              Arrays.stream(JwtAlgorithm.values())
                  .filter(jwt.expected().algorithms()::contains)
                  .map(JwtAlgorithm::label)
                  .toList()),
          "If it is given, clients need a token (JWT, RFC 7519) that is signed by one of these"
              + " algorithms; others receive 401. `HS` needs `jwt.secret-file`, all others need a"
              + " JWK set.");
  static final Field<ProtectionProfile, Path> KEYS_FILE =
      optional(
          "jwt.keys-file",
          ValueType.PATH,
          "none",
          false,
          of(JwtConfig::keysFile),
          "File with the JWK set (RFC 7517) that tokens are signed with; at most 64 keys. A reload"
              + " reads it again.");
  static final Field<ProtectionProfile, URI> KEYS_URL =
      optional(
          "jwt.keys-url",
          ValueType.DIRECTORY_URL,
          "none",
          false,
          of(JwtConfig::keysUrl),
          "URL of the JWK set. It is fetched at the start, again when its `Cache-Control` says so"
              + " (1 minute to 1 day; without, every 10 minutes), and at most every 30 s for a token"
              + " that names a key it does not have. While the URL fails, the last good set counts;"
              + " it is kept in `store.data`.");
  static final Field<ProtectionProfile, Path> SECRET_FILE =
      optional(
          "jwt.secret-file",
          ValueType.PATH,
          "none",
          false,
          of(JwtConfig::secretFile),
          "File whose first line is the secret for `HS256`, `HS384` or `HS512`: at least as many"
              + " bytes as the hash, 32, 48 or 64. A reload reads it again.");
  static final Field<ProtectionProfile, String> ISSUER =
      optional(
          "jwt.issuer",
          ValueType.TEXT,
          "any",
          false,
          of(jwt -> jwt.expected().issuer()),
          "What `iss` of a token has to be.");
  static final Field<ProtectionProfile, List<String>> AUDIENCES =
      optional(
          "jwt.audiences",
          ValueType.list(
              "list of audiences",
              "1 to 256 printable ASCII characters each, without commas",
              text -> text.matches("[ -+\\--~]{1,256}"),
              false,
              "write what tokens have in aud, such as https://api.example.com"),
          "any",
          false,
          of(jwt -> jwt.expected().audiences()),
          "One of these has to be in `aud` of a token. Without it, tokens that the issuer made for"
              + " other services are valid here too.");
  static final Field<ProtectionProfile, List<String>> CLAIMS =
      optional(
          "jwt.required-claims",
          ValueType.list(
              "list of claims",
              "`NAME` or `NAME=VALUE`",
              text -> text.matches("[!-+\\--<>-~]{1,128}(=[ -+\\--~]{1,256})?"),
              false,
              "write claims such as email_verified or scope=read"),
          "none",
          false,
          of(jwt -> jwt.expected().claims().stream().map(RequiredClaim::toString).toList()),
          "Claims of which a token needs all; without one the client receives 403. With a value,"
              + " the claim has to be that value or an array with it; `scope` and `scp` may be"
              + " several values with blanks between.");
  static final Field<ProtectionProfile, Duration> SKEW =
      optional(
          "jwt.clock-skew",
          duration("0", "10m"),
          "`1m`",
          false,
          of(jwt -> Duration.ofSeconds(jwt.expected().skewSeconds())),
          "By how much the clocks of issuer and node may differ, for `exp` (which a token must"
              + " have), `nbf` and `iat`.");
  static final Field<ProtectionProfile, List<String>> FROM =
      optional(
          "jwt.from",
          ValueType.list(
              "list of places",
              "`bearer` (the `Authorization` field), `cookie NAME` or `query NAME`",
              text ->
                  text.matches(
                      "bearer|cookie [!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}|query [A-Za-z0-9_-]{1,32}"),
              false,
              "write places such as bearer or cookie session"),
          "`bearer`",
          false,
          of(jwt -> jwt.from().stream().map(TokenPlace::toString).toList()),
          "Where requests have their token: the first of these that is there counts. Parameters with"
              + " tokens are neither in keys nor in requests to origins nor in the access log.");
  static final Field<ProtectionProfile, List<String>> CLAIM_FIELDS =
      optional(
          "jwt.claims-to-headers",
          ValueType.list(
              "list of claims",
              "`CLAIM=FIELD`, at most 8",
              text ->
                  text.matches("[!-+\\--<>-~]{1,128}=[A-Za-z0-9][A-Za-z0-9-]{0,63}")
                      && ValueType.isFreeField(text.substring(text.indexOf('=') + 1)),
              false,
              "write a claim and the name of a field, such as sub=X-User"),
          "none",
          false,
          of(jwt -> jwt.claimFields().stream().map(ClaimField::toString).toList()),
          "Claims that become fields of the request, for rules and origins: strings, numbers,"
              + " booleans, and arrays of these with commas between, up to 256 visible ASCII"
              + " characters; other claims are left out. Fields of these names that clients send are"
              + " always removed. The fields are part of the key: each value gets its own responses.");
  static final Field<ProtectionProfile, String> REALM =
      optional(
          "jwt.realm",
          ValueType.REALM,
          "`Restricted`",
          false,
          of(JwtConfig::realm),
          "The realm in `WWW-Authenticate`.");
  static final Field<ProtectionProfile, Boolean> FORWARD =
      optional(
          "jwt.forward",
          ValueType.BOOLEAN,
          "`false`",
          false,
          of(JwtConfig::isForwarded),
          "Whether the origin gets the `Authorization` field or the cookie with the token. If so, a"
              + " response to a request with `Authorization` is stored only if it says that it may"
              + " be shared (RFC 9111 §3.5); otherwise responses are stored as if the route were"
              + " open.");

  static final List<Field<ProtectionProfile, ?>> ALL =
      List.of(
          ALGORITHMS,
          KEYS_FILE,
          KEYS_URL,
          SECRET_FILE,
          ISSUER,
          AUDIENCES,
          CLAIMS,
          SKEW,
          FROM,
          CLAIM_FIELDS,
          REALM,
          FORWARD);

  private JwtKeys() {}

  private static <T> Function<ProtectionProfile, @Nullable T> of(
      Function<JwtConfig, @Nullable T> reader) {
    return profile -> profile.jwt() == null ? null : reader.apply(profile.jwt());
  }
}
