package io.forebay.server.media;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.RequestView;
import io.forebay.core.route.MediaSettings.Preset;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * For how long a manifest without a lifetime of its own is fresh.
 *
 * <pre>
 *   manifest                                live                    vod
 *   playlist that goes on                   half an update interval, 200 ms to 10 s
 *   the same, to a blocking reload          6 target durations, at most 60 s
 *   MPD that changes                        half of minimumUpdatePeriod, 200 ms to 10 s
 *   ended, static, or names variants        1 min                   1 d
 *   what cannot be read                     1 s                     1 min
 * </pre>
 *
 * <p>The update interval of a playlist is its part target, or its target duration without parts.
 */
public final class ManifestLifetime {
  private static final Duration SHORTEST = Duration.ofMillis(200);
  private static final Duration LONGEST = Duration.ofSeconds(10);
  private static final Duration LONGEST_BLOCKING = Duration.ofSeconds(60);
  private static final int BLOCKING_TARGETS = 6;

  private static final Pattern MPD = Pattern.compile("<(?:[A-Za-z][\\w.-]{0,32}:)?MPD\\s([^>]*)>");
  private static final int MAX_MPD_PROLOGUE = 16 << 10;
  private static final Pattern DYNAMIC = Pattern.compile("\\stype\\s*=\\s*[\"']dynamic[\"']");
  private static final Pattern UPDATE_PERIOD =
      Pattern.compile("\\sminimumUpdatePeriod\\s*=\\s*[\"']([A-Z0-9.]{1,32})[\"']");

  private ManifestLifetime() {}

  /** Whether a response is a manifest, by the suffix of its path or its content type. */
  public static boolean isManifest(CharSequence path, @Nullable CharSequence contentType) {
    return hasSuffix(path, ".m3u8")
        || hasSuffix(path, ".mpd")
        || (contentType != null && isManifestType(contentType.toString()));
  }

  private static boolean isManifestType(String contentType) {
    String type = contentType.toLowerCase(Locale.ROOT);
    return type.contains("mpegurl") || type.contains("dash+xml");
  }

  private static boolean hasSuffix(CharSequence path, String suffix) {
    int from = path.length() - suffix.length();
    return from >= 0 && FieldSyntax.equalsIgnoreCase(path, from, path.length(), suffix);
  }

  /**
   * Whether a request waits at the origin until the playlist has a segment or a part ({@code
   * _HLS_msn}).
   */
  public static boolean isBlockingReload(RequestView request) {
    String query = request.query();
    return query != null && (query.startsWith("_HLS_msn=") || query.contains("&_HLS_msn="));
  }

  /** For how long a manifest is fresh. */
  public static Duration of(Preset preset, @Nullable HlsPlaylist playlist) {
    if (playlist == null) {
      return unread(preset);
    }
    if (playlist.isMaster() || playlist.hasEnded()) {
      return settled(preset);
    }
    Duration interval = playlist.updateInterval();
    return interval.isZero() ? unread(preset) : half(interval, preset);
  }

  /** The same of the answer to a blocking reload: its URL names a state of the playlist. */
  public static Duration ofBlockingReload(Preset preset, @Nullable HlsPlaylist playlist) {
    if (playlist == null
        || playlist.isMaster()
        || playlist.hasEnded()
        || playlist.targetDuration().isZero()) {
      return of(preset, playlist);
    }
    Duration whole = playlist.targetDuration().multipliedBy(BLOCKING_TARGETS);
    return whole.compareTo(LONGEST_BLOCKING) > 0 ? LONGEST_BLOCKING : whole;
  }

  /** The same of a media presentation description. */
  public static Duration ofMpd(Preset preset, String text) {
    Matcher element = MPD.matcher(text.substring(0, Math.min(text.length(), MAX_MPD_PROLOGUE)));
    if (!element.find()) {
      return unread(preset);
    }
    String attributes = " " + element.group(1);
    if (!DYNAMIC.matcher(attributes).find()) {
      return settled(preset);
    }
    Matcher period = UPDATE_PERIOD.matcher(attributes);
    return period.find()
        ? duration(period.group(1)).map(value -> half(value, preset)).orElse(unread(preset))
        : unread(preset);
  }

  private static Optional<Duration> duration(String text) {
    try {
      return Optional.of(Duration.parse(text));
    } catch (DateTimeParseException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  private static Duration half(Duration interval, Preset preset) {
    if (interval.isNegative()) {
      return unread(preset);
    }
    Duration half = interval.dividedBy(2);
    return half.compareTo(SHORTEST) < 0 ? SHORTEST : half.compareTo(LONGEST) > 0 ? LONGEST : half;
  }

  private static Duration settled(Preset preset) {
    return preset == Preset.LIVE ? Duration.ofMinutes(1) : Duration.ofDays(1);
  }

  private static Duration unread(Preset preset) {
    return preset == Preset.LIVE ? Duration.ofSeconds(1) : Duration.ofMinutes(1);
  }
}
