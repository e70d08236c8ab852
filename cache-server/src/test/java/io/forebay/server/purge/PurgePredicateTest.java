package io.forebay.server.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.core.key.FieldRecipe;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.UrlRecipe;
import io.forebay.core.policy.StoredHeader;
import io.forebay.core.policy.StoredMeta;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which stored objects a pattern matches. */
final class PurgePredicateTest {

  /** A key text and a stored head, side by side as they lie in a record. */
  private static boolean isFound(String predicate, String url, String... fields) {
    KeyBuilder keys = new KeyBuilder(new byte[16]);
    TargetUri target = Objects.requireNonNull(TargetUri.parse(url));
    FieldRecipe fieldsInKey =
        new FieldRecipe(List.of("x-odd"), List.of(), true, List.of(), List.of());
    SyntheticRequest request =
        SyntheticRequest.of("GET", target, HeaderFields.of("x-odd", "path-like /odd"));
    assertTrue(keys.build(request, new KeyRecipe(UrlRecipe.WHOLE, fieldsInKey)));
    assertTrue(keys.variant(request, List.of("x-odd")));
    byte[] key = Arrays.copyOf(keys.text(), keys.textLength());
    byte[] meta = StoredMeta.encodeVaryMarker(List.of("accept-language"), 0);
    byte[] block =
        Objects.requireNonNull(StoredHeader.encode(200, HeaderFields.of(fields), List.of(), 0));
    ByteArrayOutputStream record = new ByteArrayOutputStream();
    record.writeBytes(new byte[3]);
    record.writeBytes(key);
    record.writeBytes(meta);
    record.writeBytes(block);
    record.writeBytes("\r\nx-body: not a header".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    return PurgePredicate.parse(predicate)
        .matches(
            MemorySegment.ofArray(record.toByteArray()),
            3,
            key.length,
            3 + key.length,
            meta.length + block.length);
  }

  @ParameterizedTest
  @CsvSource({
    "path ^/img/, http://a.example/img/1.png, true",
    "path ^/img/, http://a.example/other/img/1.png, false",
    "path img, http://img.example/1.png, false",
    "path \\.png$, http://a.example/1.png, true",
    "path \\.png$, http://a.example/1.png?v=1, true",
    "path v=1$, http://a.example/1.png?v=1, true",
    "path v=1$, http://a.example/1.png?v=12, false",
    "path (?i)^/IMG/, http://a.example/img/1, true",
    "path route-of-its-own, http://a.example/1, false",
    "path odd, http://a.example/1, false",
    "path ^/$, https://a.example, true",
    "host a.example path ^/1, http://a.example/1, true",
  })
  void isSearchedForInPathAndQuery(String predicate, String url, boolean isFound) {
    assertEquals(isFound, isFound(predicate, url));
  }

  @ParameterizedTest
  @CsvSource({
    "header content-type: ^video/, true",
    "header Content-Type:^video/, true",
    "header content-type: ^audio/, false",
    "header type: video, false",
    "header link: second, true",
    "header link: ^$, false",
    "header x-body: not, false",
    "header absent: ., false",
    "host a.example header content-type: mp4$, true",
  })
  void isSearchedForInTheValueOfEachLineOfTheField(String predicate, boolean isFound) {
    assertEquals(
        isFound,
        isFound(
            predicate,
            "http://a.example/1",
            "Content-Type",
            "video/mp4",
            "Link",
            "first",
            "Link",
            "second"));
  }

  @Test
  void whatIsTooLongToBeLookedAtCountsAsFound() {
    String longPath = "/" + "x".repeat(PurgePredicate.MAX_TEXT);
    assertTrue(isFound("path ^/img", "http://a.example" + longPath));
    assertTrue(isFound("header x: y", "http://a.example/", "x", longPath));
    assertFalse(isFound("header z: y", "http://a.example/", "x", longPath));
  }

  @Test
  void isReadBackAsItWasWritten() {
    assertEquals("path ^/a b", PurgePredicate.onPath(null, "^/a b"));
    String text = PurgePredicate.onHeader("a.example:8080", "content-type: ^video/");
    assertEquals("host a.example:8080 header content-type: ^video/", text);
    assertEquals("a.example:8080", PurgePredicate.parse(text).host());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "path ",
        "path (",
        "path (?=a)",
        "path (a)\\1",
        "path a{1001}",
        "path ((a{30}){30}){30}",
        "header content-type",
        "header : x",
        "header a b: x",
        "header content-length: 5",
        "header x: ",
        "host a.example",
        "anything ^/",
      })
  void whatIsNoPatternIsRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> PurgePredicate.parse(text), text);
  }

  @Test
  void limitsByTheTimeAtWhichTheResponseCame() {
    // The head of these tests is of the epoch.
    String url = "http://a.example/img/1.png";
    assertTrue(isFound("stored-before 1970-01-01T00:00:00.001Z", url));
    assertFalse(isFound("stored-before 1970-01-01T00:00:00Z", url));
    assertTrue(isFound("stored-before 2026-01-01T00:00:00Z of tag path ^/nothing", url));
    assertTrue(isFound("stored-before 2026-01-01T00:00:00Z path ^/img/", url));
    assertFalse(isFound("stored-before 2026-01-01T00:00:00Z path ^/video/", url));
    assertFalse(isFound("stored-before 1970-01-01T00:00:00Z host a.example path ^/img/", url));
    for (String wrong :
        List.of(
            "stored-before ",
            "stored-before yesterday",
            "stored-before 2026-01-01",
            "stored-before 2026-01-01T00:00:00Z tag a",
            "stored-before 2026-01-01T00:00:00Z host a.example")) {
      assertThrows(IllegalArgumentException.class, () -> PurgePredicate.parse(wrong), wrong);
    }
  }
}
