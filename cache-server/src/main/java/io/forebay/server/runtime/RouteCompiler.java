package io.forebay.server.runtime;

import io.forebay.core.http.AcceptClasses;
import io.forebay.core.key.FieldRecipe;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.NamePatterns;
import io.forebay.core.key.QueryRecipe;
import io.forebay.core.key.UnkeyedFields;
import io.forebay.core.key.UrlRecipe;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteForwarding;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.RouteTable;
import io.forebay.server.cmcd.CmcdSettings;
import io.forebay.server.compress.AvailableDictionary;
import io.forebay.server.config.ProtectionProfile;
import io.forebay.server.config.ServerConfig.KeyConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.RouteConfig;
import io.forebay.server.counters.NameTable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Converts configured routes into the form that the rules use. */
final class RouteCompiler {
  private static final String HLS_DIRECTIVES = "_HLS_*";

  private RouteCompiler() {}

  static RouteTable of(
      List<RouteConfig> configs,
      Map<String, OriginConfig> origins,
      Map<String, ProtectionProfile> profiles,
      NameTable numbers) {
    return new RouteTable(
        configs.stream()
            .map(config ->
                of(
                    config,
                    origins.get(config.origin()),
                    config.protection() == null ? null : profiles.get(config.protection()),
                    numbers))
            .toList());
  }

  private static Route of(
      RouteConfig config,
      @Nullable OriginConfig origin,
      @Nullable ProtectionProfile protection,
      NameTable numbers) {
    return new Route(
        config.name(),
        config.host(),
        config.pathPrefix(),
        config.origin(),
        recipe(config, protection),
        settings(config.settings()),
        config.ranges(),
        config.sharing(),
        new RouteForwarding(
            Set.copyOf(config.forwarding().upgrade()),
            Set.copyOf(config.forwarding().responseTrailers()),
            config.forwarding().via(),
            replaced(origin)),
        numbers.number(config.name()));
  }

  /** Segments do not change: without a lifetime of their own they have that of the preset. */
  private static RouteSettings settings(RouteSettings settings) {
    Duration segments =
        switch (settings.media().preset()) {
          case OFF -> null;
          case LIVE -> Duration.ofHours(1);
          case VOD -> Duration.ofDays(30);
        };
    return segments == null || settings.freshness().defaultTtl() != null
        ? settings
        : settings.toBuilder().defaultTtl(segments).build();
  }

  /** Fields of requests that the origin gets from this node. */
  private static NamePatterns replaced(@Nullable OriginConfig origin) {
    return origin == null ? NamePatterns.NONE : new NamePatterns(origin.signing().replacedFields());
  }

  /**
   * Where the node answers to origins of scripts, a fill does not send Origin: what is stored is
   * for all of them. Likewise it does not send what a player tells, where the node reads that.
   */
  private static List<String> ignored(RouteConfig route) {
    KeyConfig key = route.key();
    List<String> none = List.of();
    Stream<String> ofNode =
        Stream.of(
                route.rules().presets().cors() == null ? none : List.of("origin"),
                route.video().cmcd().isRead() ? CmcdSettings.FIELDS : none,
                // The node makes the deltas: to the origin they would only be variants.
                route.compression().dictionary() == null ? none : AvailableDictionary.FIELDS)
            .flatMap(List::stream);
    return Stream.concat(
            key.ignoreHeaders().stream(),
            ofNode.filter(name ->
                !key.headers().contains(name)
                    && !key.unkeyed().key().contains(name)
                    && !key.ignoreHeaders().contains(name)))
        .toList();
  }

  /** By its directives one playlist of a live channel is told from another. */
  private static List<String> kept(KeyConfig key, boolean isLive) {
    boolean isPartial = key.query().equals("ignore") || !key.keep().isEmpty();
    return isLive && isPartial
        ? Stream.concat(key.keep().stream(), Stream.of(HLS_DIRECTIVES)).distinct().toList()
        : key.keep();
  }

  /** How a route makes the keys of clients in the last groups of splits. */
  static KeyRecipe recipe(RouteConfig route, Map<String, ProtectionProfile> profiles) {
    return recipe(route, route.protection() == null ? null : profiles.get(route.protection()));
  }

  private static KeyRecipe recipe(RouteConfig route, @Nullable ProtectionProfile protection) {
    KeyConfig key = route.key();
    boolean isLive = route.settings().media().isLive();
    boolean readsCmcd = route.video().cmcd().isRead();
    List<String> ofPlayers = readsCmcd ? List.of(CmcdSettings.PARAMETER) : List.of();
    List<String> credentials = protection == null ? List.of() : protection.credentialParameters();
    List<String> verified = protection == null ? List.of() : protection.verifiedFields();
    QueryRecipe query =
        new QueryRecipe(
            key.query().equals("ignore") && !isLive,
            key.query().equals("sort"),
            new NamePatterns(
                Stream.of(key.strip(), credentials, ofPlayers).flatMap(List::stream).toList()),
            new NamePatterns(kept(key, isLive)));
    KeyRecipe recipe =
        new KeyRecipe(
            new UrlRecipe(key.host(), key.port(), key.scheme(), key.foldPathCase(), query),
            new FieldRecipe(
                Stream.of(key.headers(), key.unkeyed().key(), verified)
                    .flatMap(List::stream)
                    .distinct()
                    .toList(),
                key.cookies(),
                key.device(),
                key.languages(),
                ignored(route),
                new UnkeyedFields(key.unkeyed().drop(), key.unkeyed().pass()),
                new AcceptClasses(key.acceptClasses())),
            key.variants(),
            key.noVarySearch(),
            key.queryMethod().equals("cache"));
    return route.rules().keyGroups().isEmpty() ? recipe : recipe.ofGroups("");
  }
}
