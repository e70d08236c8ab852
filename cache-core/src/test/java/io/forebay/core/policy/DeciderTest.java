package io.forebay.core.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.QueryRequest;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.key.FieldRecipe;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.NamePatterns;
import io.forebay.core.key.UrlRecipe;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteForwarding;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.RouteSettings.ClientDirectives;
import io.forebay.core.route.RouteTable;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DeciderTest {

  private static final long BORN = 1_780_000_000_000L;
  private static final Route ROUTE = Route.toOrigin("origin");
  private static final Route HONOURING =
      ROUTE.withSettings(RouteSettings.builder().clientDirectives(ClientDirectives.HONOUR).build());
  private static final Route GRACE =
      ROUTE.withSettings(
          RouteSettings.builder()
              .staleWhileRevalidate(Duration.ofSeconds(20))
              .staleIfError(Duration.ofSeconds(30))
              .build());

  private static StoredMeta stored(String cacheControl, String... more) {
    HeaderFields.Builder fields = HeaderFields.builder().add("cache-control", cacheControl);
    for (int i = 0; i < more.length; i += 2) {
      fields.add(more[i], more[i + 1]);
    }
    StoreVerdict verdict =
        ResponsePolicy.judge(
            SyntheticRequest.of("GET", "http://h/"), ROUTE, 200, fields.build(), BORN, BORN);
    return StoredMeta.of(assertInstanceOf(StoreVerdict.Store.class, verdict).meta());
  }

  private static String decide(
      RequestView request, Route route, @Nullable StoredMeta stored, long seconds) {
    return text(Decider.decide(request, route, stored, false, BORN + seconds * 1000));
  }

  private static String text(Decision decision) {
    return decision.getClass().getSimpleName() + " " + decision.reason();
  }

  private static RequestView get(String... fields) {
    return SyntheticRequest.of("GET", "http://h/", fields);
  }

  /** RFC 10008 §2.7. */
  @Test
  void queryIsDecidedLikeGetWhereTheRouteSaysSo() {
    KeyRecipe recipe = new KeyRecipe(UrlRecipe.WHOLE, FieldRecipe.NONE, 64, false, true);
    Route caching = ROUTE.withKeyRecipe(recipe);
    RequestView unread = SyntheticRequest.of("QUERY", "http://h/").withBody();
    RequestView query = new QueryRequest(unread, "digest");
    StoredMeta stored = stored("max-age=60", "etag", "\"a\"");
    assertNull(Decider.decideBeforeLookup(unread, caching));
    assertEquals("Pass PASS_METHOD", decide(unread, ROUTE, stored, 0));
    assertEquals("Serve HIT_FRESH", decide(query, caching, stored, 0));
    assertEquals("Fetch MISS_URI", decide(query, caching, null, 0));
    assertEquals("Revalidate STALE_EXPIRED", decide(query, caching, stored, 60));
    HeaderFields fresh = HeaderFields.of("cache-control", "max-age=60");
    assertInstanceOf(
        StoreVerdict.Store.class, ResponsePolicy.judge(query, caching, 200, fresh, BORN, BORN));
    assertEquals(
        new StoreVerdict.DoNotStore(Reason.NOT_STORED_METHOD),
        ResponsePolicy.judge(unread, caching, 200, fresh, BORN, BORN));
  }

  /** RFC 10008 §2: QUERY is safe. */
  @Test
  void queryInvalidatesNothing() {
    RequestView query = SyntheticRequest.of("QUERY", "http://h/a").withBody();
    assertEquals(
        List.of(),
        InvalidationPolicy.invalidated(query, 200, HeaderFields.of("content-location", "/b")));
  }

  /** RFC 9111 §4; the second number is the age in seconds. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          §4.2 fresh                             | max-age=60 | 0  | Serve HIT_FRESH
          §4.2 fresh to the last                 | max-age=60 | 59 | Serve HIT_FRESH
          §4.2 stale as soon as the age is that  | max-age=60 | 60 | Revalidate STALE_EXPIRED
          §5.2.2.4 no-cache while fresh          | max-age=60, no-cache | 0 | Revalidate STALE_NO_CACHE
          clock before the response came         | max-age=60 | -1 | Revalidate STALE_CLOCK
          RFC 5861 §3 within the window          | max-age=60, stale-while-revalidate=10 | 60 | Serve HIT_STALE_WHILE_REVALIDATE
          RFC 5861 §3 to its last second         | max-age=60, stale-while-revalidate=10 | 69 | Serve HIT_STALE_WHILE_REVALIDATE
          RFC 5861 §3 after the window           | max-age=60, stale-while-revalidate=10 | 70 | Revalidate STALE_EXPIRED
          §5.2.2.2 must-revalidate forbids       | max-age=60, must-revalidate, stale-while-revalidate=10 | 60 | Revalidate STALE_EXPIRED
          §5.2.2.8 proxy-revalidate forbids      | max-age=60, proxy-revalidate, stale-while-revalidate=10 | 60 | Revalidate STALE_EXPIRED
          no-cache forbids                       | max-age=60, no-cache, stale-while-revalidate=10 | 60 | Revalidate STALE_NO_CACHE
          s-maxage with its own window           | s-maxage=60, stale-while-revalidate=10 | 60 | Serve HIT_STALE_WHILE_REVALIDATE
          the clock went back                    | max-age=60, stale-while-revalidate=10 | -1 | Revalidate STALE_CLOCK
          """)
  void decidesByAge(String sentence, String control, long seconds, String expected) {
    StoredMeta stored = stored(control, "etag", "\"a\"");
    assertEquals(expected, decide(get(), ROUTE, stored, seconds), sentence);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          max-age=60                           | 79 | Serve HIT_STALE_WHILE_REVALIDATE
          max-age=60                           | 80 | Revalidate STALE_EXPIRED
          max-age=60, stale-while-revalidate=0 | 60 | Revalidate STALE_EXPIRED
          max-age=60, must-revalidate          | 60 | Revalidate STALE_EXPIRED
          s-maxage=60                          | 60 | Revalidate STALE_EXPIRED
          max-age=0                            | 1  | Revalidate STALE_EXPIRED
          max-age=soon                         | 1  | Revalidate STALE_EXPIRED
          max-age=-1                           | 1  | Revalidate STALE_EXPIRED
          max-age=0, public                    | 1  | Revalidate STALE_EXPIRED
          max-age=0, stale-while-revalidate=5  | 1  | Serve HIT_STALE_WHILE_REVALIDATE
          """)
  void routeGivesTheWindowWhereTheResponseDoesNot(String control, long seconds, String expected) {
    assertEquals(expected, decide(get(), GRACE, stored(control, "etag", "\"a\""), seconds));
  }

  /** RFC 5861 §4. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          max-age=60, stale-if-error=10                  | 69 | true
          max-age=60, stale-if-error=10                  | 70 | false
          max-age=60                                     | 60 | false
          max-age=60, stale-if-error=10, must-revalidate | 60 | false
          max-age=60, stale-if-error=10, no-cache        | 60 | false
          max-age=60, stale-if-error=10                  | -1 | false
          """)
  void staleIfErrorHasItsWindow(String control, long seconds, boolean isAllowed) {
    StoredMeta stored = stored(control, "etag", "\"a\"");
    long now = BORN + seconds * 1000;
    assertEquals(isAllowed, Decider.mayServeStaleOnError(get(), stored, ROUTE, now));
  }

  @Test
  void staleIfErrorOfTheRouteIsTheDefault() {
    StoredMeta stored = stored("max-age=60");
    assertTrue(Decider.mayServeStaleOnError(get(), stored, GRACE, BORN + 89_000));
    assertEquals(false, Decider.mayServeStaleOnError(get(), stored, GRACE, BORN + 90_000));
    StoredMeta marker = StoredMeta.of(StoredMeta.encodeVaryMarker(List.of("a"), BORN));
    assertEquals(false, Decider.mayServeStaleOnError(get(), marker, GRACE, BORN));
  }

  @Test
  void staleWithoutValidatorIsFetchedAnew() {
    assertEquals("Fetch STALE_EXPIRED", decide(get(), ROUTE, stored("max-age=60"), 60));
    RequestView head = SyntheticRequest.of("HEAD", "http://h/");
    assertEquals("Pass PASS_HEAD", decide(head, ROUTE, stored("max-age=60"), 60));
  }

  @Test
  void softPurgedIsStaleWhateverItsAge() {
    StoredMeta plain = stored("max-age=60", "etag", "\"a\"");
    assertEquals(
        "Revalidate STALE_SOFT_PURGED", text(Decider.decide(get(), ROUTE, plain, true, BORN)));
    StoredMeta lenient = stored("max-age=60, stale-while-revalidate=10", "etag", "\"a\"");
    assertSame(
        Decision.SERVE_STALE_WHILE_REVALIDATE, Decider.decide(get(), ROUTE, lenient, true, BORN));
  }

  @Test
  void nothingStoredIsAMiss() {
    StoredMeta marker = StoredMeta.of(StoredMeta.encodeVaryMarker(List.of("a", "b"), BORN));
    RequestView head = SyntheticRequest.of("HEAD", "http://h/");
    assertEquals("Fetch MISS_URI", decide(get(), ROUTE, null, 0));
    assertEquals("Fetch MISS_VARY", decide(get(), ROUTE, marker, 0));
    assertEquals("Pass PASS_HEAD", decide(head, ROUTE, null, 0));
    assertEquals("Pass PASS_HEAD", decide(head, ROUTE, marker, 0));
    assertEquals("Serve HIT_FRESH", decide(head, ROUTE, stored("max-age=60"), 0));
    assertEquals(List.of("a", "b"), marker.selectingFields());
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get", "PROPFIND", "X"})
  void otherMethodsPass(String method) {
    RequestView request = SyntheticRequest.of(method, "http://h/");
    assertEquals("Pass PASS_METHOD", decide(request, ROUTE, stored("max-age=60"), 0));
  }

  /** S26. */
  @ParameterizedTest
  @ValueSource(strings = {"CONNECT", "TRACE", "PURGE", "BAN"})
  void someMethodsAreNotServed(String method) {
    Decision decision =
        Decider.decide(
            SyntheticRequest.of(method, "http://h/"), ROUTE, stored("max-age=60"), false, BORN);
    assertEquals(new Decision.Refuse(405, Reason.REFUSED_METHOD), decision);
  }

  @Test
  void whatIsNoPlainQuestionPasses() {
    StoredMeta stored = stored("max-age=60");
    RequestView fat = SyntheticRequest.of("GET", "http://h/").withBody();
    assertEquals("Pass PASS_BODY", decide(fat, ROUTE, stored, 0));
    RequestView upgrade = get("Upgrade", "echo", "Connection", "upgrade");
    Route tunnelling =
        ROUTE.withForwarding(
            new RouteForwarding(Set.of("echo"), Set.of(), true, NamePatterns.NONE));
    assertEquals("Pass PASS_UPGRADE", decide(upgrade, tunnelling, stored, 0));
    // RFC 9110 §7.8: a server may ignore the offer.
    assertEquals("Serve HIT_FRESH", decide(upgrade, ROUTE, stored, 0));
    assertEquals("Serve HIT_FRESH", decide(get("Upgrade", "echo"), tunnelling, stored, 0));
    Route passing = ROUTE.withSettings(RouteSettings.builder().passthrough(true).build());
    assertEquals("Pass PASS_ROUTE", decide(get(), passing, stored, 0));
    assertNull(Decider.decideBeforeLookup(get(), ROUTE));
  }

  /** RFC 9111 §5.2.1; ten seconds after it came. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no-cache                     | max-age=60 | Revalidate REQUEST_NO_CACHE
          no-store                     | max-age=60 | Serve HIT_FRESH
          no-store                     | max-age=5  | Pass PASS_NO_STORE
          max-age=9                    | max-age=60 | Revalidate REQUEST_MAX_AGE
          max-age=10                   | max-age=60 | Serve HIT_FRESH
          max-age=0                    | max-age=60 | Revalidate REQUEST_MAX_AGE
          min-fresh=50                 | max-age=60 | Serve HIT_FRESH
          min-fresh=51                 | max-age=60 | Revalidate REQUEST_MIN_FRESH
          min-fresh=x                  | max-age=60 | Revalidate REQUEST_MIN_FRESH
          max-stale                    | max-age=5  | Serve HIT_MAX_STALE
          max-stale=5                  | max-age=5  | Serve HIT_MAX_STALE
          max-stale=4                  | max-age=5  | Revalidate STALE_EXPIRED
          max-stale                    | max-age=5, must-revalidate | Revalidate STALE_EXPIRED
          max-stale                    | s-maxage=5 | Revalidate STALE_EXPIRED
          max-stale                    | max-age=60, no-cache | Revalidate STALE_NO_CACHE
          only-if-cached               | max-age=60 | Serve HIT_FRESH
          only-if-cached               | max-age=5  | Refuse REFUSED_ONLY_IF_CACHED
          no-transform                 | max-age=60 | Serve HIT_FRESH
          """)
  void honoursTheClientWhereTheRouteSaysSo(String control, String response, String expected) {
    StoredMeta stored = stored(response, "etag", "\"a\"");
    RequestView request = get("Cache-Control", control);
    assertEquals(expected, decide(request, HONOURING, stored, 10));
    String ignoring = decide(get(), ROUTE, stored, 10);
    assertEquals(ignoring, decide(request, ROUTE, stored, 10));
  }

  @Test
  void honoursPragmaWithoutCacheControlOnly() {
    StoredMeta stored = stored("max-age=60", "etag", "\"a\"");
    RequestView pragma = get("Pragma", "no-cache");
    RequestView both = get("Pragma", "no-cache", "Cache-Control", "max-age=30");
    assertEquals("Revalidate REQUEST_NO_CACHE", decide(pragma, HONOURING, stored, 10));
    assertEquals("Serve HIT_FRESH", decide(both, HONOURING, stored, 10));
    assertEquals("Serve HIT_FRESH", decide(pragma, ROUTE, stored, 10));
    assertEquals(
        "Refuse REFUSED_ONLY_IF_CACHED",
        decide(get("Cache-Control", "only-if-cached"), HONOURING, null, 0));
  }

  /** RFC 9111 §4.2.3. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          resident time only           | 0    | 0     | 0  | 5000  | 5
          the origin's Age             | 0    | 0     | 7  | 5000  | 12
          apparent age                 | 0    | -9000 | 0  | 5000  | 14
          the greater of both          | 0    | -9000 | 7  | 5000  | 14
          delay adds to the Age        | 3000 | 0     | 7  | 5000  | 15
          a Date in the future         | 0    | 90000 | 0  | 5000  | 5
          the clock went back          | 0    | 0     | 7  | -5000 | 7
          """)
  void computesTheAge(
      String sentence, long delay, long date, long age, long resident, long expectedSeconds) {
    long response = BORN;
    long millis =
        Age.currentAgeMillis(response - delay, response, response + date, age, response + resident);
    assertEquals(expectedSeconds, millis / 1000, sentence);
  }

  @Test
  void aSecondOfFreshnessIsNotLostToRounding() {
    long response = BORN + 900;
    assertEquals(50, Age.currentAgeMillis(response, response, BORN, 0, response + 50));
  }

  @Test
  void everyReasonExplainsItself() {
    for (Reason reason : Reason.values()) {
      assertTrue(reason.explanation().endsWith("."), reason.name());
      assertTrue(reason.label().matches("[a-z-]+"), reason.label());
    }
  }

  /** The path of a hit from request to plan, without the lookup and the answer. */
  @Test
  void aFreshHitAllocatesNothing() {
    ThreadMXBean threads =
        assertInstanceOf(ThreadMXBean.class, ManagementFactory.getThreadMXBean());
    RequestView request = get("Accept-Encoding", "gzip, br", "User-Agent", "x", "Accept", "*/*");
    RouteTable routes =
        new RouteTable(
            List.of(
                ROUTE,
                new Route(
                    "b", "*.example.com", "/v/", "o", ROUTE.keyRecipe(), RouteSettings.DEFAULT)));
    KeyBuilder keys = new KeyBuilder(new byte[16]);
    StoredMeta meta = new StoredMeta();
    byte[] record =
        ((StoreVerdict.Store)
                ResponsePolicy.judge(
                    request,
                    ROUTE,
                    200,
                    HeaderFields.of(
                        "cache-control", "max-age=60", "vary", "Accept-Encoding", "etag", "\"a\""),
                    BORN,
                    BORN))
            .meta();
    MemorySegment segment = MemorySegment.ofArray(record);
    CacheStatus status = new CacheStatus("forebay");
    byte[] head = new byte[status.maxHitLength()];
    long sum = 0;
    int measured = 10_000;
    long perHit = -1;
    // The compiler takes allocations away, and on a busy machine it is late.
    for (int round = 0; round < 500 && perHit != 0; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < measured; i++) {
        Route route = routes.match(request.authority(), request.path());
        if (route == null || !keys.build(request, route.keyRecipe()) || !meta.wrap(segment, 0)) {
          throw new AssertionError();
        }
        keys.variant(request, meta.selectingFields());
        Decision decision = Decider.decide(request, route, meta, false, BORN + 1000);
        ServePlan plan = ServePlan.of(request, meta, 1000, 16);
        long ttl = Age.timeToLiveSeconds(meta, BORN + 1000);
        int end = status.writeHit(decision.reason(), ttl, head, 0);
        sum += keys.lo() + end + (plan instanceof ServePlan.Whole ? 1 : 0);
      }
      perHit = (threads.getCurrentThreadAllocatedBytes() - before) / measured;
    }
    assertEquals(0, perHit, "bytes a hit; sum " + sum);
  }
}
