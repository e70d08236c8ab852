package io.forebay.core.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

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
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.RouteSettings.ClientDirectives;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9110 §9.3.3, and RFC 9111 §3 for what a GET would be refused for, too. */
final class PostResponsePolicyTest {

  private static final Route ROUTE = Route.toOrigin("origin");
  private static final long NOW = HttpDate.parse("Tue, 02 Jun 2026 12:00:00 GMT", 0);
  private static final RequestView POST = post();

  private static RequestView post(String... fields) {
    return SyntheticRequest.of("POST", "http://h/a/b?c", fields);
  }

  private static Route with(UnaryOperator<RouteSettings.Builder> change) {
    return ROUTE.withSettings(change.apply(RouteSettings.builder()).build());
  }

  private static HeaderFields fields(String text) {
    HeaderFields.Builder fields = HeaderFields.builder();
    for (String field : List.of(text.split(";", -1))) {
      int equals = field.indexOf('=');
      String value = field.substring(equals + 1).strip();
      if (value.matches("[+-]\\d+s")) {
        value =
            HttpDate.format(NOW + 1000L * Long.parseLong(value.substring(0, value.length() - 1)));
      }
      fields.add(field.substring(0, equals).strip(), value);
    }
    return fields.build();
  }

  private static String judged(Route route, int status, String fields) {
    RequestView question = PostResponsePolicy.question(POST, route);
    assertNotNull(question);
    return switch (PostResponsePolicy.judge(
        POST, question, route, status, fields(fields), NOW, NOW, 0)) {
      case Store stored -> Long.toString(stored.freshnessLifetimeMillis() / 1000);
      case DoNotStore refused -> refused.reason().name();
    };
  }

  /** One row a sentence; lifetime in seconds, or the reason why it is not stored. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          its own URL                   | 200 | cache-control=max-age=60;content-location=http://h/a/b?c | 60
          in other words                | 200 | cache-control=max-age=60;content-location=//H:80/a/x/../b?c | 60
          relative                      | 200 | cache-control=max-age=60;content-location=b?c | 60
          an empty reference            | 200 | cache-control=max-age=60;content-location= | 60
          s-maxage                      | 200 | cache-control=s-maxage=9, max-age=60;content-location=?c | 9
          Expires                       | 200 | expires=+50s;content-location=?c | 50
          no Content-Location           | 200 | cache-control=max-age=60 | NOT_STORED_METHOD
          another path                  | 200 | cache-control=max-age=60;content-location=/a | NOT_STORED_METHOD
          another query                 | 200 | cache-control=max-age=60;content-location=/a/b | NOT_STORED_METHOD
          another scheme                | 200 | cache-control=max-age=60;content-location=https://h/a/b?c | NOT_STORED_METHOD
          another host                  | 200 | cache-control=max-age=60;content-location=http://g/a/b?c | NOT_STORED_METHOD
          no URI                        | 200 | cache-control=max-age=60;content-location=http://h:x/ | NOT_STORED_METHOD
          two of them                   | 200 | cache-control=max-age=60;content-location=?c;content-location=?c | NOT_STORED_METHOD
          another status                | 201 | cache-control=max-age=60;content-location=?c | NOT_STORED_STATUS
          an error                      | 404 | cache-control=max-age=60;content-location=?c | NOT_STORED_STATUS
          a part                        | 200 | cache-control=max-age=60;content-location=?c;content-range=bytes 0-1/3 | NOT_STORED_PARTIAL
          nothing explicit              | 200 | last-modified=-9000s;content-location=?c | NOT_STORED_NO_FRESHNESS
          public alone                  | 200 | cache-control=public;last-modified=-9000s;content-location=?c | NOT_STORED_NO_FRESHNESS
          no-store                      | 200 | cache-control=no-store, max-age=60;content-location=?c | NOT_STORED_NO_STORE
          private                       | 200 | cache-control=private, max-age=60;content-location=?c | NOT_STORED_PRIVATE
          no-cache                      | 200 | cache-control=no-cache, max-age=60;etag="a";content-location=?c | NOT_STORED_STALE
          stale on arrival              | 200 | cache-control=max-age=60;age=60;etag="a";content-location=?c | NOT_STORED_STALE
          a cookie                      | 200 | cache-control=max-age=60;set-cookie=a=b;content-location=?c | NOT_STORED_SET_COOKIE
          Vary of anything              | 200 | cache-control=max-age=60;vary=*;content-location=?c | NOT_STORED_VARY_ANY
          """)
  void isStoredByTheOriginsWordAlone(String why, int status, String fields, String expected) {
    assertEquals(expected, judged(ROUTE, status, fields), why);
  }

  @Test
  void noLifetimeOrCookieRuleOfTheRouteMakesItStorable() {
    Route lifetimes =
        with(route -> route.ttlOverride(Duration.ofHours(1)).defaultTtl(Duration.ofHours(1)));
    assertEquals("NOT_STORED_NO_FRESHNESS", judged(lifetimes, 200, "content-location=?c"));
    assertEquals(
        "NOT_STORED_SET_COOKIE",
        judged(
            with(route -> route.setCookie(SetCookie.STRIP)),
            200,
            "cache-control=max-age=60;set-cookie=a=b;content-location=?c"));
  }

  @Test
  void aTargetedFieldIsTheOriginsWordToo() {
    assertEquals(
        "9", judged(ROUTE, 200, "forebay-cache-control=max-age=9;content-location=?c;expires=0"));
    assertEquals(
        "NOT_STORED_NO_FRESHNESS",
        judged(ROUTE, 200, "forebay-cache-control=public;content-location=?c;expires=+9s"));
  }

  @Test
  void theQuestionIsTheGetOfAFill() {
    RequestView question =
        PostResponsePolicy.question(
            post("Content-Type", "text/plain", "Accept-Language", "de-AT,en;q=0.5"), ROUTE);
    assertNotNull(question);
    assertEquals("GET", question.method());
    assertEquals("de-at, en;q=0.5", question.fields().combined("accept-language"));
  }

  @ParameterizedTest
  @CsvSource({
    "Cookie, a=b",
    "Authorization, Basic x",
    "Range, bytes=0-1",
    "If-Match, *",
    "If-None-Match, *",
    "If-Range, \"a\"",
    "Upgrade, a",
    "X-HTTP-Method-Override, PUT",
    "X-Real-IP, 192.0.2.1",
    "Accept-Language, 'en, de'",
    "Accept-Language, ;"
  })
  void aRequestThatTellsTheOriginMoreThanAFillIsNone(String name, String value) {
    assertNull(PostResponsePolicy.question(post(name, value), ROUTE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-Original-URL", "X_Forwarded_For", "Accept-Encoding", "X-Other"})
  void whatIsDroppedOrSentAlikeIsNoMatter(String name) {
    assertNotNull(PostResponsePolicy.question(post(name, "a"), ROUTE));
  }

  @Test
  void aRequestWhoseFieldsTheKeyMapsIsNone() {
    Route device = route(new FieldRecipe(List.of(), List.of(), true, List.of(), List.of()));
    assertNull(PostResponsePolicy.question(post("User-Agent", "a"), device));
    Route language =
        route(new FieldRecipe(List.of(), List.of(), false, List.of("en", "de"), List.of()));
    assertNull(PostResponsePolicy.question(POST, language));
    assertNotNull(PostResponsePolicy.question(post("Accept-Language", "de"), language));
    Route ignoring =
        route(new FieldRecipe(List.of(), List.of(), false, List.of(), List.of("accept")));
    assertNull(PostResponsePolicy.question(post("Accept", "*/*"), ignoring));
    assertNotNull(PostResponsePolicy.question(POST, ignoring));
  }

  private static Route route(FieldRecipe fields) {
    return ROUTE.withKeyRecipe(new KeyRecipe(UrlRecipe.WHOLE, fields));
  }

  @Test
  void onlyAPostOnARouteThatStoresItHasAQuestion() {
    assertNull(PostResponsePolicy.question(SyntheticRequest.of("PUT", "http://h/"), ROUTE));
    assertNull(PostResponsePolicy.question(SyntheticRequest.of("GET", "http://h/"), ROUTE));
    assertNull(PostResponsePolicy.question(POST, with(route -> route.storesPost(false))));
    assertNull(PostResponsePolicy.question(POST, with(route -> route.clientInvalidation(false))));
    assertNull(PostResponsePolicy.question(POST, with(route -> route.passthrough(true))));
  }

  @Test
  void aClientsNoStoreIsHonouredWhereTheRouteHonoursIt() {
    RequestView request = post("Cache-Control", "no-store");
    assertNotNull(PostResponsePolicy.question(request, ROUTE));
    assertNull(
        PostResponsePolicy.question(
            request, with(route -> route.clientDirectives(ClientDirectives.HONOUR))));
  }
}
