package io.forebay.server.config;

import static io.forebay.server.config.Field.live;
import static io.forebay.server.config.Field.optional;
import static io.forebay.server.config.ValueType.size;

import io.forebay.server.compress.DictionarySettings;
import io.forebay.server.config.ServerConfig.RouteConfig;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The keys of compression dictionaries, of routes. */
final class DictionaryKeys {
  private static final String DEFAULT_SIZE = "2MiB";
  private static final long DEFAULT_BYTES = 2 << 20;

  private static final ValueType<String> PATTERN =
      ValueType.matching(
          "URL pattern",
          "a path of up to 255 visible ASCII characters without `\"`, `\\`, `(` and `)`; `*` and"
              + " `:name` stand for parts",
          "/[!#-'*-\\[\\]-~]{0,254}",
          "/",
          "write one such as /app/*");
  private static final ValueType<String> NAME =
      ValueType.matching(
          "text",
          "1 to 255 printable ASCII characters without `\"` and `\\`",
          "[ !#-\\[\\]-~]{1,255}",
          "-",
          "write one such as app-2");
  private static final ValueType<List<String>> KINDS =
      ValueType.list(
          "list of destinations",
          "destinations of the Fetch standard, such as `script`, `style`, `document`",
          text -> text.matches("[a-z]{1,32}"),
          false,
          "write destinations such as script, style");

  static final Field<RouteConfig, Boolean> ENABLED =
      optional(
          "dictionary.enabled",
          ValueType.ON_OFF,
          "`on` with `dictionary.match`",
          false,
          route -> route.compression().dictionary() == null ? null : true,
          "Whether responses are sent as deltas (`dcb`, `dcz`) to clients that have an earlier one"
              + " as a dictionary (RFC 9842), over HTTPS. `dictionary: on` is short for it: then"
              + " responses are dictionaries if their origin says so by `Use-As-Dictionary`. See"
              + " [COMPRESSION.md](COMPRESSION.md#dictionaries).");
  static final Field<RouteConfig, String> MATCH =
      optional(
          "dictionary.match",
          PATTERN,
          "none",
          false,
          of(DictionarySettings::match),
          "URLs of the same origin for which the route's responses are dictionaries: the node sends"
              + " `Use-As-Dictionary` with this pattern, unless the origin has sent the field.");
  static final Field<RouteConfig, List<String>> DESTINATIONS =
      live(
          "dictionary.match-dest",
          KINDS,
          "",
          route -> {
            DictionarySettings settings = route.compression().dictionary();
            return settings == null ? List.of() : settings.destinations();
          },
          "Kinds of requests that the pattern is for; empty: all.");
  static final Field<RouteConfig, String> ID =
      optional(
          "dictionary.id",
          NAME,
          "none",
          false,
          of(DictionarySettings::id),
          "What clients repeat as `Dictionary-ID`, for logs; the node goes by the hash alone.");
  static final Field<RouteConfig, Long> MAX_SIZE =
      live(
          "dictionary.max-size",
          size("1KiB", "8MiB"),
          DEFAULT_SIZE,
          route -> {
            DictionarySettings settings = route.compression().dictionary();
            return settings == null ? DEFAULT_BYTES : settings.maxBytes();
          },
          "Largest dictionary, and largest response that is sent as a delta. At most two deltas are"
              + " made at a time, each with its dictionary in memory.");

  /** Of each route. */
  static final List<Field<RouteConfig, ?>> OF_ROUTE =
      List.of(ENABLED, MATCH, DESTINATIONS, ID, MAX_SIZE);

  private DictionaryKeys() {}

  private static Function<RouteConfig, @Nullable String> of(
      Function<DictionarySettings, @Nullable String> part) {
    return route -> {
      DictionarySettings settings = route.compression().dictionary();
      return settings == null ? null : part.apply(settings);
    };
  }
}
