package io.forebay.server.digest;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which digests a client wants, and which of those that are there it gets. */
final class DigestPreferencesTest {
  private static final HeaderFields STORED =
      HeaderFields.of(
          "etag",
          "\"1\"",
          "repr-digest",
          "sha-256=:AQ==:, sha-512=:Ag==:",
          "repr-digest",
          "md5=:Aw==:");

  private static DigestPreferences wanted(String field, String value) {
    return DigestPreferences.of(HeaderFields.of(field, value));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sha-256=1 | sha-256=:AQ==:",
        "sha-256=3, sha-512=10 | sha-512=:Ag==:",
        "sha-512=10, sha-256=10 | sha-512=:Ag==:",
        "sha-256=0, sha-512=1 | sha-512=:Ag==:",
        "md5=10, sha-256=9 | md5=:Aw==:",
        "unixsum=10, sha-256=1 | sha-256=:AQ==:",
        "sha-256=1;why=\"x\" | sha-256=:AQ==:",
        "sha-256=0 | ''",
        "unixsum=10 | ''",
      })
  void theDigestOfTheHighestWeightIsGiven(String want, String digest) {
    HeaderFields sent =
        wanted(DigestPreferences.WANT_REPRESENTATION, want).applied(STORED, true, true);
    assertEquals(digest.isEmpty() ? List.of() : List.of(digest), sent.all("repr-digest"));
    assertEquals(List.of(), sent.all("content-digest"), "not asked for");
    assertEquals("\"1\"", sent.first("etag"));
  }

  @Test
  void theContentHasTheDigestOfTheRepresentationWhereItIsAllOfIt() {
    DigestPreferences content = wanted(DigestPreferences.WANT_CONTENT, "sha-512=1");
    HeaderFields whole = content.applied(STORED, true, true);
    assertEquals(List.of("sha-512=:Ag==:"), whole.all("content-digest"));
    assertEquals(STORED.all("repr-digest"), whole.all("repr-digest"), "no word on these");
    assertEquals(List.of(), content.applied(STORED, true, false).all("content-digest"), "a part");
    assertEquals(
        List.of(), content.applied(STORED, false, true).all("content-digest"), "an error's text");

    HeaderFields ofContent = HeaderFields.of("content-digest", "sha-256=:BA==:");
    DigestPreferences representation = wanted(DigestPreferences.WANT_REPRESENTATION, "sha-256=1");
    assertEquals(
        List.of("sha-256=:BA==:"),
        representation.applied(ofContent, true, false).all("repr-digest"));
    assertEquals(List.of(), representation.applied(ofContent, false, true).all("repr-digest"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sha-256",
        "sha-256=a",
        "sha-256=11",
        "sha-256=-1",
        "sha-256=1.5",
        "sha-256=1,",
        "=1",
        "sha-256=:AQ==:",
        "SHA-256=1",
        "sha-256=(1)",
        "sha-256=99999999999999999999",
      })
  void whatIsMalformedIsIgnored(String want) {
    assertSame(DigestPreferences.NONE, wanted(DigestPreferences.WANT_REPRESENTATION, want));
    assertSame(DigestPreferences.NONE, wanted(DigestPreferences.WANT_CONTENT, want));
  }

  @Test
  void lengthAndNumberAreBounded() {
    StringBuilder many = new StringBuilder("sha-256=1");
    for (int i = 1; i < 16; i++) {
      many.append(", a").append(i).append("=1");
    }
    String field = DigestPreferences.WANT_REPRESENTATION;
    assertEquals(16, requireNonNull(wanted(field, many.toString()).ofRepresentation()).size());
    assertSame(DigestPreferences.NONE, wanted(field, many + ", a=1"));
    assertSame(DigestPreferences.NONE, wanted(field, "sha-256=1, " + "a".repeat(1100) + "=1"));
  }

  @Test
  void digestsThatAreMalformedStayAsTheyCame() {
    HeaderFields stored = HeaderFields.of("repr-digest", "sha-256=:A$:");
    assertSame(
        stored,
        wanted(DigestPreferences.WANT_REPRESENTATION, "sha-256=0").applied(stored, true, true));
  }

  @Test
  void noTextMakesItFail() {
    long seed = Long.getLong("forebay.seed", System.nanoTime());
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    String parts = "sha-256=10,; :\"?()*.\\\t@%";
    int read = 0;
    for (int round = 0; round < 50_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(20); i > 0; i--) {
        text.append(parts.charAt(random.nextInt(parts.length())));
      }
      DigestPreferences wanted = wanted(DigestPreferences.WANT_REPRESENTATION, "sha-256=1" + text);
      read += wanted.isNone() ? 0 : 1;
      HeaderFields stored = HeaderFields.of("repr-digest", "sha-256=:AQ==:" + text);
      assertTrue(wanted.applied(stored, true, true).size() <= 2, text::toString);
    }
    assertTrue(read > 50, read + " read, seed " + seed);
  }
}
