package io.forebay.server;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A model of a shared cache by RFC 9111, small and slow, with which the edge is compared. It is
 * written from the RFC and from the choices in docs/CONFORMANCE.md, and shares no code with the
 * edge.
 *
 * <p>One request after the other, one origin, one route. Requests that overlap are for {@link
 * Overlap}, which tries them in every order.
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
  record Answer(int status, String body, long ageSeconds, String contentRange) {}

  /**
   * What of a route matters here.
   *
   * @param staleWhileRevalidate the route's window in seconds
   * @param staleIfError likewise
   * @param isHonouring whether clients' Cache-Control and Pragma count
   * @param stripsCookies whether a response that sets cookies is stored without them
   */
  record Route(
      long staleWhileRevalidate, long staleIfError, boolean isHonouring, boolean stripsCookies) {}

  /**
   * A stored response.
   *
   * @param key which of its URL's responses it is: see {@link Url}
   */
  private record Stored(Response response, long time, String key) {}

  /**
   * What is stored for a URL. A choice: as long as no response varied there is one, with an empty
   * key. From then on there is one for each set of values of all fields that any response named,
   * and beside them one, with a star for its key, that named none.
   */
  private static final class Url {
    private @Nullable SortedSet<String> names;
    private final Map<String, Stored> responses = new HashMap<>();

    /** Keys of variants, those stored last first. */
    private final List<String> lately = new ArrayList<>();

    Url() {}

    Url(Url from) {
      names = from.names;
      responses.putAll(from.responses);
      lately.addAll(from.lately);
    }

    @Override
    public String toString() {
      return names + " " + new TreeMap<>(responses) + lately;
    }

    String keyOf(Request request) {
      StringBuilder key = new StringBuilder();
      for (String name : names == null ? new TreeSet<String>() : names) {
        key.append(name).append('=').append(request.field(name)).append(';');
      }
      return key.toString();
    }

    /** RFC 9111 4.1; of several that match the one with the latest Date. */
    @Nullable Stored selectedBy(Request request) {
      Stored variant = responses.get(keyOf(request));
      Stored plain = responses.get("*");
      boolean isPlainLater =
          plain != null && (variant == null || dateValue(plain) >= dateValue(variant));
      return isPlainLater ? plain : variant;
    }

    Stored put(Request request, Response response, long time) {
      SortedSet<String> named = varyOf(response);
      if (named.isEmpty()) {
        return put(new Stored(response, time, names == null ? "" : "*"));
      }
      if (names != null) {
        named.addAll(names);
      }
      if (!named.equals(names)) {
        responses.keySet().removeIf(key -> !key.equals("*"));
        lately.clear();
        names = named;
      }
      String key = keyOf(request);
      lately.remove(key);
      lately.addFirst(key);
      return put(new Stored(response, time, key));
    }

    Stored put(Stored stored) {
      responses.put(stored.key(), stored);
      return stored;
    }

    /** Whether all requests that a response varies by now have keys of their own. */
    boolean hasKeyFor(Stored stored, Response updated) {
      return varyOf(updated).isEmpty()
          || (names != null
              && !stored.key().isEmpty()
              && !stored.key().equals("*")
              && names.containsAll(varyOf(updated)));
    }
  }

  private final Route route;
  private final Map<String, Url> urls = new HashMap<>();

  /** Until when a response is not expected to be storable, by path, key and Authorization. */
  private final Map<String, Long> uncacheableUntil = new HashMap<>();

  /** All that was ever put there. */
  private final Map<String, Long> everUncacheable = new HashMap<>();

  /** Until when a response is not expected to be useful to requests that wait for it, likewise. */
  private final Map<String, Long> aloneUntil = new HashMap<>();

  /** How often a background fetch was wasted, likewise, and when it was last. */
  private final Map<String, Integer> wasted = new HashMap<>();

  private final Map<String, Long> wastedAt = new HashMap<>();

  /** How often what is only there to be confirmed was replaced instead, likewise. */
  private final Map<String, Integer> rewritten = new HashMap<>();

  private final Map<String, Long> rewrittenAt = new HashMap<>();

  /** What is to be fetched anew behind clients' backs, by key: one at a time. */
  private final Map<String, Refresh> refreshes = new TreeMap<>();

  private record Refresh(Request request, Stored stored) {}

  /** How often a fetch was useful: its response, or the validated one, is stored. */
  private long useful;

  /** How many answers could not be stored. */
  private long unstorable;

  /** How many whole responses have been stored, by path and key: each replaces the one before. */
  private final Map<String, Integer> brought = new HashMap<>();

  private long now;

  RfcModel(Route route) {
    this.route = route;
  }

  /** The same as it is now. */
  RfcModel copy() {
    RfcModel copy = new RfcModel(route);
    urls.forEach((path, url) -> copy.urls.put(path, new Url(url)));
    copy.uncacheableUntil.putAll(uncacheableUntil);
    copy.everUncacheable.putAll(everUncacheable);
    copy.aloneUntil.putAll(aloneUntil);
    copy.wasted.putAll(wasted);
    copy.wastedAt.putAll(wastedAt);
    copy.rewritten.putAll(rewritten);
    copy.rewrittenAt.putAll(rewrittenAt);
    copy.refreshes.putAll(refreshes);
    copy.useful = useful;
    copy.unstorable = unstorable;
    copy.brought.putAll(brought);
    copy.now = now;
    return copy;
  }

  /** All that it remembers; equal for two that will do the same. */
  String memory() {
    return Stream.of(
            urls, uncacheableUntil, aloneUntil, wasted, wastedAt, rewritten, rewrittenAt, refreshes)
        .map(map -> new TreeMap<>(map).toString())
        .collect(Collectors.joining("\n"));
  }

  /** Answers one request at a time in milliseconds, and fetches anew what is due for it. */
  Answer handle(Request request, Origin origin, long nowMillis) {
    Answer answer = answer(request, origin, nowMillis);
    dueRefreshes().forEach(key -> refresh(key, origin, nowMillis));
    return answer;
  }

  /** The same, but leaves it to be done what nobody waits for. */
  Answer answer(Request request, Origin origin, long nowMillis) {
    now = nowMillis;
    return List.of("GET", "HEAD").contains(request.method())
        ? lookUp(request, origin, false)
        : change(request, origin);
  }

  /**
   * What is left of a GET once its first question is answered, where that answer was of no use.
   *
   * @param isPlain whether conditions are no use
   */
  Answer answerRest(Request request, Origin origin, long nowMillis, boolean isPlain) {
    now = nowMillis;
    return lookUp(request, origin, isPlain);
  }

  /** Whether one response for all has come since then, beside those of a URL's variants. */
  boolean hasPlainSince(RfcModel before, Request request) {
    Stored plain = url(request).responses.get("*");
    return plain != null && !plain.equals(before.url(request).responses.get("*"));
  }

  /** Whether something else is stored for a URL than then. */
  boolean isChangedSince(RfcModel before, Request request) {
    return !url(request).responses.equals(before.url(request).responses);
  }

  /**
   * Whether a whole response has come since then in the place of the one that a request selected
   * then, though it may be like it in all things.
   */
  boolean isReplacedSince(RfcModel before, Request request) {
    Stored old = before.url(request).selectedBy(request);
    if (old == null) {
      return false;
    }
    String key = request.path() + old.key();
    return !Objects.equals(brought.get(key), before.brought.get(key));
  }

  /** Answers who looked for his variant before one response for all had come. */
  Answer answerApart(Request request, Origin origin, long nowMillis, RfcModel before) {
    Map<String, Stored> responses = url(request).responses;
    Stored came = responses.remove("*");
    Stored old = before.url(request).responses.get("*");
    if (old != null) {
      responses.put("*", old);
    }
    Answer answer = answer(request, origin, nowMillis);
    if (came != null && Objects.equals(old, url(request).responses.get("*"))) {
      url(request).put(came);
    }
    return answer;
  }

  /** Whether anything is stored for a URL. */
  boolean hasStored(Request request) {
    return !url(request).responses.isEmpty();
  }

  /**
   * Answers who looked before anything had come that was not there then: what has come stays beside
   * what this brings.
   */
  Answer answerBeside(Request request, Origin origin, long nowMillis, RfcModel before) {
    Map<String, Stored> responses = url(request).responses;
    Map<String, Stored> came = Map.copyOf(responses);
    Map<String, Stored> old = Map.copyOf(before.url(request).responses);
    responses.clear();
    responses.putAll(old);
    Answer answer = answer(request, origin, nowMillis);
    came.forEach((key, stored) -> {
      if (Objects.equals(old.get(key), url(request).responses.get(key))) {
        url(request).responses.put(key, stored);
      }
    });
    return answer;
  }

  /** Nothing but these is to be fetched anew. */
  void forgetRefreshes(List<String> allBut) {
    refreshes.keySet().retainAll(allBut);
  }

  /** Keys of what is to be fetched anew. */
  List<String> dueRefreshes() {
    return List.copyOf(refreshes.keySet());
  }

  /** RFC 5861 3; a choice: with backoff after a wasted fetch. */
  void refresh(String key, Origin origin, long nowMillis) {
    now = nowMillis;
    Refresh due = refreshes.remove(key);
    if (due == null) {
      return;
    }
    long before = useful;
    Request get = new Request("GET", due.request().path(), due.request().fields());
    refresh(get, origin, due.stored(), key);
    if (useful == before) {
      wasted.merge(memory(due.request(), key), 1, Integer::sum);
      wastedAt.put(memory(due.request(), key), now);
    }
  }

  /** All that is stored of a URL is gone. */
  void purge(String path) {
    urls.remove(path);
  }

  /**
   * The same, but what a URL's responses vary by is known still as it was before: a fetch that
   * began earlier may say so, though what it brings is not kept.
   */
  RfcModel copyVaryingAs(RfcModel before, String path) {
    RfcModel copy = copy();
    Url url = before.urls.get(path);
    if (url != null) {
      copy.urls.computeIfAbsent(path, key -> new Url()).names = url.names;
    }
    return copy;
  }

  /** The same, but what is not expected to be storable is as it was before. */
  RfcModel copyExpectingAs(RfcModel before) {
    RfcModel copy = copy();
    copy.uncacheableUntil.clear();
    copy.uncacheableUntil.putAll(before.uncacheableUntil);
    return copy;
  }

  /** The same with each part of what is stored of a URL: a store may say that it has less. */
  List<RfcModel> withAnyPartOf(String path) {
    List<RfcModel> all = List.of(this);
    Url url = urls.get(path);
    for (String key : url == null ? List.<String>of() : List.copyOf(url.responses.keySet())) {
      List<RfcModel> both = new ArrayList<>(all);
      for (RfcModel model : all) {
        RfcModel without = model.copy();
        without.url(new Request("GET", path, Map.of())).responses.remove(key);
        both.add(without);
      }
      all = both;
    }
    return all;
  }

  /** What has been learned since then, besides what is still remembered. */
  String learnedSince(RfcModel before) {
    Map<String, Integer> replaced = new TreeMap<>(brought);
    replaced.entrySet().removeAll(before.brought.entrySet());
    return new TreeMap<>(everUncacheable)
        + " "
        + (unstorable > before.unstorable)
        + replaced.keySet();
  }

  /** Whether both expect the same to be storable. */
  boolean expectsAs(RfcModel other) {
    return uncacheableUntil.equals(other.uncacheableUntil);
  }

  /**
   * The same, with each way in which what was learned since then of what can't be stored may have
   * been learned: the last word counts, and of answers that come at once any may be the last.
   */
  List<RfcModel> withAnyLastWord(RfcModel before) {
    Map<String, Long> learned = new TreeMap<>(everUncacheable);
    learned.entrySet().removeAll(before.everUncacheable.entrySet());
    before.uncacheableUntil.forEach((key, until) -> {
      if (!uncacheableUntil.containsKey(key)) {
        learned.put(key, until);
      }
    });
    List<RfcModel> all = List.of(this);
    for (Map.Entry<String, Long> one : learned.entrySet()) {
      List<RfcModel> both = new ArrayList<>();
      for (RfcModel model : all) {
        RfcModel without = model.copy();
        without.uncacheableUntil.remove(one.getKey());
        RfcModel with = model.copy();
        with.uncacheableUntil.put(one.getKey(), one.getValue());
        both.add(without);
        both.add(with);
      }
      all = both;
    }
    return all;
  }

  /** Whether nobody waits for another one who asks for the same. A choice. */
  boolean asksAlone(Request request, long nowMillis) {
    now = nowMillis;
    String key = key(request, url(request).selectedBy(request));
    return aloneUntil.getOrDefault(memory(request, key), 0L) > now / 1000;
  }

  /** How many answers could not be stored up to now. */
  long unstorable() {
    return unstorable;
  }

  /** Past the store, as it was asked for. */
  static Answer pass(Request request, Origin origin) {
    return passed(request, origin.answer(request));
  }

  /**
   * Section 4: whether what one request was answered may answer another that came meanwhile: where
   * it could have been stored, is selected by it, and need not be validated first. What a client
   * wishes to have validated is as good as validated by a fetch under way.
   */
  boolean mayShare(Request asked, Response response, Request other, long nowMillis) {
    now = nowMillis;
    Response whole =
        new Response(
            response.status() == 304 ? 200 : response.status(), response.fields(), response.body());
    Stored stored = new Stored(whole, now, "");
    boolean isSelected =
        varyOf(whole).stream()
            .allMatch(name -> Objects.equals(asked.field(name), other.field(name)));
    boolean isUsable =
        isFresh(stored)
            || isWithin(stored, "stale-while-revalidate", route.staleWhileRevalidate())
            || useOf(other, stored) == Use.MAX_STALE;
    return isStorable(asked, whole) && isSelected && isUsable;
  }

  /** 4.4, with the safe methods of RFC 9110 9.2.1. */
  private Answer change(Request request, Origin origin) {
    Response response = origin.answer(request);
    if (!request.method().equals("OPTIONS") && response.status() / 100 <= 3) {
      urls.remove(request.path());
      for (String name : List.of("location", "content-location")) {
        String target = response.field(name);
        if (target != null && target.startsWith("/")) {
          urls.remove(target);
        }
      }
    }
    return passed(request, response);
  }

  private Url url(Request request) {
    return urls.computeIfAbsent(request.path(), path -> new Url());
  }

  /**
   * Section 4.
   *
   * @param isPlain whether what was confirmed turned out not to be there, so that conditions are no
   *     use
   */
  private Answer lookUp(Request request, Origin origin, boolean isPlain) {
    boolean isGet = request.method().equals("GET");
    Stored stored = url(request).selectedBy(request);
    Use use = stored == null ? Use.NONE : useOf(request, stored);
    Map<String, String> wishes = wishes(request);
    boolean isForNobody = wishes.containsKey("no-store") && use != Use.FRESH;
    if (wishes.containsKey("only-if-cached") && (isForNobody || use == Use.NONE)) {
      return new Answer(504, "", -1, "");
    }
    if (isForNobody) {
      // 5.2.1.5
      return passed(request, origin.answer(request));
    }
    if (stored != null && use != Use.NONE) {
      Answer answer = served(request, stored);
      // RFC 5861 3: fetched anew behind the client's back; a choice: if that is of any use.
      String key = key(request, stored);
      if (use == Use.STALE_WHILE_REVALIDATE
          && !isKnownUncacheable(request, stored)
          && !isHeldBack(memory(request, key))) {
        refreshes.putIfAbsent(key, new Refresh(request, stored));
      }
      return answer;
    }
    // A choice: what could not be stored lately is not waited for, and so not asked for as a whole.
    if (isGet && !isKnownUncacheable(request, stored)) {
      return fetch(request, origin, stored, isPlain);
    }
    Response response = origin.answer(request);
    if (!isGet && request.field("authorization") == null) {
      compare(request, response);
    }
    return passed(request, response);
  }

  private enum Use {
    FRESH,
    STALE_WHILE_REVALIDATE,
    MAX_STALE,
    NONE
  }

  private Use useOf(Request request, Stored stored) {
    Map<String, String> control = directives(stored.response());
    Map<String, String> wishes = wishes(request);
    boolean isFresh = isFresh(stored);
    long age = currentAgeMillis(stored);
    long left = Math.max(0, lifetime(stored)) - age;
    // RFC 8246: what does not change while it is fresh need not be asked for again.
    boolean isReload =
        wishes.containsKey("no-cache")
            || (wishes.containsKey("max-age") && age > seconds(wishes.get("max-age")) * 1000);
    if (isReload && !(isFresh && control.containsKey("immutable"))) {
      return Use.NONE;
    }
    if (wishes.containsKey("min-fresh") && left < seconds(wishes.get("min-fresh")) * 1000) {
      return Use.NONE;
    }
    if (isFresh) {
      return Use.FRESH;
    }
    String maxStale = wishes.get("max-stale");
    if (maxStale != null
        && lifetime(stored) > 0
        && !isStaleForbidden(control)
        && !control.containsKey("s-maxage")
        && (maxStale.isEmpty() || -left <= seconds(maxStale) * 1000)) {
      return Use.MAX_STALE;
    }
    // 5.2.1.1: a max-age without max-stale wants nothing stale.
    boolean isStaleUnwanted = wishes.containsKey("max-age") && maxStale == null;
    return !isStaleUnwanted
            && isWithin(stored, "stale-while-revalidate", route.staleWhileRevalidate())
        ? Use.STALE_WHILE_REVALIDATE
        : Use.NONE;
  }

  /** 5.2.1, and Pragma of 5.4; nothing where the route does not listen to clients. */
  private Map<String, String> wishes(Request request) {
    if (!route.isHonouring()) {
      return Map.of();
    }
    String control = request.field("cache-control");
    boolean isPragma = control == null && "no-cache".equals(request.field("pragma"));
    return isPragma ? Map.of("no-cache", "") : directives(control);
  }

  /**
   * 4.3.5: what the answer to a HEAD says of what is stored. A choice: without a validator it says
   * nothing, unless that it has another length.
   */
  private void compare(Request request, Response head) {
    Stored stored = url(request).selectedBy(request);
    if (stored == null || head.status() != 200 || stored.response().status() != 200) {
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
      url(request).responses.remove(stored.key());
    } else if (hasValidator) {
      Request get = new Request("GET", request.path(), request.fields());
      Stored ignored = updated(get, stored, head);
    }
  }

  private boolean isKnownUncacheable(Request request, @Nullable Stored stored) {
    return uncacheableUntil.getOrDefault(memory(request, key(request, stored)), 0L) > now / 1000;
  }

  /** For 1 s, then for 2 s, 4 s, ... 30 s. */
  private boolean isHeldBack(String memory) {
    int times = wasted.getOrDefault(memory, 0);
    long seconds = times == 0 ? 0 : Math.min(1L << (times - 1), 30);
    return now < wastedAt.getOrDefault(memory, 0L) + seconds * 1000;
  }

  private void isUseful(String key) {
    useful++;
    wasted.remove(key + true);
    wasted.remove(key + false);
  }

  private void forgetRewrites(String key) {
    rewritten.remove(key + true);
    rewritten.remove(key + false);
  }

  private boolean isOnlyToBeConfirmed(Response response) {
    Stored stored = new Stored(response, now, "");
    boolean isNeverFresh =
        directives(response).containsKey("no-cache")
            || Math.max(0, lifetime(stored)) <= initialAge(stored);
    return isNeverFresh && longestWindow(response) == 0;
  }

  /**
   * A choice: after eight times in a row it is replaced for 1 s no more, then for 2 s, ... 60 s,
   * where the client takes whatever comes.
   */
  private boolean isReplacementWasted(Request request, Response response, String memory) {
    int times = Math.min(rewritten.getOrDefault(memory, 0), 15) - 8;
    long seconds = times <= 0 ? 0 : Math.min(1L << (times - 1), 60);
    return isOnlyToBeConfirmed(response)
        && List.of("range", "if-none-match", "if-modified-since", "if-match").stream()
            .allMatch(name -> request.field(name) == null)
        && request.field("if-unmodified-since") == null
        && now < rewrittenAt.getOrDefault(memory, 0L) + seconds * 1000;
  }

  private String key(Request request, @Nullable Stored stored) {
    return request.path() + (stored == null ? url(request).keyOf(request) : stored.key());
  }

  /** What is remembered of one user's requests is not remembered of all. */
  private static String memory(Request request, String key) {
    return key + (request.field("authorization") != null);
  }

  // --- 4.3 Validation ---------------------------------------------------------------------------

  /** Asks for all of it, or whether what is stored is still so. */
  private Answer fetch(Request request, Origin origin, @Nullable Stored stored, boolean isPlain) {
    Map<String, String> conditions = new TreeMap<>();
    if (stored != null && !isPlain) {
      conditions.putAll(validators(stored));
    }
    Map<String, Stored> others = isPlain ? Map.of() : othersBeside(request, stored, conditions);
    if (!others.isEmpty()) {
      List<String> tags = new ArrayList<>(others.keySet());
      if (conditions.containsKey("if-none-match")) {
        tags.addFirst(conditions.get("if-none-match"));
      }
      conditions.clear();
      conditions.put("if-none-match", String.join(", ", tags));
    }
    String key = key(request, stored);
    Response response = origin.answer(whole(request).with(conditions));
    boolean isReplaced = stored != null && !isPlain && !validators(stored).isEmpty();
    if (response.status() != 304 || conditions.isEmpty()) {
      boolean isKept = isReplaced && isReplacementWasted(request, response, memory(request, key));
      return received(request, response, stored, key, isReplaced, isKept);
    }
    String tag = response.field("etag");
    Stored other = tag == null ? null : others.get(tag);
    if (other != null) {
      // 4.3.4 says what a 304 may update: not what its request does not select. So it is a
      // response of its own, to this request.
      Response whole = merged(other.response(), response);
      return isStorable(request, whole)
          ? received(request, whole, stored, key, isReplaced, false)
          : lookUp(request, origin, true);
    }
    Stored confirmed =
        stored == null || (tag == null && !others.isEmpty())
            ? null
            : confirmed(request, stored, response);
    if (confirmed == null) {
      return lookUp(request, origin, true);
    }
    isUseful(key);
    forgetRewrites(key);
    if (!confirmed.equals(url(request).selectedBy(request))) {
      // 4.1: by the Date that the 304 gives it, another one is chosen after all.
      return lookUp(request, origin, false);
    }
    return served(request, confirmed);
  }

  /**
   * 4.3.1: other variants by the strong tags that a request may name them by. Choices: eight of the
   * sixteen stored last, and none beside a date alone.
   */
  private Map<String, Stored> othersBeside(
      Request request, @Nullable Stored stored, Map<String, String> conditions) {
    Map<String, Stored> others = new LinkedHashMap<>();
    if (!conditions.isEmpty() && !conditions.containsKey("if-none-match")) {
      return others;
    }
    String own = stored == null ? url(request).keyOf(request) : stored.key();
    String ownTag = conditions.getOrDefault("if-none-match", "");
    for (String key : url(request).lately.stream().limit(16).toList()) {
      Stored other = key.equals(own) ? null : url(request).responses.get(key);
      String tag = other == null ? null : other.response().field("etag");
      if (other != null
          && tag != null
          && other.response().status() == 200
          && !tag.startsWith("W/")
          && !tag.equals(opaque(ownTag))
          && others.size() < 8) {
        others.putIfAbsent(tag, other);
      }
    }
    return others;
  }

  /** The same with nobody waiting for what comes, and of what is served alone. */
  private void refresh(Request request, Origin origin, Stored stored, String key) {
    Response response = origin.answer(whole(request).with(validators(stored)));
    if (response.status() != 304 || validators(stored).isEmpty()) {
      boolean isReplaced = !validators(stored).isEmpty();
      Answer ignored = received(request, response, stored, key, isReplaced, false);
    } else if (confirmed(request, stored, response) != null) {
      isUseful(key);
      forgetRewrites(key);
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

  /** 4.3.4: freshens what is stored, if the 304 is about that and what it says lets it be kept. */
  private @Nullable Stored confirmed(Request request, Stored stored, Response notModified) {
    return isAboutOther(stored, notModified) ? null : updated(request, stored, notModified);
  }

  private static boolean isAboutOther(Stored stored, Response notModified) {
    String etag = stored.response().field("etag");
    String named = notModified.field("etag");
    // What has no tag is confirmed by its date, unless the 304 is about a tag that is strong.
    return named != null
        && (etag == null ? !named.startsWith("W/") : !opaque(named).equals(opaque(etag)));
  }

  /**
   * What a 304 makes of the stored response that its request asked about; the 304 itself where that
   * is none.
   */
  Response confirmedBy(Request asked, Response notModified) {
    Stored stored = url(asked).selectedBy(asked);
    boolean isAskedAbout =
        stored != null
            && !validators(stored).isEmpty()
            && asked.fields().entrySet().containsAll(validators(stored).entrySet());
    return stored == null || !isAskedAbout || isAboutOther(stored, notModified)
        ? notModified
        : merged(stored.response(), notModified);
  }

  private @Nullable Stored updated(Request request, Stored stored, Response by) {
    Response updated = merged(stored.response(), by);
    if (isStorable(request, updated) && url(request).hasKeyFor(stored, updated)) {
      return url(request).put(new Stored(updated, now, stored.key()));
    }
    url(request).responses.remove(stored.key());
    return null;
  }

  /** 3.2 */
  private static Response merged(Response stored, Response by) {
    Map<String, String> fields = new HashMap<>(stored.fields());
    fields.remove("age");
    fields.remove("date");
    fields.putAll(by.fields());
    String etag = stored.field("etag");
    if (etag == null) {
      fields.remove("etag");
    } else {
      fields.put("etag", etag);
    }
    return new Response(stored.status(), fields, stored.body());
  }

  /** All of it, whatever the client has of it. */
  private static Request whole(Request request) {
    return request.without(
        "if-none-match",
        "if-modified-since",
        "if-match",
        "if-unmodified-since",
        "range",
        "if-range");
  }

  /**
   * What comes of a fetch.
   *
   * @param key by which it was asked for
   * @param isReplaced whether it came instead of a 304
   * @param isKept whether what is stored is not to be replaced by it
   */
  private Answer received(
      Request request,
      Response response,
      @Nullable Stored stale,
      String key,
      boolean isReplaced,
      boolean isKept) {
    boolean isFailure = List.of(500, 502, 503, 504).contains(response.status());
    if (isFailure && stale != null && mayServeOnError(request, stale)) {
      return served(request, stale);
    }
    if (!isStorable(request, response)) {
      unstorable++;
      if (response.status() < 500) {
        uncacheableUntil.put(memory(request, key), now / 1000 + 60);
        everUncacheable.put(memory(request, key), now / 1000 + 60);
      }
      return new Answer(response.status(), response.body(), age(response), "");
    }
    if (isKept) {
      return new Answer(response.status(), response.body(), age(response), "");
    }
    if (!isOnlyToBeConfirmed(response)) {
      forgetRewrites(key);
    } else if (isReplaced) {
      rewritten.merge(memory(request, key), 1, Integer::sum);
      rewrittenAt.put(memory(request, key), now);
    }
    uncacheableUntil.remove(memory(request, key));
    if (isFresh(new Stored(response, now, ""))) {
      aloneUntil.remove(memory(request, key));
    } else {
      aloneUntil.put(memory(request, key), now / 1000 + 60);
    }
    isUseful(key);
    Stored stored = url(request).put(request, response, now);
    brought.merge(request.path() + stored.key(), 1, Integer::sum);
    long age = currentAge(stored);
    Answer answer = served(request, stored);
    return new Answer(answer.status(), answer.body(), age == 0 ? -1 : age, answer.contentRange());
  }

  private boolean mayServeOnError(Request request, Stored stale) {
    Map<String, String> control = directives(stale.response());
    String taken = wishes(request).get("stale-if-error");
    return isWithin(stale, "stale-if-error", route.staleIfError())
        || (taken != null
            && lifetime(stale) > 0
            && !control.containsKey("s-maxage")
            && isWithin(control, stale, seconds(taken)));
  }

  /** As it comes from the origin, to the client that it was asked for. */
  private static Answer passed(Request request, Response response) {
    boolean hasBody = !request.method().equals("HEAD") && response.status() != 304;
    return new Answer(response.status(), hasBody ? response.body() : "", age(response), "");
  }

  private static long age(Response response) {
    String age = response.field("age");
    return age == null ? -1 : Long.parseLong(age);
  }

  // --- RFC 9110 13 Conditional requests, 14 Ranges ----------------------------------------------

  private Answer served(Request request, Stored stored) {
    Response response = stored.response();
    long age = currentAge(stored);
    boolean isHead = request.method().equals("HEAD");
    if (response.status() / 100 == 2) {
      if (isFailed(request, stored)) {
        return new Answer(412, "", age, "");
      }
      if (isNotModified(request, stored)) {
        return new Answer(304, "", age, "");
      }
      if (response.status() == 200 && !isHead && mayCut(request, stored)) {
        return cut(request.fields().getOrDefault("range", ""), response, age);
      }
    }
    return new Answer(response.status(), isHead ? "" : response.body(), age, "");
  }

  /** 13.1.1, 13.1.4; a choice: evaluated here, too. */
  private static boolean isFailed(Request request, Stored stored) {
    String etag = stored.response().field("etag");
    String tags = request.field("if-match");
    if (tags != null) {
      return !tags.equals("*")
          && (etag == null
              || etag.startsWith("W/")
              || Stream.of(tags.split(",", -1)).noneMatch(tag -> tag.strip().equals(etag)));
    }
    Long since = date(request.field("if-unmodified-since"));
    Long modified = date(stored.response().field("last-modified"));
    return since != null && modified != null && modified > since;
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

  /** 13.1.5: a range of this very representation. */
  private static boolean mayCut(Request request, Stored stored) {
    String wanted = request.field("if-range");
    if (wanted == null || wanted.startsWith("\"") || wanted.startsWith("W/")) {
      return wanted == null
          || (wanted.startsWith("\"") && wanted.equals(stored.response().field("etag")));
    }
    // A date is a strong validator only if it is earlier than Date (8.8.2.2).
    Long modified = date(stored.response().field("last-modified"));
    return modified != null
        && modified.equals(date(wanted))
        && dateValue(stored) - modified >= 1000;
  }

  /** 14.1.2; one range only. */
  private static Answer cut(String range, Response response, long age) {
    String body = response.body();
    Matcher parts = Pattern.compile("bytes=(\\d*)-(\\d*)").matcher(range);
    if (!parts.matches() || (parts.group(1).isEmpty() && parts.group(2).isEmpty())) {
      return new Answer(200, body, age, "");
    }
    int length = body.length();
    boolean isSuffix = parts.group(1).isEmpty();
    int named = parts.group(2).isEmpty() ? length - 1 : Integer.parseInt(parts.group(2));
    int first = isSuffix ? Math.max(0, length - named) : Integer.parseInt(parts.group(1));
    int last = isSuffix ? length - 1 : Math.min(named, length - 1);
    if (!isSuffix && !parts.group(2).isEmpty() && named < first) {
      return new Answer(200, body, age, "");
    }
    if (first >= length || (isSuffix && named == 0)) {
      return new Answer(416, "", age, "bytes */" + length);
    }
    return new Answer(
        206, body.substring(first, last + 1), age, "bytes " + first + "-" + last + "/" + length);
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
    // A choice: where quotes do not pair nobody knows what is forbidden.
    String said = response.field("cache-control");
    if (said != null && said.replaceAll("=\"[^\"]*\"(?=\\s*(,|$))", "").contains("\"")) {
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
    if (response.field("set-cookie") != null && !route.stripsCookies()) {
      return false;
    }
    // 4.1; a choice: what varies by cookies is stored for requests without cookies only.
    if (varyOf(response).contains("*")
        || (varyOf(response).contains("cookie") && request.field("cookie") != null)) {
      return false;
    }
    Stored as = new Stored(response, now, "");
    long lifetime = lifetime(as);
    boolean hasValidator =
        response.field("etag") != null || date(response.field("last-modified")) != null;
    if (lifetime < 0) {
      // A choice: an error is stored with a time only.
      return status < 400 && control.containsKey("no-cache") && hasValidator;
    }
    boolean isRevalidatedAlways =
        control.containsKey("no-cache")
            || lifetime + longestWindow(response) * 1000 <= initialAge(as);
    return hasValidator || !isRevalidatedAlways;
  }

  private long longestWindow(Response response) {
    Map<String, String> control = directives(response);
    Stored stored = new Stored(response, now, "");
    return isStaleForbidden(control)
        ? 0
        : Math.max(
            window(stored, "stale-while-revalidate", route.staleWhileRevalidate()),
            window(stored, "stale-if-error", route.staleIfError()));
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
    // 4.2.2, a tenth of the time since it was modified, a day at most; a choice: errors 5 minutes.
    Long modified = date(response.field("last-modified"));
    boolean mayGuess =
        List.of(200, 301, 404, 410).contains(response.status()) || control.containsKey("public");
    if (modified == null || !mayGuess) {
      return -1;
    }
    long longest = response.status() >= 400 ? 300_000 : 86_400_000;
    return Math.clamp((dateValue(stored) - modified) / 10, 0, longest);
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
    return isWithin(control, stored, window(stored, directive, ofRoute));
  }

  private boolean isWithin(Map<String, String> control, Stored stored, long window) {
    return !isStaleForbidden(control)
        && window > 0
        && currentAgeMillis(stored) < Math.max(0, lifetime(stored)) + window * 1000;
  }

  private static boolean isStaleForbidden(Map<String, String> control) {
    return control.containsKey("no-cache")
        || control.containsKey("must-revalidate")
        || control.containsKey("proxy-revalidate");
  }

  /**
   * Choices: s-maxage forbids stale use unless a window is given beside it; what is never fresh has
   * no window but its own.
   */
  private static long window(Stored stored, String directive, long ofRoute) {
    Map<String, String> control = directives(stored.response());
    String own = control.get(directive);
    if (own != null) {
      return seconds(own);
    }
    return control.containsKey("s-maxage") || lifetime(stored) <= 0 ? 0 : ofRoute;
  }

  // --- 5 Fields ---------------------------------------------------------------------------------

  /** RFC 9110 12.5.5 */
  private static SortedSet<String> varyOf(Response response) {
    SortedSet<String> names = new TreeSet<>();
    String vary = response.field("vary");
    for (String name : vary == null ? new String[0] : vary.split(",", -1)) {
      if (!name.isBlank()) {
        names.add(name.strip().toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }

  private static Map<String, String> directives(Response response) {
    return directives(response.field("cache-control"));
  }

  /** Of a directive given twice the smaller; what is no number counts as 0. */
  private static Map<String, String> directives(@Nullable String control) {
    Map<String, String> directives = new HashMap<>();
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

  private static long seconds(@Nullable String value) {
    return value == null
        ? 0
        : value.matches("\\d{1,9}") ? Long.parseLong(value) : value.matches("\\d+") ? 1L << 31 : 0;
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
