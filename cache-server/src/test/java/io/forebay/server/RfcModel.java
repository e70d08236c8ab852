package io.forebay.server;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A shared cache as RFC 9111 tells of one, small, slow and without any thought of speed: what the
 * edge is compared with. Written from the RFC and from the choices that docs/CONFORMANCE.md names,
 * not from the code of the edge; it shares no line with it.
 *
 * <p>One client after the other, one origin, default route but for the windows of RFC 5861.
 */
final class RfcModel {

  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /** A request; fields by lower-case name. */
  record Request(String method, String path, Map<String, String> fields) {
    Request {
      fields = Map.copyOf(fields);
    }

    @Nullable String field(String name) {
      return fields.get(name);
    }

    Request with(Map<String, String> more) {
      Map<String, String> all = new HashMap<>(fields);
      all.putAll(more);
      return new Request(method, path, all);
    }

    Request without(String... names) {
      Map<String, String> all = new HashMap<>(fields);
      List.of(names).forEach(all::remove);
      return new Request(method, path, all);
    }
  }

  /** A response; fields by lower-case name. */
  record Response(int status, Map<String, String> fields, String body) {
    Response {
      fields = Map.copyOf(fields);
    }

    @Nullable String field(String name) {
      return fields.get(name);
    }
  }

  /** The origin, which the model asks as the edge does. */
  @FunctionalInterface
  interface Origin {
    Response answer(Request request);
  }

  /** What the client is to see. An age of -1 stands for no Age field. */
  record Answer(int status, String body, long ageSeconds) {}

  private record Stored(Response response, long time) {}

  private final long staleWhileRevalidate;
  private final long staleIfError;
  private final Map<String, Stored> store = new HashMap<>();

  /** Until when a response is not expected to be storable, by path and by Authorization. */
  private final Map<String, Long> uncacheableUntil = new HashMap<>();

  /**
   * How often a fetch behind the client's back has been in vain, likewise, and when it was last.
   */
  private final Map<String, Integer> inVain = new HashMap<>();

  private final Map<String, Long> inVainAt = new HashMap<>();

  /** How often anything was put into the store. */
  private long puts;

  private long now;

  /**
   * A cache in front of one origin.
   *
   * @param staleWhileRevalidate the route's window in seconds
   * @param staleIfError likewise
   */
  RfcModel(long staleWhileRevalidate, long staleIfError) {
    this.staleWhileRevalidate = staleWhileRevalidate;
    this.staleIfError = staleIfError;
  }

  /** Answers one request at a time in milliseconds. */
  Answer handle(Request request, Origin origin, long nowMillis) {
    now = nowMillis;
    boolean isGet = request.method().equals("GET");
    if (!isGet && !request.method().equals("HEAD")) {
      Response response = origin.answer(request);
      // RFC 9111 4.4, with the safe methods of RFC 9110 9.2.1.
      if (!request.method().equals("OPTIONS") && response.status() / 100 <= 3) {
        store.remove(request.path());
      }
      return passed(request, response);
    }
    Stored stored = store.get(request.path());
    if (stored == null) {
      return isGet ? fetch(request, origin, null) : passed(request, origin.answer(request));
    }
    if (isFresh(stored)) {
      return served(request, stored);
    }
    if (isWithin(stored, "stale-while-revalidate", staleWhileRevalidate)) {
      Answer answer = served(request, stored);
      // RFC 5861 3: fetched anew behind the client's back; a choice: if that is of any use, and not
      // at once again where it was in vain.
      if (!isKnownUncacheable(request) && !isHeldBack(request)) {
        long before = puts;
        refresh(new Request("GET", request.path(), request.fields()), origin, stored);
        if (puts == before) {
          inVain.merge(memory(request), 1, Integer::sum);
          inVainAt.put(memory(request), now);
        }
      }
      return answer;
    }
    // A choice: what could not be stored lately is not waited for, and so not asked for as a whole.
    if (isGet && !isKnownUncacheable(request)) {
      return validate(request, origin, stored);
    }
    Response response = origin.answer(request);
    if (!isGet && request.field("authorization") == null) {
      compare(request, stored, response);
    }
    return passed(request, response);
  }

  /**
   * 4.3.5: what the answer to a HEAD says of what is stored. A choice: without a validator it says
   * nothing, unless that it has another length.
   */
  private void compare(Request request, Stored stored, Response head) {
    if (head.status() != 200 || stored.response().status() != 200) {
      return;
    }
    boolean isSame = head.body().length() == stored.response().body().length();
    boolean hasValidator = false;
    for (String name : List.of("etag", "last-modified")) {
      String value = head.field(name);
      hasValidator |= value != null;
      isSame &= value == null || value.equals(stored.response().field(name));
    }
    if (!isSame) {
      store.remove(request.path());
    } else if (hasValidator) {
      Request get = new Request("GET", request.path(), request.fields());
      Stored ignored = confirmed(get, stored, head);
    }
  }

  private boolean isKnownUncacheable(Request request) {
    return uncacheableUntil.getOrDefault(memory(request), 0L) > now / 1000;
  }

  /** For 1 s, then for 2 s, 4 s, ... 30 s. */
  private boolean isHeldBack(Request request) {
    int times = inVain.getOrDefault(memory(request), 0);
    long seconds = times == 0 ? 0 : Math.min(1L << (times - 1), 30);
    return now < inVainAt.getOrDefault(memory(request), 0L) + seconds * 1000;
  }

  /** What is in the store is new, and ends all that. */
  private void put(Request request, Stored stored) {
    puts++;
    store.put(request.path(), stored);
    inVain.remove(request.path() + true);
    inVain.remove(request.path() + false);
  }

  private static String memory(Request request) {
    return request.path() + (request.field("authorization") != null);
  }

  // --- 4.3 Validation ---------------------------------------------------------------------------

  private Answer validate(Request request, Origin origin, Stored stored) {
    Response response = ask(request, origin, stored);
    if (response.status() != 304 || validators(stored).isEmpty()) {
      return received(request, response, stored);
    }
    Stored confirmed = confirmed(request, stored, response);
    return confirmed == null ? fetch(request, origin, null) : served(request, confirmed);
  }

  /** The same with nobody waiting for what comes. */
  private void refresh(Request request, Origin origin, Stored stored) {
    Response response = ask(request, origin, stored);
    if (response.status() != 304 || validators(stored).isEmpty()) {
      Answer ignored = received(request, response, stored);
    } else {
      Stored ignored = confirmed(request, stored, response);
    }
  }

  /** 4.3.1 */
  private static Map<String, String> validators(Stored stored) {
    Map<String, String> validators = new TreeMap<>();
    String etag = stored.response().field("etag");
    if (etag != null) {
      validators.put("if-none-match", etag);
    }
    String modified = stored.response().field("last-modified");
    if (modified != null) {
      validators.put("if-modified-since", modified);
    }
    return validators;
  }

  private static Response ask(Request request, Origin origin, Stored stored) {
    return origin.answer(whole(request).with(validators(stored)));
  }

  /** 4.3.4: freshens what is stored, if the 304 is about that and what it says lets it be kept. */
  private @Nullable Stored confirmed(Request request, Stored stored, Response notModified) {
    String etag = stored.response().field("etag");
    String named = notModified.field("etag");
    if (named != null && !opaque(named).equals(etag == null ? "" : opaque(etag))) {
      return null;
    }
    Map<String, String> fields = new HashMap<>(stored.response().fields());
    fields.remove("age");
    fields.remove("date");
    fields.putAll(notModified.fields());
    if (etag != null) {
      fields.put("etag", etag);
    }
    Response updated = new Response(stored.response().status(), fields, stored.response().body());
    if (isStorable(request, updated)) {
      Stored fresh = new Stored(updated, now);
      put(request, fresh);
      return fresh;
    }
    store.remove(request.path());
    return null;
  }

  /** All of it, whatever the client has of it. */
  private static Request whole(Request request) {
    return request.without("if-none-match", "if-modified-since");
  }

  private Answer fetch(Request request, Origin origin, @Nullable Stored stale) {
    if (isKnownUncacheable(request)) {
      return passed(request, origin.answer(request));
    }
    return received(request, origin.answer(whole(request)), stale);
  }

  private Answer received(Request request, Response response, @Nullable Stored stale) {
    boolean isFailure = List.of(500, 502, 503, 504).contains(response.status());
    if (isFailure && stale != null && isWithin(stale, "stale-if-error", staleIfError)) {
      return served(request, stale);
    }
    if (!isStorable(request, response)) {
      if (response.status() < 500) {
        uncacheableUntil.put(memory(request), now / 1000 + 60);
      }
      return new Answer(response.status(), response.body(), age(response));
    }
    uncacheableUntil.remove(memory(request));
    Stored stored = new Stored(response, now);
    put(request, stored);
    long age = currentAge(stored);
    Answer answer = served(request, stored);
    return new Answer(answer.status(), answer.body(), age == 0 ? -1 : age);
  }

  /** As it comes from the origin, to the client that it was asked for. */
  private static Answer passed(Request request, Response response) {
    boolean hasBody = !request.method().equals("HEAD") && response.status() != 304;
    return new Answer(response.status(), hasBody ? response.body() : "", age(response));
  }

  private static long age(Response response) {
    String age = response.field("age");
    return age == null ? -1 : Long.parseLong(age);
  }

  // --- RFC 9110 13 Conditional requests ---------------------------------------------------------

  private Answer served(Request request, Stored stored) {
    Response response = stored.response();
    boolean isNotModified = response.status() / 100 == 2 && isNotModified(request, stored);
    boolean hasBody = !isNotModified && !request.method().equals("HEAD");
    return new Answer(
        isNotModified ? 304 : response.status(),
        hasBody ? response.body() : "",
        currentAge(stored));
  }

  private static boolean isNotModified(Request request, Stored stored) {
    String etag = stored.response().field("etag");
    String tags = request.field("if-none-match");
    if (tags != null) {
      if (tags.equals("*")) {
        return true;
      }
      for (String tag : tags.split(",", -1)) {
        if (etag != null && opaque(tag.strip()).equals(opaque(etag))) {
          return true;
        }
      }
      return false;
    }
    Long since = date(request.field("if-modified-since"));
    if (since == null) {
      return false;
    }
    Long modified = date(stored.response().field("last-modified"));
    return (modified == null ? dateValue(stored) : modified) <= since;
  }

  private static String opaque(String etag) {
    return etag.startsWith("W/") ? etag.substring(2) : etag;
  }

  // --- 3 Storing --------------------------------------------------------------------------------

  private boolean isStorable(Request request, Response response) {
    Map<String, String> control = directives(response);
    int status = response.status();
    if (List.of(206, 304, 400, 412, 416, 429).contains(status)) {
      return false;
    }
    boolean isUnderstood = List.of(200, 301, 404, 410, 500, 503).contains(status);
    if (control.containsKey("must-understand") && !isUnderstood) {
      return false;
    }
    if (control.containsKey("no-store") && !control.containsKey("must-understand")) {
      return false;
    }
    if (control.containsKey("private")) {
      return false;
    }
    // 3.5
    if (request.field("authorization") != null
        && !control.containsKey("public")
        && !control.containsKey("must-revalidate")
        && !control.containsKey("s-maxage")) {
      return false;
    }
    // A choice: cookies stay with whom they are for.
    if (response.field("set-cookie") != null) {
      return false;
    }
    long lifetime = lifetime(new Stored(response, now));
    boolean hasValidator =
        response.field("etag") != null || date(response.field("last-modified")) != null;
    if (lifetime < 0) {
      // A choice: an error is stored by its own word only.
      return status < 400 && control.containsKey("no-cache") && hasValidator;
    }
    boolean isRevalidatedAlways =
        control.containsKey("no-cache")
            || lifetime + longestWindow(response) * 1000 <= initialAge(new Stored(response, now));
    return hasValidator || !isRevalidatedAlways;
  }

  private long longestWindow(Response response) {
    Map<String, String> control = directives(response);
    return isStaleForbidden(control)
        ? 0
        : Math.max(
            window(control, "stale-while-revalidate", staleWhileRevalidate),
            window(control, "stale-if-error", staleIfError));
  }

  // --- 4.2 Freshness ----------------------------------------------------------------------------

  private boolean isFresh(Stored stored) {
    return !directives(stored.response()).containsKey("no-cache")
        && Math.max(0, lifetime(stored)) > currentAgeMillis(stored);
  }

  /** Milliseconds; negative where nothing says anything. */
  private static long lifetime(Stored stored) {
    Response response = stored.response();
    Map<String, String> control = directives(response);
    for (String name : List.of("s-maxage", "max-age")) {
      String value = control.get(name);
      if (value != null) {
        return seconds(value) * 1000;
      }
    }
    String expires = response.field("expires");
    if (expires != null) {
      Long at = date(expires);
      return at == null ? 0 : Math.max(0, at - dateValue(stored));
    }
    // 4.2.2, a tenth of the time since it was modified, a day at most.
    Long modified = date(response.field("last-modified"));
    boolean mayGuess =
        List.of(200, 301).contains(response.status()) || control.containsKey("public");
    if (modified == null || !mayGuess || response.status() >= 400) {
      return -1;
    }
    return Math.clamp((dateValue(stored) - modified) / 10, 0, 86_400_000);
  }

  /** 4.2.3; nothing takes time on its way. */
  private static long initialAge(Stored stored) {
    long apparent = Math.max(0, stored.time() / 1000 * 1000 - dateValue(stored));
    return Math.max(apparent, Math.max(0, age(stored.response())) * 1000);
  }

  private long currentAgeMillis(Stored stored) {
    return initialAge(stored) + now - stored.time();
  }

  private long currentAge(Stored stored) {
    return currentAgeMillis(stored) / 1000;
  }

  private static long dateValue(Stored stored) {
    Long date = date(stored.response().field("date"));
    return date == null ? stored.time() : date;
  }

  // --- 4.2.4 and RFC 5861 -----------------------------------------------------------------------

  private boolean isWithin(Stored stored, String directive, long ofRoute) {
    Map<String, String> control = directives(stored.response());
    long window = window(control, directive, ofRoute) * 1000;
    return !isStaleForbidden(control)
        && window > 0
        && currentAgeMillis(stored) < Math.max(0, lifetime(stored)) + window;
  }

  private static boolean isStaleForbidden(Map<String, String> control) {
    return control.containsKey("no-cache")
        || control.containsKey("must-revalidate")
        || control.containsKey("proxy-revalidate");
  }

  /** A choice: s-maxage forbids stale use unless a window is given beside it. */
  private static long window(Map<String, String> control, String directive, long ofRoute) {
    String own = control.get(directive);
    if (own != null) {
      return seconds(own);
    }
    return control.containsKey("s-maxage") ? 0 : ofRoute;
  }

  // --- 5 Fields ---------------------------------------------------------------------------------

  /** Of a directive given twice the smaller; what is no number counts as 0. */
  private static Map<String, String> directives(Response response) {
    Map<String, String> directives = new HashMap<>();
    String control = response.field("cache-control");
    for (String part : control == null ? new String[0] : control.split(",", -1)) {
      String[] pair = part.strip().split("=", 2);
      String value = pair.length == 1 ? "" : pair[1].replaceAll("^\"(.*)\"$", "$1");
      directives.merge(
          pair[0].toLowerCase(Locale.ROOT),
          value,
          (one, other) -> String.valueOf(Math.min(seconds(one), seconds(other))));
    }
    return directives;
  }

  private static long seconds(String value) {
    return value.matches("\\d{1,9}") ? Long.parseLong(value) : value.matches("\\d+") ? 1L << 31 : 0;
  }

  static String date(long millis) {
    return DATE.format(Instant.ofEpochMilli(millis));
  }

  private static @Nullable Long date(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      return DATE.parse(text, Instant::from).toEpochMilli();
    } catch (DateTimeParseException e) {
      return null;
    }
  }
}
