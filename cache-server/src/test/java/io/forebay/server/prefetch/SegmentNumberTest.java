package io.forebay.server.prefetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SegmentNumberTest {

  @ParameterizedTest
  @CsvSource({
    "/a/123.m4s, /a/124.m4s, /a/#.m4s",
    "/a/seg-0099.ts, /a/seg-0100.ts, /a/seg-#.ts",
    "/a/seg-999.ts, /a/seg-1000.ts, /a/seg-#.ts",
    "/2024/v1080_7, /2024/v1080_8, /2024/v1080_#",
    "/a/7_hd.m4s, /a/8_hd.m4s, /a/#_hd.m4s",
    "/a/000000000001.mp4, /a/000000000002.mp4, /a/#.mp4",
    "/9.5/3.m4s, /9.5/4.m4s, /9.5/#.m4s",
  })
  void countsUpInTheNameOfTheSegment(String path, String next, String stream) {
    SegmentNumber number = SegmentNumber.of(path);
    assertNotNull(number);
    assertEquals(next, number.next());
    assertEquals(stream, number.stream());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/init.mp4", "/7/init.mp3", "/a/1700000000000.ts", "/a/b%20", "/5/"})
  void whatHasNoNumberOfItsOwnHasNone(String path) {
    assertNull(SegmentNumber.of(path));
  }

  @Test
  void theLastNumberCounts() {
    SegmentNumber number = SegmentNumber.of("/a/1_2_3.ts");
    assertNotNull(number);
    assertEquals("/a/1_2_4.ts", number.next());
  }
}
