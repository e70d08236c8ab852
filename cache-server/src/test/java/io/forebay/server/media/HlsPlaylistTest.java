package io.forebay.server.media;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.media.HlsPlaylist.Kind;
import io.forebay.server.media.HlsPlaylist.Reference;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class HlsPlaylistTest {
  private static final String LOW_LATENCY =
      """
      #EXTM3U
      #EXT-X-TARGETDURATION:4
      #EXT-X-VERSION:9
      #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=24,PART-HOLD-BACK=1.0,HOLD-BACK=12
      #EXT-X-PART-INF:PART-TARGET=0.33334
      #EXT-X-MEDIA-SEQUENCE:266
      #EXT-X-MAP:URI="init.mp4"
      #EXTINF:4.00008,a title, with a comma
      seg266.mp4
      #EXTINF:4.00008,
      #EXT-X-BYTERANGE:1000@500
      seg267.mp4
      #EXT-X-PART:DURATION=0.33334,URI="seg268.mp4",BYTERANGE="100@0",INDEPENDENT=YES
      #EXT-X-PART:DURATION=0.33334,URI="seg268.mp4",BYTERANGE="70"
      #EXTINF:4.00008,
      seg268.mp4
      #EXT-X-PART:DURATION=0.33334,URI="part269.0.mp4"
      #EXT-X-PART:DURATION=0.33334,URI="part269.1.mp4"
      #EXT-X-PRELOAD-HINT:TYPE=PART,URI="part269.2.mp4",BYTERANGE-START=7
      #EXT-X-RENDITION-REPORT:URI="../1M/low.m3u8",LAST-MSN=273,LAST-PART=1
      """;

  @Test
  void aLowLatencyPlaylistSaysHowItGoesOn() {
    HlsPlaylist playlist = parsed(LOW_LATENCY);
    assertFalse(playlist.isMaster());
    assertEquals(Duration.ofSeconds(4), playlist.targetDuration());
    assertEquals(Duration.ofNanos(333_340_000), playlist.partTarget());
    assertEquals(Duration.ofNanos(333_340_000), playlist.updateInterval());
    assertEquals(266, playlist.mediaSequence());
    assertEquals(268, playlist.lastMsn());
    assertEquals(1, playlist.lastPart());
    assertFalse(playlist.hasEnded());
    assertFalse(playlist.isDelta());
    assertTrue(playlist.serverControl().canBlockReload());
    assertEquals(Duration.ofSeconds(12), playlist.serverControl().holdBack());
    assertEquals(Duration.ofSeconds(1), playlist.serverControl().partHoldBack());
    assertEquals(Duration.ofSeconds(24), playlist.serverControl().canSkipUntil());
  }

  @Test
  void referencesComeInTheirOrderWithTheirRanges() {
    Duration segment = Duration.ofNanos(4_000_080_000L);
    Duration part = Duration.ofNanos(333_340_000);
    assertEquals(
        List.of(
            new Reference(Kind.MAP, "init.mp4", Duration.ZERO, -1, -1),
            new Reference(Kind.SEGMENT, "seg266.mp4", segment, -1, -1),
            new Reference(Kind.SEGMENT, "seg267.mp4", segment, 500, 1000),
            new Reference(Kind.PART, "seg268.mp4", part, 0, 100),
            new Reference(Kind.PART, "seg268.mp4", part, 100, 70),
            new Reference(Kind.SEGMENT, "seg268.mp4", segment, -1, -1),
            new Reference(Kind.PART, "part269.0.mp4", part, -1, -1),
            new Reference(Kind.PART, "part269.1.mp4", part, -1, -1),
            new Reference(Kind.PART_HINT, "part269.2.mp4", Duration.ZERO, 7, -1)),
        parsed(LOW_LATENCY).references());
  }

  @Test
  void aDeltaCountsWhatItSkips() {
    HlsPlaylist playlist =
        parsed(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-MEDIA-SEQUENCE:100
            #EXT-X-SKIP:SKIPPED-SEGMENTS=5
            #EXTINF:4,
            seg105.mp4
            """);
    assertTrue(playlist.isDelta());
    assertEquals(105, playlist.lastMsn());
    assertEquals(-1, playlist.lastPart());
  }

  @Test
  void aMasterPlaylistNamesVariantsAndRenditions() {
    HlsPlaylist playlist =
        parsed(
            "\uFEFF#EXTM3U\r\n"
                + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a,b\",NAME=\"en\", URI=\"audio.m3u8\"\r\n"
                + "#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID=\"cc\",INSTREAM-ID=\"CC1\"\r\n"
                + "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"key\"\r\n"
                + "#EXT-X-STREAM-INF:BANDWIDTH=1280000\r\n\r\n# a remark\r\nlow.m3u8\r\n"
                + "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"frames.m3u8\"\r\n");
    assertTrue(playlist.isMaster());
    assertEquals(
        List.of("audio.m3u8", "low.m3u8", "frames.m3u8"),
        playlist.references().stream().map(Reference::uri).toList());
    assertEquals(Kind.RENDITION, playlist.references().getFirst().kind());
    assertEquals(Kind.VARIANT, playlist.references().getLast().kind());
  }

  @Test
  void anEndedPlaylistSaysSo() {
    assertTrue(parsed("#EXTM3U\n#EXTINF:9,\na.ts\n#EXT-X-ENDLIST").hasEnded());
  }

  @Test
  void aUriWithAVariableIsNoReferenceButASegment() {
    HlsPlaylist playlist =
        parsed("#EXTM3U\n#EXT-X-DEFINE:NAME=\"h\",VALUE=\"x\"\n#EXTINF:1,\n{$h}/a.ts\n");
    assertEquals(List.of(), playlist.references());
    assertEquals(0, playlist.lastMsn());
  }

  @Test
  void whatIsNoPlaylistOrMalformedIsNone() {
    for (String text :
        List.of(
            "",
            "\n\n",
            "<html>\na.ts\n",
            "#EXTM3U\n#EXT-X-TARGETDURATION:four\n",
            "#EXTM3U\n#EXT-X-TARGETDURATION:-4\n",
            "#EXTM3U\n#EXT-X-TARGETDURATION:86401\n",
            "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:99999999999999999999\n",
            "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:9223372036854775807\n",
            "#EXTM3U\n#EXT-X-PART:DURATION=1\n",
            "#EXTM3U\n#EXT-X-PART:URI=\"a\n",
            "#EXTM3U\n#EXT-X-SKIP:\n",
            "#EXTM3U\n#EXT-X-SKIP:nothing\n",
            "#EXTM3U\n#EXTINF:1,\na.ts\n#EXT-X-STREAM-INF:BANDWIDTH=1\nb.m3u8\n")) {
      assertEquals(Optional.empty(), HlsPlaylist.parse(text), text);
    }
  }

  @Test
  void aPlaylistOverABoundIsNone() {
    assertEquals(
        HlsPlaylist.MAX_REFERENCES,
        parsed("#EXTM3U\n" + "a.ts\n".repeat(HlsPlaylist.MAX_REFERENCES)).references().size());
    for (String text :
        List.of(
            "#EXTM3U\n" + "a.ts\n".repeat(HlsPlaylist.MAX_REFERENCES + 1),
            "#EXTM3U\n" + "\n".repeat(HlsPlaylist.MAX_LINES),
            "#EXTM3U\n#" + "x".repeat(HlsPlaylist.MAX_LINE_CHARS) + "\n",
            "#EXTM3U\n" + "x".repeat(8193) + "\n",
            "#EXTM3U\n" + ("#" + "x".repeat(1023) + "\n").repeat(HlsPlaylist.MAX_CHARS >> 10))) {
      assertEquals(Optional.empty(), HlsPlaylist.parse(text));
    }
  }

  @Test
  void changedBytesNeverThrow() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder(LOW_LATENCY);
      for (int edits = random.nextInt(1, 8); edits > 0; edits--) {
        int at = random.nextInt(8, text.length());
        switch (random.nextInt(3)) {
          case 0 -> text.setCharAt(at, (char) random.nextInt(32, 127));
          case 1 -> text.deleteCharAt(at);
          default -> text.insert(at, "\":,=@#\n9".charAt(random.nextInt(8)));
        }
      }
      try {
        HlsPlaylist.parse(text.toString());
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ", text " + text, e);
      }
    }
  }

  private static HlsPlaylist parsed(String text) {
    return HlsPlaylist.parse(text).orElseThrow();
  }
}
