package io.forebay.server.config;

import static io.forebay.server.config.Field.atStart;
import static io.forebay.server.config.Field.live;
import static io.forebay.server.config.Field.optional;
import static io.forebay.server.config.ValueType.integer;
import static io.forebay.server.config.ValueType.size;

import io.forebay.server.compress.CodingLevels;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.config.Section.Shape;
import io.forebay.server.config.ServerConfig.RouteConfig;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The keys of content codings: of the node, and of routes. */
final class CompressionKeys {
  private static final ValueType<List<String>> TYPES =
      ValueType.list(
          "list of media types",
          "`TYPE/SUBTYPE`, `TYPE/*` or `*+SUFFIX`",
          text ->
              text.matches(
                  "[A-Za-z0-9!#$&^_.+-]{1,64}/([A-Za-z0-9!#$&^_.+-]{1,64}|\\*)"
                      + "|\\*\\+[A-Za-z0-9.-]{1,64}"),
          true,
          "write types such as text/* or application/json");
  private static final ValueType<List<String>> CODINGS =
      ValueType.list(
          "list of codings",
          "`br`, `zstd`, `gzip`; the preferred one first",
          text -> ContentCoding.ofToken(text) != null,
          false,
          "write codings such as br, gzip");
  private static final String AS_NODE = "as `compress`";

  static final Field<CompressionConfig, Boolean> ENABLED =
      live(
          "enabled",
          ValueType.ON_OFF,
          "on",
          config -> config.settings().isOn(),
          "Whether responses are compressed for clients that accept it. `compress: off` is short for"
              + " it. See [COMPRESSION.md](COMPRESSION.md).");
  static final Field<CompressionConfig, List<String>> MEDIA_TYPES =
      live(
          "types",
          TYPES,
          String.join(",", CompressionSettings.TEXT_TYPES),
          config -> config.settings().types(),
          "Media types that are compressed. `text/event-stream` never is.");
  static final Field<CompressionConfig, Long> MIN =
      live(
          "min",
          size("0", "1GiB"),
          "256",
          config -> config.settings().minBytes(),
          "Bodies known to be smaller are not compressed.");
  static final Field<CompressionConfig, List<String>> ACCEPTED =
      live(
          "codings",
          CODINGS,
          "br,zstd,gzip",
          config -> config.settings().codings().stream().map(ContentCoding::token).toList(),
          "Codings that are used. A client gets the one to which its `Accept-Encoding` gives the"
              + " most weight; among equals, the first of this list.");
  static final Field<CompressionConfig, Boolean> PRIVATE =
      live(
          "private",
          ValueType.ON_OFF,
          "off",
          config -> config.settings().isPrivate(),
          "Whether responses that are not stored are compressed if the request has `Cookie` or"
              + " `Authorization`. Compression can reveal a secret in a page that also repeats what"
              + " an attacker sends (BREACH, see [SECURITY.md](SECURITY.md)).");
  static final Field<CompressionConfig, Integer> THREADS =
      atStart(
          "threads",
          integer(0, 64),
          "0",
          CompressionConfig::threads,
          "Maximum number of threads that compress; 0: a quarter of the processors, at least one."
              + " None without a route that compresses.");
  static final Field<CompressionConfig, Integer> STREAMS =
      atStart(
          "streams",
          integer(0, 100_000),
          "128",
          CompressionConfig::streams,
          "Maximum number of bodies that are compressed at a time while they are sent; further ones"
              + " are sent as they are. Each takes up to about 1 MiB.");

  static final Field<CompressionConfig, Integer> STREAM_BR =
      ofStreams("br", 0, 11, 4, CodingLevels::br);
  static final Field<CompressionConfig, Integer> STREAM_ZSTD =
      ofStreams("zstd", 1, 19, 3, CodingLevels::zstd);
  static final Field<CompressionConfig, Integer> STREAM_GZIP =
      ofStreams("gzip", 1, 9, 5, CodingLevels::gzip);
  static final Field<CompressionConfig, Integer> COPY_BR =
      ofCopies("br", 0, 11, 9, CodingLevels::br);
  static final Field<CompressionConfig, Integer> COPY_ZSTD =
      ofCopies("zstd", 1, 19, 12, CodingLevels::zstd);
  static final Field<CompressionConfig, Integer> COPY_GZIP =
      ofCopies("gzip", 1, 9, 9, CodingLevels::gzip);

  static final Field<RouteConfig, Boolean> ROUTE_ENABLED =
      ofRoute(
          "enabled",
          ValueType.ON_OFF,
          CompressionConfig.OfRoute::enabled,
          "Whether the route's responses are compressed. `compress: off` is short for it.");
  static final Field<RouteConfig, List<String>> ROUTE_TYPES =
      ofRoute(
          "types",
          TYPES,
          CompressionConfig.OfRoute::types,
          "Media types that are compressed, in place of those of `compress.types`.");
  static final Field<RouteConfig, Long> ROUTE_MIN =
      ofRoute(
          "min",
          size("0", "1GiB"),
          CompressionConfig.OfRoute::minBytes,
          "Bodies known to be smaller are not compressed.");
  static final Field<RouteConfig, List<String>> ROUTE_CODINGS =
      ofRoute(
          "codings",
          CODINGS,
          route ->
              route.codings() == null
                  ? null
                  : route.codings().stream().map(ContentCoding::token).toList(),
          "Codings that are used, the preferred one first.");
  static final Field<RouteConfig, Boolean> ROUTE_PRIVATE =
      ofRoute(
          "private",
          ValueType.ON_OFF,
          CompressionConfig.OfRoute::privates,
          "Whether responses that are not stored are compressed if the request has `Cookie` or"
              + " `Authorization`.");

  /** Of each route. */
  static final List<Field<RouteConfig, ?>> OF_ROUTE =
      Stream.concat(
              Stream.of(ROUTE_ENABLED, ROUTE_TYPES, ROUTE_MIN, ROUTE_CODINGS, ROUTE_PRIVATE),
              DictionaryKeys.OF_ROUTE.stream())
          .toList();

  static final Section<CompressionConfig> SECTION =
      new Section<>(
          "compress",
          Shape.ONCE,
          "Content codings of responses; routes may have other settings. Responses that have a coding"
              + " already, ranges, and those with `Cache-Control: no-transform` are left alone.",
          "enabled",
          List.of(
              ENABLED,
              MEDIA_TYPES,
              MIN,
              ACCEPTED,
              PRIVATE,
              STREAM_BR,
              STREAM_ZSTD,
              STREAM_GZIP,
              COPY_BR,
              COPY_ZSTD,
              COPY_GZIP,
              THREADS,
              STREAMS),
          config -> Map.of("", config.compression()));

  private CompressionKeys() {}

  private static Field<CompressionConfig, Integer> ofStreams(
      String coding, int min, int max, int usual, ToIntFunction<CodingLevels> level) {
    return live(
        "stream-levels." + coding,
        integer(min, max),
        Integer.toString(usual),
        config -> level.applyAsInt(config.settings().streams()),
        "Level of " + coding + " for bodies that are compressed while they are sent.");
  }

  private static Field<CompressionConfig, Integer> ofCopies(
      String coding, int min, int max, int usual, ToIntFunction<CodingLevels> level) {
    return live(
        "copy-levels." + coding,
        integer(min, max),
        Integer.toString(usual),
        config -> level.applyAsInt(config.settings().copies()),
        "Level of " + coding + " for copies that are stored.");
  }

  private static <T> Field<RouteConfig, T> ofRoute(
      String name,
      ValueType<T> type,
      Function<CompressionConfig.OfRoute, @Nullable T> value,
      String description) {
    return optional(
        "compress." + name,
        type,
        AS_NODE,
        false,
        route -> value.apply(route.compression()),
        description);
  }
}
