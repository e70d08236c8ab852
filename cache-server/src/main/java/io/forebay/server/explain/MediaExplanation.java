package io.forebay.server.explain;

import io.forebay.core.http.RequestView;
import io.forebay.core.route.MediaSettings;
import io.forebay.core.route.RouteSettings;
import io.forebay.server.media.ManifestLifetime;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the preset of a route for media means for a request. */
final class MediaExplanation {
  private MediaExplanation() {}

  /** Null for a route without a preset. */
  static @Nullable String of(RouteSettings settings, RequestView request) {
    MediaSettings media = settings.media();
    if (media.preset() == MediaSettings.Preset.OFF) {
      return null;
    }
    String text = "The route has the preset " + media.preset().name().toLowerCase(Locale.ROOT);
    Duration segments = settings.freshness().defaultTtl();
    if (!media.timesManifests()) {
      text += "; its default-ttl or ttl-override holds for manifests too.";
    } else if (ManifestLifetime.isManifest(request.pathText(), null)) {
      text += "; without a lifetime of its own a manifest is fresh for as long as it says.";
    } else if (segments != null) {
      text += "; without a lifetime of its own a segment is fresh for " + segments.toSeconds();
      text += " s.";
    }
    return media.isLive() && ManifestLifetime.isBlockingReload(request)
        ? text
            + " It is a blocking reload: it waits for up to three target durations, then gets"
            + " 503."
        : text;
  }
}
