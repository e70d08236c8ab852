package io.forebay.server.config;

import static io.forebay.server.config.Field.live;

import io.forebay.server.config.ServerConfig.RouteConfig;
import io.forebay.server.prefetch.PrefetchSettings.Source;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The keys of routes that concern requests of players. */
final class VideoKeys {
  private static final ValueType<List<String>> SOURCES =
      ValueType.list(
          "list of sources",
          "`cmcd`, `number`, `playlist`",
          text -> text.matches("cmcd|number|playlist"),
          true,
          "write sources such as cmcd or playlist");

  static final Field<RouteConfig, Boolean> CMCD =
      live(
          "cmcd.enabled",
          ValueType.ON_OFF,
          "off",
          route -> route.video().cmcd().isRead(),
          "Whether CMCD (CTA-5004), which players send in fields or in the query parameter `CMCD`, is"
              + " counted and logged. It is then not part of the key, and fetches for the store go"
              + " without it. `cmcd: on` is short for it. See [VIDEO.md](VIDEO.md#cmcd-and-cmsd).");
  static final Field<RouteConfig, Boolean> CMSD =
      live(
          "cmcd.cmsd",
          ValueType.ON_OFF,
          "off",
          route -> route.video().cmcd().answersCmsd(),
          "Whether responses have `CMSD-Dynamic` (CTA-5006) with what this node knows: the time until"
              + " the response began, and whether the node is overloaded.");

  static final Field<RouteConfig, Boolean> PREFETCH =
      live(
          "prefetch.enabled",
          ValueType.ON_OFF,
          "off",
          route -> route.video().prefetch().isOn(),
          "Whether the next objects of popular streams are fetched before clients ask for them."
              + " `prefetch: on` is short for it. Hits of the route then leave the fast lane. See"
              + " [VIDEO.md](VIDEO.md#prefetch).");
  static final Field<RouteConfig, Integer> PREFETCH_AFTER =
      live(
          "prefetch.after",
          ValueType.integer(1, 1_000_000),
          "10",
          route -> route.video().prefetch().after(),
          "Requests for a stream within 10 s, on one event loop, that make it popular.");
  static final Field<RouteConfig, List<String>> PREFETCH_SOURCES =
      live(
          "prefetch.sources",
          SOURCES,
          "cmcd,number,playlist",
          route ->
              Stream.of(Source.values())
                  .filter(route.video().prefetch()::has)
                  .map(VideoKeys::word)
                  .toList(),
          "What names the next object: `nor` of CMCD (where `cmcd` is on), the number in the path, or"
              + " the last segment of a live HLS playlist.");
  static final Field<RouteConfig, Integer> PREFETCH_SHARE =
      live(
          "prefetch.share",
          ValueType.percent(100),
          "5%",
          route -> route.video().prefetch().sharePercent(),
          "Bytes that were fetched ahead and not used yet, or wasted, of the bytes that were fetched"
              + " because clients asked for them.");
  static final Field<RouteConfig, Integer> PREFETCH_CONCURRENT =
      live(
          "prefetch.concurrent",
          ValueType.integer(1, 1024),
          "4",
          route -> route.video().prefetch().concurrent(),
          "Fetches ahead at a time, of the whole node: the route starts none while there are so"
              + " many.");

  /** Of each route. */
  static final List<Field<RouteConfig, ?>> OF_ROUTE =
      List.of(
          CMCD,
          CMSD,
          PREFETCH,
          PREFETCH_AFTER,
          PREFETCH_SOURCES,
          PREFETCH_SHARE,
          PREFETCH_CONCURRENT);

  private VideoKeys() {}

  static String word(Source source) {
    return source.name().toLowerCase(Locale.ROOT);
  }
}
