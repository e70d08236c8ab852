package io.forebay.server.prefetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.forebay.core.http.TargetUri;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class NextSegmentTest {
  private static final TargetUri NOW =
      Objects.requireNonNull(TargetUri.parse("http://video.example/live/hd/5.m4s?t=1"));

  @ParameterizedTest
  @CsvSource({
    "6.m4s, http://video.example/live/hd/6.m4s",
    "..%2Fsd%2F6.m4s, http://video.example/live/sd/6.m4s",
    "../sd/6.m4s?t=2, http://video.example/live/sd/6.m4s?t=2",
    "../../../../6.m4s, http://video.example/6.m4s",
  })
  void isRelativeToWhatIsAskedFor(String nor, String next) {
    assertEquals(next, String.valueOf(NextSegment.ofCmcd(NOW, nor)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/live/hd/6.m4s",
        "%2Flive%2F6.m4s",
        "//other.example/6.m4s",
        "%2F%2Fother.example%2F6.m4s",
        "http://other.example/6.m4s",
        "http%3A%2F%2Fother.example%2F6.m4s",
        "https://video.example/live/hd/6.m4s",
        "http://video.example:81/live/hd/6.m4s",
        "http://user@video.example/6.m4s",
        "5.m4s?t=1",
        "6.m4s%",
        "6.m4s%2",
        "6%0d%0aX: y.m4s",
        "6%20.m4s",
        "6%3G.m4s",
        "javascript:6",
        "?t=2",
        "#6"
      })
  void namesNothingElsewhere(String nor) {
    assertNull(NextSegment.ofCmcd(NOW, nor));
  }

  @Test
  void isBounded() {
    assertNull(NextSegment.ofCmcd(NOW, "a".repeat(1025)));
  }

  @Test
  void theLastSegmentOfALivePlaylist() {
    String playlist =
        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:5\n#EXTINF:2,\n5.m4s\n"
            + "#EXTINF:2,\n6.m4s\n";
    assertEquals(
        "http://video.example/live/hd/6.m4s",
        String.valueOf(NextSegment.ofPlaylist(NOW, playlist)));
    assertNull(NextSegment.ofPlaylist(NOW, playlist + "#EXT-X-ENDLIST\n"), "a film");
    assertNull(
        NextSegment.ofPlaylist(NOW, playlist.replace("6.m4s", "http://other.example/6.m4s")));
    assertNull(NextSegment.ofPlaylist(NOW, "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n"));
    assertNull(NextSegment.ofPlaylist(NOW, "<html>"));
  }
}
