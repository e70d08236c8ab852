package io.forebay.core.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RevalidationTest {

  private static final String MODIFIED = "Tue, 02 Jun 2026 10:00:00 GMT";
  private static final long CAME = 1_780_401_600_000L;

  private static StoredMeta stored(@Nullable String etag, @Nullable String lastModified) {
    long modified = lastModified == null ? HttpDate.INVALID : HttpDate.parse(lastModified, 0);
    return StoredMeta.of(
        StoredMeta.encode(
            new MetaValues(
                200, 0, 0, 0, 0, modified, 0, -1, -1, 0, etag, lastModified, List.of())));
  }

  /** RFC 9111 §4.3.1. */
  @Test
  void sendsAllValidatorsAsTheyCame() {
    assertEquals(
        "if-none-match: W/\"a\"\nif-modified-since: " + MODIFIED + "\n",
        Revalidation.conditionalFields(stored("W/\"a\"", MODIFIED)).toString());
    assertEquals(0, Revalidation.conditionalFields(stored(null, null)).size());
  }

  /** RFC 9111 §4.3.4. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          the same strong tag                  | "a"   | -  | "a"   | -   | true
          another strong tag                   | "a"   | -  | "b"   | -   | false
          a strong tag where none is stored    | -     | T  | "a"   | T   | false
          the same weak tag                    | W/"a" | -  | W/"a" | -   | true
          another weak tag                     | W/"a" | -  | W/"b" | -   | false
          weakened on the way                  | "a"   | -  | W/"a" | -   | true
          no validator                         | "a"   | T  | -     | -   | true
          the same date                        | -     | T  | -     | T   | true
          another date                         | -     | T  | -     | U   | false
          the tag goes before the date         | "a"   | T  | "a"   | U   | true
          a tag that is none counts for nothing | "a"  | -  | a     | -   | true
          """)
  void matchesByTheStrongestValidator(
      String sentence,
      @Nullable String etag,
      @Nullable String lastModified,
      @Nullable String newEtag,
      @Nullable String newLastModified,
      boolean isMatch) {
    HeaderFields.Builder fields = HeaderFields.builder();
    if (newEtag != null) {
      fields.add("etag", newEtag);
    }
    if (newLastModified != null) {
      fields.add("last-modified", newLastModified.equals("T") ? MODIFIED : HttpDate.format(0));
    }
    StoredMeta stored = stored(etag, lastModified == null ? null : MODIFIED);
    assertEquals(isMatch, Revalidation.matches(stored, fields.build()), sentence);
  }

  /** RFC 9111 §3.2. */
  @Test
  void a304ReplacesFieldsButNotThoseOfTheBody() {
    HeaderFields stored =
        HeaderFields.of(
            "date",
            MODIFIED,
            "cache-control",
            "max-age=1",
            "x",
            "1",
            "x",
            "2",
            "y",
            "3",
            "content-type",
            "a/b",
            "etag",
            "\"a\"");
    HeaderFields notModified =
        HeaderFields.of(
            "Date",
            "new",
            "Cache-Control",
            "max-age=2",
            "X",
            "4",
            "Content-Length",
            "0",
            "Content-Type",
            "c/d",
            "Content-Encoding",
            "gzip",
            "Connection",
            "z",
            "Z",
            "5",
            "Age",
            "6",
            "Keep-Alive",
            "7");
    assertEquals(
        """
        y: 3
        etag: "a"
        date: new
        cache-control: max-age=2
        x: 4
        content-type: c/d
        age: 6
        """,
        Freshening.update(stored, notModified, CAME).toString());
  }

  @Test
  void a304WithoutDateDoesNotKeepTheOldOne() {
    HeaderFields updated =
        Freshening.update(HeaderFields.of("date", MODIFIED, "age", "9"), HeaderFields.EMPTY, CAME);
    assertEquals("date: Tue, 02 Jun 2026 12:00:00 GMT\n", updated.toString());
  }

  /** RFC 9111 §4.4. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          POST   | 200 | -                    | -         | http://h/a/b?q
          POST   | 302 | /c                   | d         | http://h/a/b?q http://h/c http://h/a/d
          PUT    | 201 | http://h:80/e#f      | -         | http://h/a/b?q http://h/e
          DELETE | 204 | http://g/e           | //h/x     | http://h/a/b?q http://h/x
          PATCH  | 200 | https://h/e          | ?z        | http://h/a/b?q http://h/a/b?z
          X      | 200 | ../../e              | http://:/ | http://h/a/b?q http://h/e
          POST   | 200 | mailto:a@h           | /%zz      | http://h/a/b?q
          POST   | 404 | /c                   | -         | ''
          POST   | 500 | /c                   | -         | ''
          GET    | 200 | /c                   | -         | ''
          HEAD   | 200 | /c                   | -         | ''
          """)
  void unsafeRequestsInvalidate(
      String method, int status, String location, String contentLocation, String expected) {
    HeaderFields.Builder fields = HeaderFields.builder();
    if (!location.equals("-")) {
      fields.add("Location", location);
    }
    if (!contentLocation.equals("-")) {
      fields.add("Content-Location", contentLocation);
    }
    List<TargetUri> uris =
        InvalidationPolicy.invalidated(
            SyntheticRequest.of(method, "http://h/a/b?q"), status, fields.build());
    assertEquals(expected, String.join(" ", uris.stream().map(TargetUri::toString).toList()));
  }

  /** I7: what is stored for requests without cookies is not named by one with cookies. */
  @Test
  void requestsWithCookiesNameNoOthersWhereCookiesSelect() {
    SyntheticRequest without = SyntheticRequest.of("GET", "http://h/");
    SyntheticRequest with = SyntheticRequest.of("GET", "http://h/", "Cookie", "a=b");
    assertTrue(Revalidation.canNameOtherVariants(without, List.of("cookie", "x")));
    assertFalse(Revalidation.canNameOtherVariants(with, List.of("cookie", "x")));
    assertTrue(Revalidation.canNameOtherVariants(with, List.of("x")));
    assertFalse(Revalidation.canNameOtherVariants(without, List.of("authorization")));
  }
}
