package io.forebay.lab.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ResourceTest {

  @Test
  void sizesStandInPaths() {
    Map.of(
            "/o/1/a", 1L,
            "/o/0/a", 0L,
            "/o/100KB/x.bin", 100_000L,
            "/o/2MB/1", 2_000_000L,
            "/o/1000000000000/1", 1_000_000_000_000L,
            "/run-7/o/5/a", 5L)
        .forEach((path, bytes) -> assertEquals(new Resource.Sized(bytes), Resource.parse(path)));
  }

  @Test
  void allElevenObjectsOfTheLadderHaveUrls() {
    assertEquals(11, Ladder.RUNGS.size());
    assertEquals(26_024, Ladder.RUNGS.stream().mapToInt(Ladder.Rung::kilobytes).sum());
    for (Ladder.Rung rung : Ladder.RUNGS) {
      assertEquals(
          new Resource.Segment(rung.kilobytes() * 1000L, "1.ts"),
          Resource.parse("/ch1/" + rung.path() + "/1.ts"));
    }
  }

  @Test
  void otherSizesAndPrefixesOfTheLadderWork() {
    assertEquals(
        new Resource.Segment(17_000, "seg"),
        Resource.parse("/x7Bq/ch1/variant42/any-type/17KB/seg"));
    assertEquals(
        new Resource.MediaPlaylist("hls-video"),
        Resource.parse("/ch1/variant02/hls-video/4096KB/index.m3u8"));
    assertEquals(new Resource.MasterPlaylist(), Resource.parse("/ch1/index.m3u8"));
    assertEquals(new Resource.DashManifest(), Resource.parse("/p/ch1/manifest.mpd"));
  }

  @Test
  void wrongPathsAreToldWhatToWrite() {
    Map.ofEntries(
            Map.entry("/", "write /o/BYTES/NAME"),
            Map.entry("", "write /o/BYTES/NAME"),
            Map.entry("*", "write /o/BYTES/NAME"),
            Map.entry("/o/1", "write /o/BYTES/NAME"),
            Map.entry("/o//a", "write /o/BYTES/NAME"),
            Map.entry("/o/1/", "write /o/BYTES/NAME"),
            Map.entry("/o/index.m3u8", "write /o/BYTES/NAME"),
            Map.entry("/ch1/variant1/hls-video/4096KB/1.ts", "write /o/BYTES/NAME"),
            Map.entry("/o/1GB/a", "write bytes, KB or MB"),
            Map.entry("/o/-1/a", "write bytes, KB or MB"),
            Map.entry("/o/1.5MB/a", "write bytes, KB or MB"),
            Map.entry("/o/1kb/a", "write bytes, KB or MB"),
            Map.entry("/o/1000001MB/a", "more than 1 TB"),
            Map.entry("/o/9999999999999/a", "more than 1 TB"),
            Map.entry("/o/9999999999999MB/a", "more than 1 TB"),
            Map.entry("/ch1/variant01/hls-audio/384/1", "write such as 384KB"),
            Map.entry("/ch1/variant01/HLS/384KB/1", "write such as hls-video"),
            Map.entry("/" + "a".repeat(2000), "at most 2000 characters"))
        .forEach((path, message) -> {
          String told =
              String.valueOf(
                  assertThrows(IllegalArgumentException.class, () -> Resource.parse(path), path)
                      .getMessage());
          assertTrue(told.contains(message), path + ": " + told);
        });
  }
}
