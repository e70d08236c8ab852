package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 8586 §2. */
final class CdnLoopTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          foo123.foocdn.example, barcdn.example; trace="abcdef" | 2 | false
          AnotherCDN; abc=123; def="456"                        | 1 | false
          edge                                                  | 1 | true
          a, EDGE                                               | 2 | true
          a;v=1 , edge ; v="x,y" ;w=2,b                         | 3 | true
          a; v="edge, edge", b                                  | 2 | false
          a; v="x\\", edge", b                                  | 2 | false
          edge2, my-edge, edge.example                          | 3 | false
          h.example:8080, [::1]:80, edge:443                    | 3 | false
          ,, a ,,edge,                                          | 2 | true
          """)
  void membersAreCountedAndOurOwnIsFound(String line, int hops, boolean isThroughHere) {
    CdnLoop loop = CdnLoop.of(List.of(line), "edge");
    assertFalse(loop.isMalformed());
    assertEquals(hops, loop.hops());
    assertEquals(isThroughHere, loop.isThroughHere());
  }

  @Test
  void severalLinesAreOneList() {
    CdnLoop loop = CdnLoop.of(List.of("a, b", "c; d=e, edge"), "edge");
    assertEquals(4, loop.hops());
    assertTrue(loop.isThroughHere());
    assertEquals(0, CdnLoop.of(List.of(" , "), "edge").hops());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a b",
        "a;",
        "a; b",
        "a; b=",
        "a; b=\"c",
        "a; b=\"c\\",
        "a; =c",
        "\"edge\"",
        "a; b=\"c\"d",
        "a/b",
        ";a=b",
        "a, {}"
      })
  void anythingElseIsMalformed(String line) {
    assertTrue(CdnLoop.of(List.of(line), "edge").isMalformed());
  }

  @Test
  void whatIsMalformedBehindOurOwnIdDoesNotHideIt() {
    CdnLoop loop = CdnLoop.of(List.of("edge, \"", "b"), "edge");
    assertTrue(loop.isMalformed());
    assertTrue(loop.isThroughHere());
  }

  @ParameterizedTest
  @ValueSource(strings = {",", "a;", "\"", "a;b=\"\\", " ", "a,"})
  void hostileLinesAreReadInLinearTime(String piece) {
    String line = piece.repeat(1 << 18);
    assertTimeout(Duration.ofSeconds(5), () -> CdnLoop.of(List.of(line), "edge"));
  }
}
