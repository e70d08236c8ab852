package io.forebay.core.route;

/**
 * A route's settings for streamed media.
 *
 * @param timesManifests whether a manifest without a lifetime of its own is fresh for as long as
 *     its contents say
 */
public record MediaSettings(Preset preset, boolean timesManifests) {

  public static final MediaSettings NONE = new MediaSettings(Preset.OFF, false);

  /** What is streamed. */
  public enum Preset {
    OFF,
    /** Channels: what is requested was made a moment ago, or is being made. */
    LIVE,
    /** Films: what is requested has been there for long. */
    VOD
  }

  public boolean isLive() {
    return preset == Preset.LIVE;
  }
}
