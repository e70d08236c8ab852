package io.forebay.server.config;

import static io.forebay.server.config.Field.live;
import static io.forebay.server.config.Field.optional;
import static io.forebay.server.config.Field.required;
import static io.forebay.server.config.ValueType.duration;
import static io.forebay.server.config.ValueType.integer;

import io.forebay.server.config.ProtectionProfile.BasicAuthConfig;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig.Unit;
import io.forebay.server.config.ProtectionProfile.SignedUrlConfig;
import io.forebay.server.config.ProtectionProfile.UrlKey;
import io.forebay.server.config.Section.Shape;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The keys of {@code protection}; a part of the table of {@link ConfigKeys}. */
final class ProtectionKeys {
  static final Field<ProtectionProfile, List<String>> ALLOW =
      optional(
          "access.allow",
          ValueType.NETWORKS,
          "all clients",
          false,
          profile -> profile.access().allow(),
          "Networks whose clients are served. If this or `access.allow-file` is given, all other"
              + " clients receive 403. The client's address is that of the peer, of the PROXY"
              + " protocol or, from a network of `forwarding.trusted`, of `X-Forwarded-For` or"
              + " `Forwarded`.");
  static final Field<ProtectionProfile, List<String>> DENY =
      live(
          "access.deny",
          ValueType.NETWORKS,
          "",
          profile -> profile.access().deny(),
          "Networks whose clients receive 403. Takes precedence over `access.allow` and"
              + " `access.allow-file`.");
  static final Field<ProtectionProfile, Path> ALLOW_FILE =
      optional(
          "access.allow-file",
          ValueType.PATH,
          "none",
          false,
          profile -> profile.access().allowFile(),
          "File with further networks for `access.allow`: one address or CIDR block on each line,"
              + " `#` begins a comment; at most 1000000. A reload reads it again.");
  static final Field<ProtectionProfile, Path> DENY_FILE =
      optional(
          "access.deny-file",
          ValueType.PATH,
          "none",
          false,
          profile -> profile.access().denyFile(),
          "File with further networks for `access.deny`, in the same form.");

  static final Field<RateLimitConfig, String> LIMIT_NAME =
      required(
          "name",
          ValueType.NAME,
          false,
          RateLimitConfig::name,
          "Name of the limit in the `RateLimit` fields; a limit that keeps its name keeps its"
              + " counts over a reload.");
  static final Field<RateLimitConfig, String> LIMIT_KEY =
      live(
          "key",
          ValueType.matching(
              "rate limit key",
              "`client`, `client-network`, `host`, `route`, `header NAME`, `cookie NAME` or `claim"
                  + " NAME`",
              "client|client-network|host|route|(header|cookie) [!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}"
                  + "|claim [!-~]{1,64}",
              "client",
              "write one of these"),
          "client-network",
          RateLimitConfig::key,
          "What requests are counted by: the client's address, its network (an IPv4 address, or"
              + " the /64 network of an IPv6 address), the host, the route, or the value of a"
              + " header field or cookie, or a claim of the token (`jwt`), which counts once the token"
              + " is verified. Requests without it count together.");
  static final Field<RateLimitConfig, Integer> LIMIT_REQUESTS =
      optional(
          "requests",
          integer(1, 1_000_000),
          "required, or `bytes` or `in-flight`",
          false,
          limit -> number(limit.quota(Unit.REQUESTS)),
          "Requests that are admitted within `per`, in the long run; others receive 429.");
  static final Field<RateLimitConfig, Long> LIMIT_BYTES =
      optional(
          "bytes",
          ValueType.size("1KiB", "100TiB"),
          "none",
          false,
          limit -> limit.quota(Unit.BYTES),
          "Bytes of response bodies that may be sent within `per`, in the long run. Requests that"
              + " come while more than that has been sent receive 429; bodies that have begun are"
              + " sent to their end.");
  static final Field<RateLimitConfig, Integer> LIMIT_IN_FLIGHT =
      optional(
          "in-flight",
          integer(1, 1_000_000),
          "none",
          false,
          limit -> number(limit.quota(Unit.IN_FLIGHT)),
          "Requests that may be in progress, until the end of their responses or tunnels; others"
              + " receive 429. Hits of such routes do not take the fast lane.");
  static final Field<RateLimitConfig, Duration> LIMIT_PER =
      live(
          "per",
          duration("1s", "1d"),
          "1s",
          ProtectionKeys::per,
          "Time for `requests` or `bytes`.");
  static final Field<RateLimitConfig, Integer> LIMIT_BURST =
      optional(
          "burst",
          integer(1, 1_000_000),
          "as many as `requests`",
          false,
          limit -> limit.unit() == Unit.REQUESTS ? number(limit.burst()) : null,
          "Requests that are admitted at once after a pause.");
  static final Field<RateLimitConfig, Long> LIMIT_BURST_BYTES =
      optional(
          "burst-bytes",
          ValueType.size("1KiB", "100TiB"),
          "as many as `bytes`",
          false,
          limit -> limit.unit() == Unit.BYTES ? limit.burst() : null,
          "Bytes that may be sent at once after a pause, for `bytes`.");
  static final Field<RateLimitConfig, Duration> LIMIT_PENALTY =
      optional(
          "penalty",
          duration("1s", "1d"),
          "none",
          false,
          RateLimitConfig::penalty,
          "How long all requests are refused after the first that exceeded a limit on `requests`.");
  static final Section<RateLimitConfig> RATE_LIMITS =
      new Section<>(
          "protection.NAME.rate-limits",
          Shape.LIST_IN_NAMED,
          "Limits of a profile, asked in this order; each counts the requests that those before it"
              + " admit, hits included. Routes of one profile count together. At most 16 limits.",
          "",
          List.of(
              LIMIT_NAME,
              LIMIT_KEY,
              LIMIT_REQUESTS,
              LIMIT_BYTES,
              LIMIT_IN_FLIGHT,
              LIMIT_PER,
              LIMIT_BURST,
              LIMIT_BURST_BYTES,
              LIMIT_PENALTY),
          config -> limits(config, ProtectionProfile::rateLimits));

  static final Field<RateLimitConfig, String> FETCH_NAME =
      required(
          "name",
          ValueType.NAME,
          false,
          RateLimitConfig::name,
          "Name of the limit in errors; a limit that keeps its name keeps its counts over a reload.");
  static final Field<RateLimitConfig, String> FETCH_KEY =
      live(
          "key",
          ValueType.oneOf("route", "host"),
          "route",
          RateLimitConfig::key,
          "What fetches are counted by: the route, or the host of the request.");
  static final Field<RateLimitConfig, Integer> FETCH_IN_FLIGHT =
      optional(
          "in-flight",
          integer(1, 1_000_000),
          "required, or `requests`",
          false,
          limit -> number(limit.quota(Unit.IN_FLIGHT)),
          "Requests to origins that may be in progress.");
  static final Field<RateLimitConfig, Integer> FETCH_REQUESTS =
      optional(
          "requests",
          integer(1, 1_000_000),
          "none",
          false,
          limit -> number(limit.quota(Unit.REQUESTS)),
          "Requests to origins that are admitted within `per`, in the long run.");
  static final Field<RateLimitConfig, Duration> FETCH_PER =
      live("per", duration("1s", "1d"), "1s", ProtectionKeys::per, "Time for `requests`.");
  static final Field<RateLimitConfig, Integer> FETCH_BURST =
      optional(
          "burst",
          integer(1, 1_000_000),
          "as many as `requests`",
          false,
          limit -> limit.unit() == Unit.REQUESTS ? number(limit.burst()) : null,
          "Requests to origins that are admitted at once after a pause.");
  static final Section<RateLimitConfig> FETCH_LIMITS =
      new Section<>(
          "protection.NAME.fetch-limits",
          Shape.LIST_IN_NAMED,
          "Limits on requests to origins, so that no tenant takes all of an origin. Beyond them a"
              + " stale response is served where `stale-if-error` allows it, otherwise 503; hits and"
              + " requests that join a fetch in progress are not counted. Refreshes in the background"
              + " do not start. At most 16 limits.",
          "",
          List.of(FETCH_NAME, FETCH_KEY, FETCH_IN_FLIGHT, FETCH_REQUESTS, FETCH_PER, FETCH_BURST),
          config -> limits(config, ProtectionProfile::fetchLimits));

  static final Field<ProtectionProfile, Path> AUTH_FILE =
      optional(
          "basic-auth.file",
          ValueType.PATH,
          "none",
          false,
          ofAuth(BasicAuthConfig::file),
          "File of users as `htpasswd -B` writes it (bcrypt, cost 4 to 14). If it is given, clients"
              + " without a name and password in it receive 401. A reload reads it again.");
  static final Field<ProtectionProfile, String> AUTH_REALM =
      optional(
          "basic-auth.realm",
          ValueType.REALM,
          "`Restricted`",
          false,
          ofAuth(BasicAuthConfig::realm),
          "What browsers show when they ask for the password.");
  static final Field<ProtectionProfile, Boolean> AUTH_FORWARD =
      optional(
          "basic-auth.forward",
          ValueType.BOOLEAN,
          "`false`",
          false,
          ofAuth(BasicAuthConfig::isForwarded),
          "Whether the origin gets the `Authorization` field. If so, a response is stored only if"
              + " it says that it may be shared (RFC 9111 §3.5); otherwise responses are stored as"
              + " if the route were open.");

  static final Field<ProtectionProfile, String> URL_TYPE =
      optional(
          "signed-urls.type",
          ValueType.oneOf("hmac", "nginx-secure-link", "cloudfront"),
          "none",
          false,
          ofUrls(urls -> urls.type().name().toLowerCase(Locale.ROOT).replace('_', '-')),
          "If it is given, only URLs that are signed with one of `url-keys` are served; others"
              + " receive 403, and 410 once their time is over. `hmac`: tokens of `forebay"
              + " sign-url`; `nginx-secure-link`: parameters `md5` and `expires` as for nginx's"
              + " `secure_link_md5`, which is weak; `cloudfront`: URLs and cookies that are signed for"
              + " CloudFront, with canned and custom policies. The parameters and cookies of the"
              + " signature are neither in keys nor in requests to origins nor in the access log.");
  static final Field<ProtectionProfile, String> URL_PARAMETER =
      optional(
          "signed-urls.parameter",
          ValueType.matching(
              "name",
              "1 to 32 letters, digits, `-` or `_`",
              "[A-Za-z0-9_-]{1,32}",
              "token",
              "use letters, digits, - or _"),
          "`token`",
          false,
          ofUrls(urls ->
              urls.type() == SignedUrlConfig.Type.HMAC ? urls.parameters().getFirst() : null),
          "Query parameter with the token, for `hmac`.");
  static final Field<ProtectionProfile, Boolean> URL_ADDRESS =
      optional(
          "signed-urls.nginx-address",
          ValueType.BOOLEAN,
          "`false`",
          false,
          ofUrls(urls ->
              urls.type() == SignedUrlConfig.Type.NGINX_SECURE_LINK ? urls.hasAddress() : null),
          "Whether nginx's recipe is `$secure_link_expires$uri$remote_addr SECRET` rather than"
              + " `$secure_link_expires$uri SECRET`.");
  static final Field<UrlKey, String> KEY_ID =
      required(
          "id",
          ValueType.NAME,
          false,
          UrlKey::id,
          "Id of the key; tokens name it (`Key-Pair-Id` of CloudFront).");
  static final Field<UrlKey, Secret> KEY_SECRET =
      optional(
          "secret",
          ValueType.SECRET_VALUE,
          "required, or `secret-file`; not for `cloudfront`",
          false,
          key -> key.publicKey() == null ? key.secret() : null,
          "The secret; at least 16 characters for `hmac`.");
  static final Field<UrlKey, Path> KEY_SECRET_FILE =
      optional(
          "secret-file",
          ValueType.PATH,
          "none",
          false,
          null,
          "File whose first line is the secret; read at start and at each reload.");
  static final Field<UrlKey, Path> KEY_PUBLIC_FILE =
      optional(
          "public-key-file",
          ValueType.PATH,
          "required for `cloudfront`",
          false,
          key -> key.publicKey() == null ? null : key.publicKey().file(),
          "PEM file with the public key: RSA of 2048 to 4096 bits, or EC on P-256. A reload reads it"
              + " again.");
  static final Section<UrlKey> URL_KEYS =
      new Section<>(
          "protection.NAME.url-keys",
          Shape.LIST_IN_NAMED,
          "Keys of `signed-urls`, each of which is valid: to change a key, add the new one, sign"
              + " with it, and remove the old one when its last link has expired. At most 16 keys.",
          "",
          List.of(KEY_ID, KEY_SECRET, KEY_SECRET_FILE, KEY_PUBLIC_FILE),
          ProtectionKeys::urlKeys);

  static final Section<ProtectionProfile> PROFILES =
      new Section<>(
          "protection",
          Shape.NAMED,
          "What decides whether a client may have an answer, by name. Routes name one of these"
              + " profiles in `protection`; it applies to hits as to all other requests.",
          "",
          fields(),
          config -> named(config.protections()));

  private ProtectionKeys() {}

  private static List<Field<ProtectionProfile, ?>> fields() {
    List<Field<ProtectionProfile, ?>> fields =
        new ArrayList<>(
            List.of(
                ALLOW,
                DENY,
                ALLOW_FILE,
                DENY_FILE,
                URL_TYPE,
                URL_PARAMETER,
                URL_ADDRESS,
                AUTH_FILE,
                AUTH_REALM,
                AUTH_FORWARD));
    fields.addAll(JwtKeys.ALL);
    fields.addAll(ForwardAuthKeys.ALL);
    return List.copyOf(fields);
  }

  private static <T> Function<ProtectionProfile, @Nullable T> ofAuth(
      Function<BasicAuthConfig, T> reader) {
    return profile -> profile.basicAuth() == null ? null : reader.apply(profile.basicAuth());
  }

  private static <T> Function<ProtectionProfile, @Nullable T> ofUrls(
      Function<SignedUrlConfig, @Nullable T> reader) {
    return profile -> profile.signedUrls() == null ? null : reader.apply(profile.signedUrls());
  }

  private static Map<String, UrlKey> urlKeys(ServerConfig config) {
    Map<String, UrlKey> keys = new LinkedHashMap<>();
    for (ProtectionProfile profile : config.protections()) {
      SignedUrlConfig urls = profile.signedUrls();
      for (int i = 0; urls != null && i < urls.keys().size(); i++) {
        keys.put(profile.name() + "." + i, urls.keys().get(i));
      }
    }
    return keys;
  }

  private static @Nullable Duration per(RateLimitConfig limit) {
    return limit.unit() == Unit.IN_FLIGHT ? null : limit.per();
  }

  private static @Nullable Integer number(@Nullable Long value) {
    return value == null ? null : value.intValue();
  }

  private static Map<String, RateLimitConfig> limits(
      ServerConfig config, Function<ProtectionProfile, List<RateLimitConfig>> reader) {
    Map<String, RateLimitConfig> limits = new LinkedHashMap<>();
    for (ProtectionProfile profile : config.protections()) {
      List<RateLimitConfig> all = reader.apply(profile);
      for (int i = 0; i < all.size(); i++) {
        limits.put(profile.name() + "." + i, all.get(i));
      }
    }
    return limits;
  }

  private static Map<String, ProtectionProfile> named(List<ProtectionProfile> profiles) {
    Map<String, ProtectionProfile> named = new LinkedHashMap<>();
    profiles.forEach(profile -> named.put(profile.name(), profile));
    return named;
  }
}
