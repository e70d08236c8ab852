package io.forebay.server.media;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class TargetDurationsTest {
  private final TargetDurations known = new TargetDurations();

  private static RequestView request(String target) {
    return SyntheticRequest.of("GET", "http://h" + target);
  }

  private void learn(String target, String duration) {
    known.learn(
        request(target),
        HlsPlaylist.parse("#EXTM3U\n#EXT-X-TARGETDURATION:" + duration + "\n").orElseThrow());
  }

  @Test
  void aReloadWaitsForThreeTargetDurationsOfItsPlaylistWhateverItsQuery() {
    learn("/a.m3u8", "4");
    learn("/b.m3u8?token=1", "2.5");
    assertEquals(Duration.ofSeconds(12), known.patience(request("/a.m3u8?_HLS_msn=7")));
    assertEquals(Duration.ofMillis(7500), known.patience(request("/b.m3u8?_HLS_msn=7&token=2")));
    learn("/a.m3u8", "6");
    assertEquals(Duration.ofSeconds(18), known.patience(request("/a.m3u8?_HLS_msn=8")));
  }

  @Test
  void theWaitIsBoundedAndUsualWhereNothingIsKnown() {
    assertEquals(Duration.ofSeconds(18), known.patience(request("/a.m3u8")));
    learn("/short.m3u8", "0.1");
    learn("/long.m3u8", "3600");
    learn("/nothing.m3u8", "0");
    assertEquals(Duration.ofSeconds(3), known.patience(request("/short.m3u8")));
    assertEquals(Duration.ofSeconds(60), known.patience(request("/long.m3u8")));
    assertEquals(Duration.ofSeconds(18), known.patience(request("/nothing.m3u8")));
    assertEquals(Duration.ofSeconds(18), known.patience(request("/other.m3u8")));
  }
}
