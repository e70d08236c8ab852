package io.forebay.lab.origin;

import java.util.List;

/**
 * The eleven objects of a segment set in AT&amp;T's test (table 3), 26,024 KB together. The paper
 * does not tell the names of the types; these are the lab's.
 */
final class Ladder {

  /** What an object is for players. */
  enum Media {
    HLS_AUDIO,
    HLS_VIDEO,
    DASH_AUDIO,
    DASH_VIDEO;

    boolean isAudio() {
      return this == HLS_AUDIO || this == DASH_AUDIO;
    }

    boolean isHls() {
      return this == HLS_AUDIO || this == HLS_VIDEO;
    }

    /** Of the names of segments. */
    String extension() {
      return isHls() ? ".ts" : ".m4s";
    }
  }

  /**
   * One object.
   *
   * @param variant its number in the table
   * @param type in the URL
   * @param height of the picture; 0 for sound
   */
  record Rung(int variant, Media media, String type, int kilobytes, int height) {

    /** What stands between the channel and the segment. */
    String path() {
      return "variant%02d/%s/%dKB".formatted(variant, type, kilobytes);
    }

    long bitsPerSecond(int segmentSeconds) {
      return kilobytes * 8_000L / segmentSeconds;
    }

    int width() {
      return height * 16 / 9;
    }
  }

  static final List<Rung> RUNGS =
      List.of(
          new Rung(1, Media.HLS_AUDIO, "hls-audio", 384, 0),
          new Rung(2, Media.HLS_VIDEO, "hls-video", 4096, 1080),
          new Rung(3, Media.DASH_VIDEO, "dash-medium-video", 512, 360),
          new Rung(4, Media.DASH_VIDEO, "dash-medium-video", 1024, 540),
          new Rung(5, Media.DASH_VIDEO, "dash-medium-video", 512, 432),
          new Rung(6, Media.DASH_AUDIO, "dash-medium-audio", 72, 0),
          new Rung(7, Media.DASH_AUDIO, "dash-high-audio", 256, 0),
          new Rung(8, Media.DASH_VIDEO, "dash-high-video", 4096, 1080),
          new Rung(9, Media.DASH_VIDEO, "dash-high-video", 2048, 720),
          new Rung(10, Media.DASH_VIDEO, "dash-high-video", 1024, 576),
          new Rung(11, Media.DASH_VIDEO, "dash-4k-video", 12_000, 2160));

  private Ladder() {}
}
