package io.forebay.server.media;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.route.MediaSettings.Preset;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ManifestLifetimeTest {
  private static @Nullable HlsPlaylist playlist(String lines) {
    return HlsPlaylist.parse("#EXTM3U\n" + lines).orElse(null);
  }

  private static Duration live(String lines) {
    return ManifestLifetime.of(Preset.LIVE, playlist(lines));
  }

  private static Duration reload(String lines) {
    return ManifestLifetime.ofBlockingReload(Preset.LIVE, playlist(lines));
  }

  @Test
  void aPlaylistThatGoesOnIsFreshForHalfOfItsUpdateInterval() {
    assertEquals(Duration.ofSeconds(3), live("#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n"));
    assertEquals(
        Duration.ofMillis(500),
        live("#EXT-X-TARGETDURATION:6\n#EXT-X-PART-INF:PART-TARGET=1.0\n#EXTINF:6,\na.ts\n"));
    assertEquals(
        Duration.ofMillis(200), live("#EXT-X-PART-INF:PART-TARGET=0.1\n#EXTINF:6,\na.ts\n"));
    assertEquals(Duration.ofSeconds(10), live("#EXT-X-TARGETDURATION:60\n#EXTINF:60,\na.ts\n"));
  }

  @Test
  void theAnswerToABlockingReloadIsFreshForSixTargetDurations() {
    assertEquals(Duration.ofSeconds(24), reload("#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n"));
    assertEquals(Duration.ofSeconds(60), reload("#EXT-X-TARGETDURATION:40\n#EXTINF:4,\na.ts\n"));
    assertEquals(Duration.ofSeconds(1), reload("#EXTINF:4,\na.ts\n"));
  }

  @Test
  void whatDoesNotChangeIsFreshForLongerAndLongestOnRoutesOfFilms() {
    String ended = "#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n#EXT-X-ENDLIST\n";
    String master = "#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n";
    for (String one : new String[] {ended, master}) {
      assertEquals(Duration.ofMinutes(1), live(one));
      assertEquals(Duration.ofMinutes(1), reload(one));
      assertEquals(Duration.ofDays(1), ManifestLifetime.of(Preset.VOD, playlist(one)));
    }
  }

  @Test
  void whatCannotBeReadIsFreshForAMoment() {
    assertEquals(Duration.ofSeconds(1), ManifestLifetime.of(Preset.LIVE, null));
    assertEquals(Duration.ofSeconds(1), live("#EXTINF:6,\na.ts\n"));
    assertEquals(Duration.ofMinutes(1), ManifestLifetime.of(Preset.VOD, null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<MPD type=\"dynamic\" minimumUpdatePeriod=\"PT2S\">         | PT1S",
        "<MPD  minimumUpdatePeriod = \"PT1M\" type = \"dynamic\">     | PT10S",
        "<?xml version=\"1.0\"?><d:MPD type=\"dynamic\" minimumUpdatePeriod=\"PT0S\"/> | PT0.2S",
        "<MPD type=\"dynamic\">                                      | PT1S",
        "<MPD type=\"dynamic\" minimumUpdatePeriod=\"soon\">         | PT1S",
        "<MPD type=\"dynamic\" minimumUpdatePeriod=\"PT99999999999999999H\"> | PT1S",
        "<MPD type=\"static\" minimumUpdatePeriod=\"PT2S\">          | PT1M",
        "<MPD profiles=\"urn:x\">                                    | PT1M",
        "<html>                                                      | PT1S",
      })
  void aPresentationIsFreshForHalfOfItsUpdatePeriod(String text, Duration lifetime) {
    assertEquals(lifetime, ManifestLifetime.ofMpd(Preset.LIVE, text));
  }

  @Test
  void aManifestIsKnownByItsSuffixOrItsType() {
    assertTrue(ManifestLifetime.isManifest("/a/live.m3u8", null));
    assertTrue(ManifestLifetime.isManifest("/a/LIVE.MPD", "text/plain"));
    assertTrue(ManifestLifetime.isManifest("/a", "application/vnd.apple.mpegURL"));
    assertTrue(ManifestLifetime.isManifest("/a", "audio/x-mpegurl; charset=utf-8"));
    assertTrue(ManifestLifetime.isManifest("/a", "application/dash+xml"));
    assertFalse(ManifestLifetime.isManifest("/a.m3u8.ts", "video/mp2t"));
    assertFalse(ManifestLifetime.isManifest("/a", null));
  }
}
