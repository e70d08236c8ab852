package io.forebay.server.config;

import static io.forebay.server.config.Field.live;
import static io.forebay.server.config.ValueType.constant;
import static io.forebay.server.config.ValueType.duration;
import static io.forebay.server.config.ValueType.integer;
import static io.forebay.server.config.ValueType.size;

import io.forebay.server.config.ServerConfig.RouteConfig;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** The keys of ESI, all of routes. */
final class EsiKeys {
  private static final ValueType<List<String>> TYPES =
      ValueType.list(
          "list of media types",
          "`TYPE/SUBTYPE`",
          text -> text.matches("[A-Za-z0-9!#$&^_.+-]{1,64}/[A-Za-z0-9!#$&^_.+-]{1,64}"),
          true,
          "write types such as text/html");
  private static final ValueType<List<String>> HOSTS =
      ValueType.list(
          "list of hosts",
          "`HOST` or `HOST:PORT`",
          text -> text.matches("([A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}])(:[0-9]{1,5})?"),
          true,
          "write hosts such as static.example.com or static.example.com:8080");

  static final Field<RouteConfig, EsiConfig.Mode> ENABLED =
      field(
          "enabled",
          constant(EsiConfig.Mode.class),
          "off",
          EsiConfig::mode,
          "Whether pages are assembled from ESI tags: those of `esi.types` (`on`), or those of them"
              + " whose `Surrogate-Control` has `content=\"ESI/1.0\"` (`surrogate-control`)."
              + " `esi: on` is short for it. See [ESI.md](ESI.md).");
  static final Field<RouteConfig, List<String>> MEDIA_TYPES =
      field(
          "types",
          TYPES,
          String.join(",", EsiConfig.DEFAULT_TYPES),
          esi -> esi.types().stream().sorted().toList(),
          "Media types of responses that are assembled.");
  static final Field<RouteConfig, List<String>> OTHER_HOSTS =
      field(
          "hosts",
          HOSTS,
          "",
          EsiConfig::hosts,
          "Hosts that fragments may have beside that of their page. Their requests go through the"
              + " routes of this node like all others, and have neither `Cookie` nor"
              + " `Authorization`.");
  static final Field<RouteConfig, Integer> DEPTH =
      field(
          "depth",
          integer(1, 10),
          Integer.toString(EsiConfig.Limits.DEFAULT.depth()),
          esi -> esi.limits().depth(),
          "How deep fragments may include others. An include beyond it fails.");
  static final Field<RouteConfig, Integer> INCLUDES =
      field(
          "includes",
          integer(1, 10_000),
          Integer.toString(EsiConfig.Limits.DEFAULT.includes()),
          esi -> esi.limits().includes(),
          "Maximum number of includes of a page, those of its fragments included. A page with more"
              + " is broken off.");
  static final Field<RouteConfig, Integer> PARALLEL =
      field(
          "parallel",
          integer(1, 256),
          Integer.toString(EsiConfig.Limits.DEFAULT.parallel()),
          esi -> esi.limits().parallel(),
          "Number of fragments of a page that are requested at a time. Each holds up to about"
              + " 128KiB while the ones before it are not complete.");
  static final Field<RouteConfig, Long> FRAGMENT =
      field(
          "fragment",
          size("1KiB", "1GiB"),
          ValueType.printSize(EsiConfig.Limits.DEFAULT.fragmentBytes()),
          esi -> esi.limits().fragmentBytes(),
          "Maximum size of a fragment's body, and of what a page holds until its `attempt`s are"
              + " decided. A larger fragment fails.");
  static final Field<RouteConfig, Long> PAGE =
      field(
          "page",
          size("1KiB", "1TiB"),
          ValueType.printSize(EsiConfig.Limits.DEFAULT.pageBytes()),
          esi -> esi.limits().pageBytes(),
          "Maximum size of an assembled page. A larger one is broken off.");
  static final Field<RouteConfig, Duration> TIMEOUT =
      field(
          "timeout",
          duration("1ms", "1h"),
          "30s",
          esi -> esi.limits().timeout(),
          "How long nothing may come of a fragment before it fails.");

  /** Of each route. */
  static final List<Field<RouteConfig, ?>> OF_ROUTE =
      List.of(
          ENABLED, MEDIA_TYPES, OTHER_HOSTS, DEPTH, INCLUDES, PARALLEL, FRAGMENT, PAGE, TIMEOUT);

  private EsiKeys() {}

  private static <T> Field<RouteConfig, T> field(
      String name,
      ValueType<T> type,
      String usual,
      Function<EsiConfig, T> value,
      String description) {
    return live("esi." + name, type, usual, route -> value.apply(route.esi()), description);
  }
}
