package io.forebay.server.config;

import static io.forebay.server.config.Field.optional;
import static io.forebay.server.config.ValueType.duration;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.HopByHop;
import io.forebay.server.config.ForwardAuthConfig.CachePart;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The keys of {@code protection.NAME.forward-auth}; a part of the table of {@link ConfigKeys}. */
final class ForwardAuthKeys {
  /** Fields that are written by the node, or that ask for something else than a verdict. */
  private static final Set<String> NOT_SENT =
      Set.of(
          "cdn-loop",
          "content-length",
          "expect",
          "host",
          "if-match",
          "if-modified-since",
          "if-none-match",
          "if-range",
          "if-unmodified-since",
          "range",
          "via");

  static final Field<ProtectionProfile, String> ORIGIN =
      optional(
          "forward-auth.origin",
          ValueType.NAME,
          "none",
          false,
          of(ForwardAuthConfig::origin),
          "Name of the origin that decides. If it is given, each request is asked about: a GET or"
              + " HEAD without content, with `X-Forwarded-Method`, `-Proto`, `-Host`, `-Uri`, `-For`,"
              + " `X-Original-Method` and `X-Original-URL`. A 2xx admits the request; 401 and 403"
              + " are given to the client with their fields.");
  static final Field<ProtectionProfile, String> PATH =
      optional(
          "forward-auth.path",
          ValueType.PROBE_PATH,
          "`/`",
          false,
          of(ForwardAuthConfig::path),
          "Path and query that the origin is asked for.");
  static final Field<ProtectionProfile, String> METHOD =
      optional(
          "forward-auth.method",
          ValueType.oneOf("GET", "HEAD"),
          "`GET`",
          false,
          of(ForwardAuthConfig::method),
          "Method that the origin is asked with.");
  static final Field<ProtectionProfile, List<String>> REQUEST_FIELDS =
      optional(
          "forward-auth.request-headers",
          ValueType.list(
              "list of fields",
              "names of header fields, except those that the node writes, ranges and conditions",
              ForwardAuthKeys::maySend,
              true,
              "write names such as Authorization"),
          "`authorization,cookie`",
          false,
          of(ForwardAuthConfig::requestFields),
          "Fields of the request that the origin gets.");
  static final Field<ProtectionProfile, List<String>> RESPONSE_FIELDS =
      optional(
          "forward-auth.response-headers",
          ValueType.list(
              "list of fields",
              "names of header fields with letters, digits and `-`, at most 16",
              text -> text.matches("[A-Za-z0-9][A-Za-z0-9-]{0,63}") && ValueType.isFreeField(text),
              true,
              "write names such as X-User"),
          "none",
          false,
          of(ForwardAuthConfig::responseFields),
          "Fields of a 2xx response that the request gets, for rules and the origin of the route."
              + " Fields of these names that clients send are always removed. The fields are part of"
              + " the key: each value gets its own responses.");
  static final Field<ProtectionProfile, List<String>> CACHE_BY =
      optional(
          "forward-auth.cache-by",
          ValueType.list(
              "list of parts",
              "`header NAME`, `cookie NAME`, `host`, `method` or `path`",
              text ->
                  text.matches("host|method|path|(header|cookie) [!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}"),
              false,
              "write parts such as header Authorization or cookie session"),
          "none",
          false,
          of(auth -> auth.cacheBy().stream().map(CachePart::toString).toList()),
          "What a request is admitted by for `forward-auth.ttl` once another one with the same was:"
              + " everything that a verdict depends on. Without it, each request is asked about.");
  static final Field<ProtectionProfile, Duration> TTL =
      optional(
          "forward-auth.ttl",
          duration("1s", "1h"),
          "`1m`",
          false,
          of(ForwardAuthConfig::ttl),
          "For how long a 2xx counts. `Cache-Control` of the response shortens it: `no-store`,"
              + " `no-cache`, `max-age`. Other verdicts are not remembered.");
  static final Field<ProtectionProfile, Duration> TIMEOUT =
      optional(
          "forward-auth.timeout",
          duration("100ms", "1m"),
          "`5s`",
          false,
          of(ForwardAuthConfig::timeout),
          "Time for a verdict.");
  static final Field<ProtectionProfile, Boolean> REDIRECTS =
      optional(
          "forward-auth.pass-redirects",
          ValueType.BOOLEAN,
          "`false`",
          false,
          of(ForwardAuthConfig::passesRedirects),
          "Whether clients get redirects of the origin, such as to a login page; otherwise these"
              + " are no verdict.");
  static final Field<ProtectionProfile, String> ON_ERROR =
      optional(
          "forward-auth.on-error",
          ValueType.oneOf("refuse", "admit"),
          "`refuse`",
          false,
          of(auth -> auth.admitsOnError() ? "admit" : "refuse"),
          "What becomes of a request if the origin does not answer, or with another status: 503, or"
              + " it is served as if the origin had admitted it.");
  static final Field<ProtectionProfile, Boolean> FORWARD =
      optional(
          "forward-auth.forward",
          ValueType.BOOLEAN,
          "`false`",
          false,
          of(ForwardAuthConfig::isForwarded),
          "Whether the origin of the route gets the `Authorization` field, if it is one of"
              + " `request-headers`, and the cookies of `cache-by`. If so, a response to a request"
              + " with `Authorization` is stored only if it says that it may be shared (RFC 9111"
              + " §3.5); otherwise responses are stored as if the route were open.");

  static final List<Field<ProtectionProfile, ?>> ALL =
      List.of(
          ORIGIN,
          PATH,
          METHOD,
          REQUEST_FIELDS,
          RESPONSE_FIELDS,
          CACHE_BY,
          TTL,
          TIMEOUT,
          REDIRECTS,
          ON_ERROR,
          FORWARD);

  private ForwardAuthKeys() {}

  private static boolean maySend(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return FieldSyntax.isToken(name)
        && !HopByHop.STANDARD.has(lower)
        && !NOT_SENT.contains(lower)
        && !lower.startsWith("x-forwarded-")
        && !lower.startsWith("x-original-");
  }

  private static <T> Function<ProtectionProfile, @Nullable T> of(
      Function<ForwardAuthConfig, T> reader) {
    return profile -> profile.forwardAuth() == null ? null : reader.apply(profile.forwardAuth());
  }
}
