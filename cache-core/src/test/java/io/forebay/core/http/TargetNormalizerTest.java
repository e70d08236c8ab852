package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.forebay.core.http.TargetNormalizer.Accepted;
import io.forebay.core.http.TargetNormalizer.Asterisk;
import io.forebay.core.http.TargetNormalizer.Refusal;
import io.forebay.core.http.TargetNormalizer.Refused;
import io.forebay.core.http.TargetNormalizer.Result;
import java.net.URI;
import java.time.Duration;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TargetNormalizerTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /                       | /
          /a/b                    | /a/b
          /%7Euser                | /~user
          /%7euser/%41%2d%2E%5f   | /~user/A-._
          /a%2fb                  | /a%2Fb
          /a%3fb                  | /a%3Fb
          /a%00%0a                | /a%00%0A
          /a%25zz                 | /a%25zz
          /%252e%252e/x           | /%252e%252e/x
          /a/./b                  | /a/b
          /a/../b                 | /b
          /a/b/..                 | /a/
          /a/b/.                  | /a/b/
          /..                     | /
          /../../x                | /x
          /a/%2e%2e/b             | /b
          /a/.%2E/b               | /b
          /a/b/c/./../../g        | /a/g
          /a/..%2f..              | /a/..%2F..
          /a/..;/b                | /a/..;/b
          /...                    | /...
          /.well-known/x          | /.well-known/x
          /a/..b/.c               | /a/..b/.c
          //x                     | //x
          //x//../y               | //x/y
          /a//b                   | /a//b
          /a;x=1/b                | /a;x=1/b
          /a\\b                   | /a%5Cb
          /a"<>^`{}               | /a%22%3C%3E%5E%60%7B%7D
          /!$&'()*+,;=:@          | /!$&'()*+,;=:@
          """,
      quoteCharacter = '\u0001')
  void bringsThePathIntoNormalForm(String raw, String expected) {
    Accepted accepted = assertInstanceOf(Accepted.class, TargetNormalizer.normalize(raw, "GET"));
    assertEquals(expected, accepted.path());
    assertNull(accepted.query());
  }

  @Test
  void theBarIsEncodedToo() {
    assertEquals(
        new Accepted(null, null, "/a%7Cb", null), TargetNormalizer.normalize("/a|b", "GET"));
  }

  @Test
  void aNormalTargetIsGivenBackAsItIs() {
    String target = "/video/720p/segment-00017.ts";
    Accepted accepted = assertInstanceOf(Accepted.class, TargetNormalizer.normalize(target, "GET"));
    assertSame(target, accepted.path());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /a?              | /a | ''
          /a?b             | /a | b
          /a?b?c           | /a | b?c
          /a?%7e%zz%       | /a | %7e%zz%
          /a?../..         | /a | ../..
          /x/../a?q={"\\}  | /a | q={"\\}
          """)
  void theQueryGoesThroughUnchanged(String target, String path, String query) {
    assertEquals(new Accepted(null, null, path, query), TargetNormalizer.normalize(target, "GET"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/%", "/%2", "/%zz", "/%2g", "/a%", "/%%41", "/%u0041", "/%+1", "/%2/?x"})
  void refusesInvalidPercentEncodings(String target) {
    assertEquals(new Refused(Refusal.PERCENT_ENCODING), TargetNormalizer.normalize(target, "GET"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a b",
        "/a\tb",
        "/a\rb",
        "/a\nb",
        "/a\0b",
        "/a\u007fb",
        "/\u00e4",
        "/a#b",
        "/?a b",
        "/?a\n",
        "/?\u00e4",
        "/?a#b",
        "/\uff0e\uff0e/",
        "/?\0"
      })
  void refusesBytesThatNoTargetHas(String target) {
    assertEquals(new Refused(Refusal.BYTE), TargetNormalizer.normalize(target, "GET"));
  }

  @ParameterizedTest
  @CsvSource({
    "a/b, NOT_A_PATH",
    "?a, NOT_A_PATH",
    "example.com:80, NOT_A_PATH",
    "*, NOT_A_PATH",
    "ftp://a/, SCHEME",
    "file:///etc/passwd, SCHEME",
    "http://, AUTHORITY",
    "http:///x, AUTHORITY",
    "http://a/%, PERCENT_ENCODING"
  })
  void refusesOtherForms(String target, Refusal refusal) {
    assertEquals(new Refused(refusal), TargetNormalizer.normalize(target, "GET"));
    assertEquals(new Refused(Refusal.EMPTY), TargetNormalizer.normalize("", "GET"));
  }

  @ParameterizedTest
  @CsvSource({
    "http://A:80/x/../y?q, http, A:80, /y, q",
    "HTTPS://host, https, host, /,",
    "http://a?q, http, a, /, q",
    "http://u@a/, http, u@a, /,"
  })
  void splitsTheAbsoluteForm(
      String target, String scheme, String authority, String path, String query) {
    assertEquals(
        new Accepted(scheme, authority, path, query), TargetNormalizer.normalize(target, "GET"));
  }

  @Test
  void theAsteriskIsForOptionsOnly() {
    assertInstanceOf(Asterisk.class, TargetNormalizer.normalize("*", "OPTIONS"));
    assertInstanceOf(Asterisk.class, TargetNormalizer.normalize("http://a", "OPTIONS"));
    assertInstanceOf(Refused.class, TargetNormalizer.normalize("*", "HEAD"));
  }

  @Test
  void longTargetsTakeLinearTime() {
    for (String piece : new String[] {"/..", "/a/..", "/.", "%2e%2e/", "/", "%41"}) {
      String target = "/" + piece.repeat(200_000);
      assertTimeoutPreemptively(
          Duration.ofSeconds(5),
          () -> assertInstanceOf(Accepted.class, TargetNormalizer.normalize(target, "GET")));
    }
  }

  /** The JDK's own resolver keeps leading dot segments; where it leaves none, both must agree. */
  @Test
  void removesDotSegmentsLikeAnIndependentReading() {
    long seed = 42;
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    String[] segments = {"a", "b", ".", "..", "...", "c.", ".d", "%2F"};
    int compared = 0;
    for (int i = 0; i < 50_000; i++) {
      StringBuilder path = new StringBuilder("/r0/r1/r2/r3/r4/r5/r6/r7");
      for (int n = random.nextInt(1, 8); n > 0; n--) {
        path.append('/').append(segments[random.nextInt(segments.length)]);
      }
      path.append("/end");
      String expected = URI.create("http://h" + path).normalize().getRawPath();
      Result result = TargetNormalizer.normalize(path.toString(), "GET");
      assertEquals(
          expected, assertInstanceOf(Accepted.class, result).path(), "seed " + seed + " " + path);
      compared++;
    }
    assertEquals(50_000, compared);
  }

  @Test
  void anyAcceptedPathIsAFixedPoint() {
    long seed = 7;
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    String alphabet = "/.%2eEfF7~aA;\\|?";
    int accepted = 0;
    for (int i = 0; i < 200_000; i++) {
      StringBuilder target = new StringBuilder("/");
      for (int n = random.nextInt(16); n > 0; n--) {
        target.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      if (TargetNormalizer.normalize(target.toString(), "GET") instanceof Accepted first) {
        accepted++;
        Accepted second =
            assertInstanceOf(Accepted.class, TargetNormalizer.normalize(first.path(), "GET"));
        assertEquals(first.path(), second.path(), "seed " + seed + " " + target);
      }
    }
    assertEquals(true, accepted > 10_000);
  }
}
