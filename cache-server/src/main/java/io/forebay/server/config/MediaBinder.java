package io.forebay.server.config;

import io.forebay.core.key.NamePatterns;
import io.forebay.core.route.MediaSettings;
import io.forebay.core.route.MediaSettings.Preset;
import io.forebay.core.route.NegativeTtl;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.SharingSettings;
import io.forebay.server.config.ConfigValues.Raw;
import io.forebay.server.config.ServerConfig.KeyConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Binds the preset of a route for media, and what it sets where the route says nothing. */
final class MediaBinder extends Binder {
  private static final Duration BRIEFLY = Duration.ofSeconds(1);
  private static final List<String> DIRECTIVES = List.of("_HLS_msn", "_HLS_part", "_HLS_skip");

  private final String scope;
  private final Preset preset;

  /** Of the route whose keys begin with {@code scope}. */
  MediaBinder(
      ConfigValues values,
      List<ConfigProblem> problems,
      Map<String, String> sources,
      String scope) {
    super(values, problems, sources);
    this.scope = scope;
    this.preset = given(scope, ConfigKeys.ROUTE_MEDIA);
  }

  RouteSettings settings(RouteSettings settings) {
    if (preset == Preset.OFF) {
      return settings;
    }
    boolean timesManifests =
        settings.freshness().defaultTtl() == null && settings.freshness().ttlOverride() == null;
    RouteSettings.Builder builder =
        settings.toBuilder().media(new MediaSettings(preset, timesManifests));
    if (preset == Preset.LIVE) {
      // What is not there now may be there in a moment.
      builder.boundsNotFound(true);
      if (isLeftOut(ConfigKeys.ROUTE_NEGATIVE_TTL)) {
        builder.negativeTtl(new NegativeTtl(Map.of(404, BRIEFLY)));
      }
    }
    if (isLeftOut(ConfigKeys.ROUTE_STORE_CLASS)) {
      boolean hasDisks = !values.instances(ConfigKeys.STORES).isEmpty();
      if (preset == Preset.LIVE) {
        builder.storageClass("memory");
      } else if (hasDisks) {
        builder.storageClass(StorageClassBinder.VOD);
      }
    }
    return builder.build();
  }

  SharingSettings sharing(SharingSettings sharing) {
    boolean isShort = preset == Preset.LIVE && isLeftOut(ConfigKeys.ROUTE_HIT_FOR_MISS);
    return isShort
        ? new SharingSettings(sharing.patience(), BRIEFLY, sharing.withPeers())
        : sharing;
  }

  /** The directives of HLS tell one playlist from another, and the origin reads them. */
  void check(KeyConfig key) {
    Raw raw = values.get(scope + "." + ConfigKeys.KEY_STRIP.name());
    if (raw == null || preset != Preset.LIVE) {
      return;
    }
    NamePatterns strip = new NamePatterns(key.strip());
    for (String directive : DIRECTIVES) {
      if (strip.matches(directive, 0, directive.length())) {
        problems.add(
            raw.place()
                .problem(
                    scope + "." + ConfigKeys.KEY_STRIP.name(),
                    "removes " + directive + ", by which players of live playlists wait",
                    "name the parameters without it"));
        return;
      }
    }
  }

  private boolean isLeftOut(Field<?, ?> field) {
    return values.get(scope + "." + field.name()) == null;
  }
}
