package io.forebay.core.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.policy.Age;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.Sharing;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.core.policy.StoredHeader;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.RouteSettings.ClientDirectives;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A scenario for the cache rules: a request, the origin's response, and a second request some
 * seconds later. Fields are written {@code Name: value}; {@code {+50}} in a value stands for the
 * date 50 seconds after the response was received.
 */
record Case(
    RequestView first,
    RouteSettings settings,
    int status,
    HeaderFields response,
    long delayMillis,
    RequestView second,
    long seconds) {

  static final long CAME = HttpDate.parse("Tue, 02 Jun 2026 12:00:00 GMT", 0);

  private static final Pattern DATE = Pattern.compile("\\{([+-]\\d+)\\}");
  private static final String URI = "http://h/a";

  static Case get(String... fields) {
    return by("GET", fields);
  }

  static Case by(String method, String... fields) {
    return new Case(
        request(method, fields),
        RouteSettings.DEFAULT,
        200,
        HeaderFields.EMPTY,
        0,
        request("GET"),
        0);
  }

  /** A GET, and a 200 with these fields. */
  static Case ok(String... fields) {
    return get().answered(200, fields);
  }

  Case answered(int newStatus, String... fields) {
    return new Case(first, settings, newStatus, fields(fields), delayMillis, second, seconds);
  }

  /** Changes the settings of the route. */
  Case on(UnaryOperator<RouteSettings.Builder> change) {
    RouteSettings changed = change.apply(settings.toBuilder()).build();
    return new Case(first, changed, status, response, delayMillis, second, seconds);
  }

  Case honouring() {
    return on(route -> route.clientDirectives(ClientDirectives.HONOUR));
  }

  /** The response was received this long after the request was sent. */
  Case delayed(long millis) {
    return new Case(first, settings, status, response, millis, second, seconds);
  }

  /** The second request is received this long after the response. */
  Case after(long newSeconds) {
    return new Case(first, settings, status, response, delayMillis, second, newSeconds);
  }

  /** The fields of the second request. */
  Case asked(String... fields) {
    return askedBy("GET", fields);
  }

  Case askedBy(String method, String... fields) {
    return new Case(
        first, settings, status, response, delayMillis, request(method, fields), seconds);
  }

  // --- what is to be true -----------------------------------------------------------------------

  Check freshFor(long lifetimeSeconds) {
    return new Check.OfRules(
        () -> assertEquals(lifetimeSeconds, stored().freshnessLifetimeMillis() / 1000));
  }

  Check notStored(Reason reason) {
    return new Check.OfRules(() -> assertEquals(new StoreVerdict.DoNotStore(reason), judged()));
  }

  /** The decision about the second request, such as {@code Serve HIT_FRESH}. */
  Check decides(String decision) {
    return new Check.OfRules(() -> {
      Decision made = Decider.decide(second, route(), meta(), false, now());
      assertEquals(decision, made.getClass().getSimpleName() + " " + made.reason());
    });
  }

  Check agedSeconds(long expected) {
    return new Check.OfRules(() -> assertEquals(expected, Age.currentAgeSeconds(meta(), now())));
  }

  /** Whether the stored response is served if the origin fails now. */
  Check servedOnError(boolean expected) {
    return new Check.OfRules(
        () -> assertEquals(expected, Decider.mayServeStaleOnError(second, meta(), route(), now())));
  }

  /** Whether the second request may use the response if it waited for its fetch. */
  Check isShared(boolean expected) {
    return new Check.OfRules(
        () -> assertEquals(expected, Sharing.isUsable(second, route(), meta(), now())));
  }

  /** Whether serving the stored response starts an early refresh. */
  Check isRefreshedEarly(int percent, double random, boolean expected) {
    Case refreshing = on(route -> route.earlyRefreshPercent(percent));
    return new Check.OfRules(() ->
        assertEquals(
            expected,
            Decider.isEarlyRefreshDue(
                second, refreshing.meta(), refreshing.route(), now(), () -> random)));
  }

  Check keepsField(String line) {
    return new Check.OfRules(() -> assertTrue(header().contains(line + "\r\n"), header()));
  }

  Check keepsNo(String name) {
    return new Check.OfRules(
        () -> assertFalse(("\r\n" + header()).contains("\r\n" + name + ": "), header()));
  }

  Check variesBy(String... names) {
    return new Check.OfRules(() -> assertEquals(List.of(names), stored().selectingFields()));
  }

  // --- how it is found out ----------------------------------------------------------------------

  Route route() {
    return Route.toOrigin("origin").withSettings(settings);
  }

  long now() {
    return CAME + seconds * 1000;
  }

  StoreVerdict judged() {
    return ResponsePolicy.judge(first, route(), status, response, CAME - delayMillis, CAME);
  }

  StoreVerdict.Store stored() {
    if (judged() instanceof StoreVerdict.Store verdict) {
      return verdict;
    }
    throw new AssertionError(judged().toString());
  }

  StoredMeta meta() {
    return StoredMeta.of(stored().meta());
  }

  private String header() {
    byte @Nullable [] block = StoredHeader.encode(status, response, stored().omittedFields(), CAME);
    if (block == null) {
      throw new AssertionError("malformed");
    }
    return StoredHeader.decode(block).toString().replace("\n", "\r\n");
  }

  static RequestView request(String method, String... fields) {
    HeaderFields parsed = fields(fields);
    String[] flat = new String[2 * parsed.size()];
    for (int i = 0; i < parsed.size(); i++) {
      flat[2 * i] = parsed.name(i);
      flat[2 * i + 1] = parsed.value(i);
    }
    return SyntheticRequest.of(method, URI, flat);
  }

  static HeaderFields fields(String... lines) {
    HeaderFields.Builder fields = HeaderFields.builder();
    for (String line : lines) {
      int colon = line.indexOf(": ");
      String value =
          DATE.matcher(line.substring(colon + 2))
              .replaceAll(offset -> HttpDate.format(CAME + 1000 * Long.parseLong(offset.group(1))));
      fields.add(line.substring(0, colon), value);
    }
    return fields.build();
  }
}
