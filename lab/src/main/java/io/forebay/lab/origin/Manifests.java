package io.forebay.lab.origin;

import io.forebay.lab.origin.Ladder.Media;
import io.forebay.lab.origin.Ladder.Rung;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;

/**
 * Playlists of a channel. A player can read them and asks for the right segments; these are random
 * bytes, so it plays nothing.
 */
final class Manifests {
  private static final String AUDIO_CODEC = "mp4a.40.2";
  private static final String VIDEO_CODEC = "avc1.640028";

  private final SegmentWindow window;

  Manifests(SegmentWindow window) {
    this.window = window;
  }

  /** HLS: all renditions with a picture, and the sound of HLS. */
  String master() {
    StringBuilder text = new StringBuilder("#EXTM3U\n#EXT-X-VERSION:6\n");
    for (Rung rung : rungs(rung -> rung.media() == Media.HLS_AUDIO)) {
      text.append("#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME=\"main\",DEFAULT=YES,")
          .append("AUTOSELECT=YES,URI=\"%s/%s\"\n".formatted(rung.path(), Resource.PLAYLIST));
    }
    for (Rung rung : rungs(rung -> !rung.media().isAudio())) {
      text.append(
          ("#EXT-X-STREAM-INF:BANDWIDTH=%d,RESOLUTION=%dx%d,CODECS=\"%s,%s\",AUDIO=\"audio\"\n"
                  + "%s/%s\n")
              .formatted(
                  rung.bitsPerSecond(window.seconds()),
                  rung.width(),
                  rung.height(),
                  VIDEO_CODEC,
                  AUDIO_CODEC,
                  rung.path(),
                  Resource.PLAYLIST));
    }
    return text.toString();
  }

  /** HLS: the segments of one rendition that exist. */
  String media(String type, Instant now) {
    String extension = type.startsWith("dash-") ? ".m4s" : ".ts";
    long oldest = window.oldest(now);
    StringBuilder text =
        new StringBuilder(
            "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:%d\n#EXT-X-MEDIA-SEQUENCE:%d\n"
                .formatted(window.seconds(), oldest));
    if (!window.isLive()) {
      text.append("#EXT-X-PLAYLIST-TYPE:VOD\n");
    }
    String length = "#EXTINF:%d.0,\n".formatted(window.seconds());
    for (long number = oldest; number <= window.newest(now); number++) {
      text.append(length).append(number).append(extension).append('\n');
    }
    if (!window.isLive()) {
      text.append("#EXT-X-ENDLIST\n");
    }
    return text.toString();
  }

  /** DASH: all renditions of DASH. */
  String dash() {
    StringBuilder text = new StringBuilder();
    text.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        .append("<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\"")
        .append(" profiles=\"urn:mpeg:dash:profile:isoff-live:2011\"");
    Duration buffer = Duration.ofSeconds((long) window.seconds() * window.segments());
    if (window.isLive()) {
      text.append(" type=\"dynamic\" availabilityStartTime=\"1970-01-01T00:00:00Z\"")
          .append(" minimumUpdatePeriod=\"%s\"".formatted(Duration.ofSeconds(window.seconds())))
          .append(" timeShiftBufferDepth=\"%s\"".formatted(buffer));
    } else {
      text.append(" type=\"static\" mediaPresentationDuration=\"%s\"".formatted(buffer));
    }
    text.append(
        " minBufferTime=\"%s\">\n <Period id=\"0\" start=\"PT0S\">\n"
            .formatted(Duration.ofSeconds(window.seconds())));
    appendSet(text, "video", rungs(rung -> rung.media() == Media.DASH_VIDEO));
    appendSet(text, "audio", rungs(rung -> rung.media() == Media.DASH_AUDIO));
    return text.append(" </Period>\n</MPD>\n").toString();
  }

  private void appendSet(StringBuilder text, String kind, List<Rung> rungs) {
    text.append(
        "  <AdaptationSet contentType=\"%s\" mimeType=\"%s/mp4\" segmentAlignment=\"true\">\n"
            .formatted(kind, kind));
    for (Rung rung : rungs) {
      String picture =
          rung.media().isAudio()
              ? ""
              : " width=\"%d\" height=\"%d\"".formatted(rung.width(), rung.height());
      text.append(
              "   <Representation id=\"%d\" bandwidth=\"%d\" codecs=\"%s\"%s>\n"
                  .formatted(
                      rung.variant(),
                      rung.bitsPerSecond(window.seconds()),
                      rung.media().isAudio() ? AUDIO_CODEC : VIDEO_CODEC,
                      picture))
          .append(
              "    <SegmentTemplate media=\"%s/$Number$%s\" duration=\"%d\" startNumber=\"0\"/>\n"
                  .formatted(rung.path(), rung.media().extension(), window.seconds()))
          .append("   </Representation>\n");
    }
    text.append("  </AdaptationSet>\n");
  }

  private static List<Rung> rungs(Predicate<Rung> wanted) {
    return Ladder.RUNGS.stream().filter(wanted).toList();
  }
}
