package io.forebay.core.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.key.FieldRecipe;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.UrlRecipe;
import io.forebay.core.policy.StoreVerdict.DoNotStore;
import io.forebay.core.policy.StoreVerdict.Store;
import io.forebay.core.route.CookieSettings.SetCookie;
import io.forebay.core.route.NegativeTtl;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ResponsePolicyTest {

  private static final Route ROUTE = Route.toOrigin("origin");
  private static final long NOW = HttpDate.parse("Tue, 02 Jun 2026 12:00:00 GMT", 0);
  private static final RequestView GET = SyntheticRequest.of("GET", "http://h/");
  private static final RequestView AUTHORIZED =
      SyntheticRequest.of("GET", "http://h/", "Authorization", "Basic x");

  /** Fields are written {@code name=value} with {@code ;} between; times are +seconds from now. */
  private static HeaderFields fields(String text) {
    HeaderFields.Builder fields = HeaderFields.builder();
    for (String field : List.of(text.split(";", -1))) {
      int equals = field.indexOf('=');
      if (equals < 0) {
        continue;
      }
      String value = field.substring(equals + 1);
      if (value.matches("[+-]\\d+s")) {
        value =
            HttpDate.format(NOW + 1000L * Long.parseLong(value.substring(0, value.length() - 1)));
      }
      fields.add(field.substring(0, equals), value);
    }
    return fields.build();
  }

  private static StoreVerdict judge(RequestView request, Route route, int status, String fields) {
    return ResponsePolicy.judge(request, route, status, fields(fields), NOW, NOW);
  }

  /** One row a sentence; lifetime in seconds, or the reason why it is not stored. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          §4.2.1 max-age                               | 200 | cache-control=max-age=60 | 60
          §4.2.1 s-maxage goes before max-age          | 200 | cache-control=max-age=60, s-maxage=90 | 90
          §4.2.1 also a shorter one                    | 200 | cache-control=s-maxage=9, max-age=60 | 9
          §4.2.1 max-age goes before Expires           | 200 | cache-control=max-age=60;date=+0s;expires=+900s | 60
          §4.2.1 Expires minus Date                    | 200 | date=-10s;expires=+50s | 60
          §4.2.1 Expires without Date                  | 200 | expires=+50s | 50
          §5.3 Expires in the past, with a validator   | 200 | date=+0s;expires=-50s;etag="a" | 0
          §5.3 Expires in the past, without            | 200 | date=+0s;expires=-50s | NOT_STORED_STALE
          §5.3 an invalid Expires is in the past       | 200 | expires=0;etag="a" | 0
          §5.3 it goes before the heuristic            | 200 | expires=0;last-modified=-1000s;date=+0s | 0
          §4.2.2 a tenth of the age of Last-Modified   | 200 | date=+0s;last-modified=-1000s | 100
          §4.2.2 capped at a day                       | 200 | date=+0s;last-modified=-100000000s | 86400
          §4.2.2 not below 0                           | 200 | date=+0s;last-modified=+1000s | 0
          §4.2.2 no explicit time, no Last-Modified    | 200 | date=+0s;etag="a" | NOT_STORED_NO_FRESHNESS
          §4.2.2 heuristics for 203                    | 203 | date=+0s;last-modified=-1000s | 100
          §4.2.2 heuristics for 301                    | 301 | date=+0s;last-modified=-1000s | 100
          §4.2.2 none for 302                          | 302 | date=+0s;last-modified=-1000s | NOT_STORED_NO_FRESHNESS
          §4.2.2 302 by its own word                   | 302 | cache-control=max-age=60 | 60
          §4.2.2 none for an invalid Last-Modified     | 200 | last-modified=yesterday | NOT_STORED_NO_FRESHNESS
          §4.2.1 malformed max-age is stale            | 200 | cache-control=max-age=x;etag="a" | 0
          §4.2.1 and not stored without a validator    | 200 | cache-control=max-age=x | NOT_STORED_STALE
          max-age=0 with a validator                   | 200 | cache-control=max-age=0;etag="a" | 0
          max-age=0 with a Last-Modified               | 200 | cache-control=max-age=0;last-modified=-9s | 0
          max-age=0 without                            | 200 | cache-control=max-age=0 | NOT_STORED_STALE
          a validator that is none                     | 200 | cache-control=max-age=0;etag=a | NOT_STORED_STALE
          §4.2.3 older than its lifetime on arrival    | 200 | cache-control=max-age=60;age=60 | NOT_STORED_STALE
          §4.2.3 younger than its lifetime             | 200 | cache-control=max-age=60;age=59 | 60
          §4.2.3 by its Date                           | 200 | cache-control=max-age=60;date=-60s | NOT_STORED_STALE
          §5.2.2.5 no-store                            | 200 | cache-control=no-store, max-age=60 | NOT_STORED_NO_STORE
          §5.2.2.5 no-store in a second line           | 200 | cache-control=max-age=60;cache-control=no-store | NOT_STORED_NO_STORE
          §5.2.2.3 must-understand overrides no-store  | 200 | cache-control=no-store, must-understand, max-age=60 | 60
          §5.2.2.3 not with an unknown status          | 299 | cache-control=no-store, must-understand, max-age=60 | NOT_STORED_MUST_UNDERSTAND
          §5.2.2.3 must-understand, unknown status     | 299 | cache-control=must-understand, max-age=60 | NOT_STORED_MUST_UNDERSTAND
          §3 unknown final status by its own word      | 299 | cache-control=max-age=60 | 60
          §5.2.2.7 private                             | 200 | cache-control=private, max-age=60 | NOT_STORED_PRIVATE
          §5.2.2.7 private with names                  | 200 | cache-control=private="x-user", max-age=60 | 60
          §5.2.2.7 private and public                  | 200 | cache-control=public, private, max-age=60 | NOT_STORED_PRIVATE
          §5.2.2.4 no-cache with a validator           | 200 | cache-control=no-cache;etag="a" | 0
          §5.2.2.4 no-cache keeps the lifetime         | 200 | cache-control=no-cache, max-age=60;etag="a" | 60
          §5.2.2.4 no-cache without a validator        | 200 | cache-control=no-cache, max-age=60 | NOT_STORED_STALE
          §5.2.2.4 no-cache and nothing else           | 200 | cache-control=no-cache | NOT_STORED_NO_FRESHNESS
          Set-Cookie                                   | 200 | cache-control=max-age=60;set-cookie=a | NOT_STORED_SET_COOKIE
          Set-Cookie that private names                | 200 | cache-control=private="Set-Cookie", max-age=60;set-cookie=a | 60
          §4.1 Vary: *                                 | 200 | cache-control=max-age=60;vary=* | NOT_STORED_VARY_ANY
          §4.1 Vary: * among others                    | 200 | cache-control=max-age=60;vary=a, * | NOT_STORED_VARY_ANY
          §4.1 Vary: * in a second line                | 200 | cache-control=max-age=60;vary=a;vary=* | NOT_STORED_VARY_ANY
          Vary by Cookie, to a request without         | 200 | cache-control=max-age=60;vary=Cookie | 60
          Vary by Cookie and User-Agent                | 200 | cache-control=max-age=60;vary=Cookie, user-agent | NOT_STORED_VARY_USER
          Vary by User-Agent                           | 200 | cache-control=max-age=60;vary=a,USER-AGENT | NOT_STORED_VARY_USER
          Vary by the client's address                 | 200 | cache-control=max-age=60;vary=X-Forwarded-For | NOT_STORED_VARY_USER
          §12.5.3 a coding that was not asked for      | 200 | cache-control=max-age=60;content-encoding=gzip | NOT_STORED_ENCODING
          §12.5.3 one that nobody is asked for         | 200 | cache-control=max-age=60;content-encoding=x-odd | 60
          §12.5.3 beside one that was not asked for    | 200 | cache-control=max-age=60;content-encoding=gzip, x-odd | NOT_STORED_ENCODING
          §12.5.3 identity is no coding                | 200 | cache-control=max-age=60;content-encoding=identity | 60
          Vary malformed                               | 200 | cache-control=max-age=60;vary=a b | NOT_STORED_VARY_MALFORMED
          §3.3 a 206                                   | 206 | cache-control=max-age=60;content-range=bytes 0-1/2 | NOT_STORED_PARTIAL
          a 200 that says it is a part                 | 200 | cache-control=max-age=60;content-range=bytes 0-1/3 | NOT_STORED_PARTIAL
          a 200 of unknown length that does            | 200 | cache-control=max-age=60;content-range=bytes 0-1/* | NOT_STORED_PARTIAL
          a 200 with two of it                         | 200 | cache-control=max-age=60;content-range=a;content-range=b | NOT_STORED_PARTIAL
          §14.4 a 200 that says it is the whole        | 200 | cache-control=max-age=60;content-range=bytes 0-1/2 | 60
          §14.4 a Content-Range of no bytes            | 200 | cache-control=max-age=60;content-range=x 0-1/9 | 60
          a 304 by itself                              | 304 | cache-control=max-age=60 | NOT_STORED_STATUS
          a 100                                        | 100 | cache-control=max-age=60 | NOT_STORED_STATUS
          400: depends on the request's header         | 400 | cache-control=max-age=60 | NOT_STORED_STATUS
          431: the same                                | 431 | cache-control=max-age=60 | NOT_STORED_STATUS
          404 by its own word                          | 404 | cache-control=max-age=60 | 60
          404 by guessing                              | 404 | date=+0s;last-modified=-1000s | 100
          404 by guessing, for five minutes            | 404 | date=+0s;last-modified=-10000s | 300
          405 by guessing                              | 405 | date=+0s;last-modified=-1000s | NOT_STORED_ERROR_WITHOUT_FRESHNESS
          405 by guessing, although public             | 405 | cache-control=public;date=+0s;last-modified=-1000s | NOT_STORED_ERROR_WITHOUT_FRESHNESS
          500 by guessing                              | 500 | date=+0s;last-modified=-1000s | NOT_STORED_ERROR_WITHOUT_FRESHNESS
          500 by guessing where it is public           | 500 | cache-control=public;date=+0s;last-modified=-1000s | 100
          599 by guessing where it is public           | 599 | cache-control=public;date=+0s;last-modified=-1000s | 100
          503 by its own word                          | 503 | cache-control=max-age=1 | 1
          500 without a word                           | 500 | etag="a" | NOT_STORED_ERROR_WITHOUT_FRESHNESS
          600                                          | 600 | cache-control=max-age=60 | NOT_STORED_STATUS
          Pragma: no-cache forbids guessing            | 200 | pragma=no-cache;date=+0s;last-modified=-1000s | NOT_STORED_NO_FRESHNESS
          Pragma beside Cache-Control is nothing       | 200 | pragma=no-cache;cache-control=max-age=60 | 60
          """)
  void judges(String sentence, int status, String fields, String expected) {
    assertEquals(expected, text(judge(GET, ROUTE, status, fields)), sentence);
  }

  private static String text(StoreVerdict verdict) {
    return switch (verdict) {
      case Store store -> String.valueOf(store.freshnessLifetimeMillis() / 1000);
      case DoNotStore(Reason reason) -> reason.name();
    };
  }

  /** RFC 9111 §3.5. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          max-age=60                  | NOT_STORED_AUTHORIZATION
          max-age=60, public          | 60
          max-age=60, must-revalidate | 60
          s-maxage=60                 | 60
          max-age=60, proxy-revalidate | NOT_STORED_AUTHORIZATION
          private, s-maxage=60        | NOT_STORED_PRIVATE
          """)
  void answersToAuthorizedRequestsNeedPermission(String control, String expected) {
    assertEquals(expected, text(judge(AUTHORIZED, ROUTE, 200, "cache-control=" + control)));
  }

  @Test
  void onlyAnswersToPlainGetsAreStored() {
    String fields = "cache-control=max-age=60";
    for (String method : List.of("HEAD", "POST", "PUT", "get", "OPTIONS")) {
      RequestView request = SyntheticRequest.of(method, "http://h/");
      assertEquals("NOT_STORED_METHOD", text(judge(request, ROUTE, 200, fields)), method);
    }
    RequestView fat = SyntheticRequest.of("GET", "http://h/").withBody();
    assertEquals("NOT_STORED_METHOD", text(judge(fat, ROUTE, 200, fields)));
  }

  /** I7: a request with a cookie neither stores nor receives a response that varies by it. */
  @Test
  void whatVariesByCookiesIsStoredForRequestsWithoutThem() {
    String fields = "cache-control=public, s-maxage=60;vary=Accept-Encoding, COOKIE";
    assertEquals(List.of("accept-encoding", "cookie"), store(GET, ROUTE, fields).selectingFields());
    for (String cookie : List.of("a=b", "a", "")) {
      RequestView request = SyntheticRequest.of("GET", "http://h/", "Cookie", cookie);
      assertEquals("NOT_STORED_VARY_COOKIE", text(judge(request, ROUTE, 200, fields)), cookie);
    }
  }

  /** A client with a cookie does not keep the error from being stored for others. */
  @Test
  void anErrorIsNotGuessedForARequestWithCookiesAlone() {
    RequestView request = SyntheticRequest.of("GET", "http://h/", "Cookie", "a=b");
    String fields = "date=+0s;last-modified=-1000s";
    assertEquals("NOT_STORED_COOKIE", text(judge(request, ROUTE, 404, fields)));
    assertEquals("NOT_STORED_ERROR_WITHOUT_FRESHNESS", text(judge(request, ROUTE, 403, fields)));
    assertEquals("NOT_STORED_NO_FRESHNESS", text(judge(request, ROUTE, 302, fields)));
  }

  @Test
  void routeNamesTheErrorsThatAreGuessed() {
    String fields = "date=+0s;last-modified=-1000s";
    Route two =
        ROUTE.withSettings(RouteSettings.builder().heuristicErrors(Set.of(405, 414)).build());
    assertEquals("100", text(judge(GET, two, 405, fields)));
    assertEquals("100", text(judge(GET, two, 414, fields)));
    assertEquals("NOT_STORED_ERROR_WITHOUT_FRESHNESS", text(judge(GET, two, 404, fields)));
    assertThrows(
        IllegalArgumentException.class,
        () -> RouteSettings.builder().heuristicErrors(Set.of(500)).build());
    Route timed =
        ROUTE.withSettings(
            RouteSettings.builder()
                .negativeTtl(new NegativeTtl(Map.of(404, Duration.ofSeconds(7))))
                .build());
    assertEquals("7", text(judge(GET, timed, 404, fields)));
  }

  /** One client's malformed field must not spoil a URL for all. */
  @Test
  void aBadRequestIsStoredByItsOwnWordAndTheRoutesOnly() {
    Route stores =
        ROUTE.withSettings(
            RouteSettings.builder()
                .storesBadRequests(true)
                .negativeTtl(new NegativeTtl(Map.of(4, Duration.ofSeconds(7))))
                .build());
    String fields = "cache-control=max-age=60";
    assertEquals("60", text(judge(GET, stores, 400, fields)));
    assertEquals("NOT_STORED_STATUS", text(judge(GET, ROUTE, 400, fields)));
    assertEquals("NOT_STORED_ERROR_WITHOUT_FRESHNESS", text(judge(GET, stores, 400, "x=y")));
    assertEquals(
        "NOT_STORED_ERROR_WITHOUT_FRESHNESS",
        text(judge(GET, stores, 400, "cache-control=public;date=+0s;last-modified=-1000s")));
    for (String name : List.of("Cookie", "Authorization")) {
      RequestView request = SyntheticRequest.of("GET", "http://h/", name, "x");
      assertEquals(
          "NOT_STORED_STATUS", text(judge(request, stores, 400, "cache-control=s-maxage=60")));
    }
  }

  @Test
  void routeDecidesAboutCookies() {
    String fields = "cache-control=max-age=60;set-cookie=a=b";
    Route stores = ROUTE.withSettings(RouteSettings.builder().setCookie(SetCookie.STORE).build());
    Route strips = ROUTE.withSettings(RouteSettings.builder().setCookie(SetCookie.STRIP).build());
    assertEquals(List.of(), store(GET, stores, fields).omittedFields());
    assertEquals(List.of("set-cookie"), store(GET, strips, fields).omittedFields());
  }

  @Test
  void fieldsThatAreNotForAllAreOmitted() {
    Store store =
        store(
            GET, ROUTE, "cache-control=max-age=9, private=\"A, b\", no-cache=\"c\";set-cookie2=x");
    assertEquals(List.of("a", "b", "c"), store.omittedFields());
    assertFalse(StoredMeta.of(store.meta()).isNoCache());
  }

  @Test
  void routeCanGiveAndOverrideLifetimes() {
    Route gives =
        ROUTE.withSettings(RouteSettings.builder().defaultTtl(Duration.ofSeconds(7)).build());
    assertEquals("7", text(judge(GET, gives, 200, "x=y")));
    assertEquals("7", text(judge(GET, gives, 200, "date=+0s;last-modified=-1000s")));
    assertEquals("60", text(judge(GET, gives, 200, "cache-control=max-age=60")));
    assertEquals("NOT_STORED_ERROR_WITHOUT_FRESHNESS", text(judge(GET, gives, 500, "x=y")));
    Route overrides =
        ROUTE.withSettings(RouteSettings.builder().ttlOverride(Duration.ofSeconds(7)).build());
    assertEquals("7", text(judge(GET, overrides, 200, "cache-control=max-age=60")));
    assertEquals("60", text(judge(GET, overrides, 404, "cache-control=max-age=60")));
    assertEquals("NOT_STORED_NO_STORE", text(judge(GET, overrides, 200, "cache-control=no-store")));
  }

  @Test
  void routeCanForbidGuessingAndStoring() {
    String fields = "date=+0s;last-modified=-1000s";
    Route explicit = ROUTE.withSettings(RouteSettings.builder().heuristic(false).build());
    assertEquals("NOT_STORED_NO_FRESHNESS", text(judge(GET, explicit, 200, fields)));
    Route passing = ROUTE.withSettings(RouteSettings.builder().passthrough(true).build());
    assertEquals("NOT_STORED_ROUTE", text(judge(GET, passing, 200, "cache-control=max-age=9")));
  }

  @Test
  void remembersWhatTheRulesNeed() {
    Store store =
        store(
            GET,
            ROUTE,
            "cache-control=s-maxage=60, must-revalidate, immutable, stale-while-revalidate=5,"
                + " stale-if-error=6;date=-2s;age=9;etag=W/\"x\";last-modified=-100s;"
                + "vary=Accept-Encoding, ,b;vary=B,Host");
    assertEquals(List.of("accept-encoding", "b"), store.selectingFields());
    StoredMeta meta = StoredMeta.of(store.meta());
    assertEquals(200, meta.status());
    assertEquals(NOW, meta.responseTimeMillis());
    assertEquals(NOW - 2000, meta.dateMillis());
    assertEquals(9, meta.ageValueSeconds());
    assertEquals(60_000, meta.freshnessLifetimeMillis());
    assertEquals(5000, meta.staleWhileRevalidateMillis());
    assertEquals(6000, meta.staleIfErrorMillis());
    assertTrue(meta.isMustRevalidate() && meta.isImmutable() && meta.hasSharedMaxAge());
    assertFalse(meta.isHeuristic() || meta.isNoCache() || meta.isVaryMarker());
    assertEquals("W/\"x\"", meta.etag());
    assertEquals(NOW - 100_000, meta.lastModifiedMillis());
    assertEquals(HttpDate.format(NOW - 100_000), meta.lastModified());
    assertEquals(List.of("accept-encoding", "b"), meta.selectingFields());
  }

  /** RFC 9111 §5.1. */
  @ParameterizedTest
  @CsvSource({"5, 5", "'5, 9', 5", "-1, 0", "x, 0", "1.5, 0", "99999999999999999999, 2147483648"})
  void readsTheAge(String age, long seconds) {
    Store store = store(GET, ROUTE, "cache-control=max-age=9;etag=\"a\";age=" + age);
    assertEquals(seconds, StoredMeta.of(store.meta()).ageValueSeconds());
  }

  private static List<String> selecting(FieldRecipe recipe, String accepted, String fields) {
    Route route = ROUTE.withKeyRecipe(new KeyRecipe(UrlRecipe.WHOLE, recipe));
    SyntheticRequest request = SyntheticRequest.of("GET", "http://h/", "Accept-Encoding", accepted);
    return judge(request, route, 200, "cache-control=max-age=60;" + fields) instanceof Store store
        ? store.selectingFields()
        : List.of("not stored");
  }

  /** RFC 9111 §4.1: any spelling, order and repetition; what the origin can't have seen is out. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          vary=B, a                          | a,b
          vary=a,,A , ,a;vary=B              | a,b
          vary=;vary=,                       | ''
          vary=Host, Range, If-None-Match, a | a
          content-encoding=gzip              | accept-encoding
          content-encoding=gzip, br;vary=a   | a,accept-encoding
          content-encoding=X-GZIP;vary=Accept-Encoding | accept-encoding
          content-encoding=zstd              | not stored
          content-encoding=gzip, x           | accept-encoding
          vary=X-Mapped, a                   | a
          vary=Cookie, User-Agent, Sec-CH-UA-Mobile, Accept-Language, X-Ignored | ''
          vary=X-Mapped, *                   | not stored
          """)
  void varySelectsByWhatTheKeyDoesNotHave(String fields, String expected) {
    FieldRecipe recipe =
        new FieldRecipe(
            List.of("x-mapped"), List.of("c"), true, List.of("en"), List.of("x-ignored"));
    assertEquals(expected, String.join(",", selecting(recipe, "gzip, br", fields)));
  }

  @Test
  void varyIsBoundedAndLinear() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < ResponsePolicy.MAX_SELECTING_FIELDS; i++) {
      names.add("f" + i);
    }
    String most = "cache-control=max-age=9;vary=" + String.join(",", names);
    assertEquals("9", text(judge(GET, ROUTE, 200, most + "," + most.substring(29))));
    assertEquals("NOT_STORED_VARY_MALFORMED", text(judge(GET, ROUTE, 200, most + ",g")));
    String longName = "cache-control=max-age=9;vary=" + "x".repeat(1025);
    assertEquals("NOT_STORED_VARY_MALFORMED", text(judge(GET, ROUTE, 200, longName)));
    String commas = "cache-control=max-age=9;vary=" + ",".repeat(2_000_000);
    assertTimeoutPreemptively(
        Duration.ofSeconds(5), () -> assertEquals("9", text(judge(GET, ROUTE, 200, commas))));
  }

  private static Store store(RequestView request, Route route, String fields) {
    return assertInstanceOf(Store.class, judge(request, route, 200, fields));
  }
}
