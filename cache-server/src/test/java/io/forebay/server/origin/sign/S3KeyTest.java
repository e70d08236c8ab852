package io.forebay.server.origin.sign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class S3KeyTest {

  @ParameterizedTest
  @CsvSource({
    "/a/b.ts, /a/b.ts",
    "/a%20b, /a%20b",
    "/a+b, /a%2Bb",
    "/a%2Bb, /a%2Bb",
    "/a%2Fb, /a/b",
    "/a//b, /a//b",
    "//a, //a",
    "/a/, /a/",
    "/%C3%A4%E2%82%AC, /%C3%A4%E2%82%AC",
    "/%FF, /%FF",
    "/%25, /%25",
    "/%2541, /%2541",
    "/!$&'()*=:@;, /%21%24%26%27%28%29%2A%3D%3A%40%3B",
    "/-._~, /-._~",
    "/..., /...",
    "/a..b/.c/d., /a..b/.c/d.",
  })
  void aKeyIsSentAsItIsSigned(String path, String sent) {
    assertEquals(sent, S3Key.encoded(path));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/a%2F..%2Fb",
        "/..%2Fother/key",
        "/a%2F.",
        "/.%2Fa",
        "/..",
        "/a/../b",
        "/a%00b",
        "/a%2",
        "/a%zz",
        "/a%"
      })
  void aPathThatNamesNoObjectOrMayBeResolvedToAnotherHasNoKey(String path) {
    assertNull(S3Key.encoded(path));
  }
}
