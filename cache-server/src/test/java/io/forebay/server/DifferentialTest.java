package io.forebay.server;

import io.forebay.server.RfcModel.Answer;
import io.forebay.server.RfcModel.Request;
import io.forebay.server.RfcModel.Response;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random requests, responses and times, run through the edge over real sockets and through {@link
 * RfcModel}: both have to ask the origin the same questions and to give the client the same answer.
 * A sequence that differs is shortened before it is shown.
 */
@Tag("full")
final class DifferentialTest {

  private static final String[] CONTROLS = {
    "max-age=10",
    "max-age=100",
    "max-age=0",
    "max-age=\"10\"",
    "max-age=abc",
    "max-age=-5",
    "max-age=10, max-age=20",
    "max-age=99999999999",
    "s-maxage=20",
    "s-maxage=0",
    "s-maxage=20, max-age=5",
    "no-cache",
    "no-store",
    "private",
    "public",
    "must-revalidate",
    "proxy-revalidate",
    "must-understand",
    "stale-while-revalidate=30",
    "stale-if-error=30",
    "stale-if-error=\"30\"",
    "immutable",
    "MAX-AGE=10",
    "unknown=1",
    "unknown=\"1"
  };
  private static final String[] WISHES = {
    "no-cache",
    "max-age=0",
    "max-age=10",
    "max-age=60, max-stale=5",
    "max-stale",
    "max-stale=20",
    "min-fresh=8",
    "no-store",
    "only-if-cached",
    "stale-if-error=40"
  };
  private static final String[] RANGES = {
    "bytes=0-4",
    "bytes=3-",
    "bytes=-5",
    "bytes=2-1",
    "bytes=999-",
    "bytes=4-999",
    "bytes=-0",
    "bytes=-999",
    "chars=0-1",
    "bytes=",
    "bytes=5-5"
  };
  private static final String[] VARIES = {
    "x-a", "X-A", "x-b", "x-b, X-a", "x-a,,x-a ", "x-a, x-b", "*", "cookie, x-a"
  };
  private static final String[] METHODS = {
    "POST", "PUT", "DELETE", "PATCH", "FROB", "OPTIONS", "HEAD", "HEAD", "HEAD"
  };

  /** What reaches the origin is compared in these fields. */
  private static final List<String> TOLD =
      List.of(
          "if-none-match",
          "if-modified-since",
          "if-match",
          "if-unmodified-since",
          "range",
          "if-range",
          "authorization",
          "x-a",
          "x-b");

  /** The field by which the origin numbers its answers. */
  private static final String NUMBER = "x-number";

  /** What a client was sent. */
  private record Sight(Answer answer, int number) {}

  /** The routes. */
  private enum Lane {
    PLAIN(""),
    WINDOWS("stale-while-revalidate: 20s, stale-if-error: 60s"),
    HONOURING("client-directives: honour"),
    BOTH("client-directives: honour, stale-while-revalidate: 20s, stale-if-error: 60s"),
    STRIPPING("set-cookie: strip");

    private final String yaml;

    Lane(String settings) {
      this.yaml =
          "{match: {path: /"
              + name()
              + "}, range-fetch: whole"
              + (settings.isEmpty() ? "" : ", ")
              + settings
              + "}";
    }

    /** The same as its model has to know it. */
    RfcModel.Route route() {
      return switch (this) {
        case PLAIN -> new RfcModel.Route(0, 0, false, false);
        case WINDOWS -> new RfcModel.Route(20, 60, false, false);
        case HONOURING -> new RfcModel.Route(0, 0, true, false);
        case BOTH -> new RfcModel.Route(20, 60, true, false);
        case STRIPPING -> new RfcModel.Route(0, 0, false, true);
      };
    }

    static String all() {
      return "routes: ["
          + Stream.of(values()).map(lane -> lane.yaml).collect(Collectors.joining(", "))
          + "]\n";
    }
  }

  private static final int ATTEMPTS = 20;
  private static final int MAX_MODELS = 300;
  private static final int[] STATUSES = {200, 200, 200, 200, 301, 404, 410, 206, 429, 500, 503};
  private static final int[] WAITS = {0, 0, 1, 5, 9, 10, 11, 29, 31, 59, 61, 100, 10_000};

  @TempDir Path directory;
  private final AtomicLong clockMillis =
      new AtomicLong(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli());

  /** What happens to a URL while requests for it are under way. */
  private enum Happening {
    NOTHING,
    /** The client that asked first goes away. */
    LEFT,
    /** The origin has something else, and nobody says so. */
    CHANGED,
    /** The same, and the URL is purged. */
    PURGED,
    /** The same by an unsafe request. */
    POSTED
  }

  /** What happens in a sequence. */
  private sealed interface Step {
    /** What a sequence that differs may differ with, too. */
    default List<Step> simpler() {
      return List.of();
    }

    /** The clock moves on. */
    record Wait(int seconds) implements Step {}

    /** The origin has something else to say of a URL from now on. */
    record Change(int url, int status, Map<String, String> fields, boolean isNewBody)
        implements Step {}

    /** A client asks; fields whose values depend on what it has seen stand as words. */
    record Ask(int url, String method, Map<String, String> fields) implements Step {}

    /** Several ask at once: the origin holds its answers until all have. */
    record Together(
        int url,
        List<Map<String, String>> before,
        Happening happening,
        Change change,
        List<Map<String, String>> after)
        implements Step {
      @Override
      public List<Step> simpler() {
        List<Step> simpler = new ArrayList<>();
        for (Happening other : Happening.values()) {
          if (other.compareTo(happening) < 0) {
            simpler.add(new Together(url, before, other, change, after));
          }
        }
        for (int i = 0; i < before.size() && before.size() > 1; i++) {
          simpler.add(new Together(url, without(before, i), happening, change, after));
        }
        for (int i = 0; i < after.size(); i++) {
          simpler.add(new Together(url, before, happening, change, without(after, i)));
        }
        for (int i = 0; i < before.size(); i++) {
          if (!before.get(i).isEmpty()) {
            List<Map<String, String>> plain = new ArrayList<>(before);
            plain.set(i, Map.of());
            simpler.add(new Together(url, List.copyOf(plain), happening, change, after));
          }
        }
        return simpler;
      }

      private static <T> List<T> without(List<T> list, int index) {
        List<T> rest = new ArrayList<>(list);
        rest.remove(index);
        return List.copyOf(rest);
      }
    }
  }

  /** A resource of a sequence as its origin has it. Both sides see one of their own. */
  private static final class Resource {
    private final String other;
    private int status = 200;
    private Map<String, String> fields = Map.of();
    private int version = 1;
    private final List<String> asked = new CopyOnWriteArrayList<>();

    Resource(String other) {
      this.other = other;
    }

    /** The same as it is now, asked by nobody. */
    Resource copy() {
      Resource copy = new Resource(other);
      copy.status = status;
      copy.fields = fields;
      copy.version = version;
      return copy;
    }

    synchronized void change(Step.Change change) {
      status = change.status();
      fields = change.fields();
      version += change.isNewBody() ? 1 : 0;
    }

    /** What the origin answers at a time. */
    synchronized Response answer(Request request, long now) {
      Map<String, String> conditions = new TreeMap<>(request.fields());
      conditions.keySet().retainAll(TOLD);
      asked.add(request.method() + conditions);
      String form = form(request);
      Map<String, String> filled = new HashMap<>();
      fields.forEach((name, value) -> filled.put(name, filled(value.replace("@", form), now)));
      String etag = filled.get("etag");
      if (request.method().equals("GET") && status == 200) {
        String wanted = request.field("if-none-match");
        boolean isSame =
            wanted != null
                ? etag != null && wanted.replace("W/", "").contains(etag.replace("W/", ""))
                : request.field("if-modified-since") != null
                    && request.field("if-modified-since").equals(filled.get("last-modified"));
        if (isSame) {
          return new Response(304, filled, "");
        }
      }
      return new Response(status, filled, status + " version " + version + form);
    }

    /** Of its two representations the one for this request: values 1 and 2 have the same. */
    private String form(Request request) {
      boolean isVarying = fields.getOrDefault("vary", "").toLowerCase(Locale.ROOT).contains("x-a");
      return !isVarying ? "" : "3".equals(request.field("x-a")) ? "right" : "left";
    }

    private String filled(String value, long now) {
      if (value.equals("other")) {
        return other;
      }
      if (value.startsWith("now")) {
        return RfcModel.date(now + Long.parseLong(value.substring(3)) * 1000);
      }
      return value.replace("$", String.valueOf(version));
    }
  }

  @Test
  void edgeAndModelAgree() throws Exception {
    run(600, 25);
  }

  @Test
  @Tag("campaign")
  void edgeAndModelAgreeForLong() throws Exception {
    run(20_000, 40);
  }

  @Test
  void edgeAndModelAgreeOnRequestsThatOverlap() throws Exception {
    run(25, 8, 3);
  }

  @Test
  @Tag("campaign")
  void edgeAndModelAgreeForLongOnRequestsThatOverlap() throws Exception {
    run(20_000, 8, 3);
  }

  private void run(int sequences, int steps) throws Exception {
    run(sequences, steps, 0);
  }

  /**
   * Runs that many sequences of the seed {@code test.seed}; with {@code test.from} without those
   * before that one, so that a campaign can be gone on with.
   *
   * @param together of ten steps so many are requests that overlap
   */
  private void run(int sequences, int steps, int together) throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("DifferentialTest: -Dtest.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    int from = Integer.getInteger("test.from", 0);
    try (Bench bench = new Bench()) {
      for (int i = 0; i < sequences; i++) {
        Lane lane = Lane.values()[random.nextInt(Lane.values().length)];
        List<Step> sequence = sequence(random, steps, together);
        if (i < from) {
          continue;
        }
        String difference = bench.settled(lane, sequence);
        if (difference != null) {
          throw new AssertionError(
              "sequence %d of seed %d, %s, %s"
                  .formatted(i, seed, lane, bench.shortest(lane, sequence, difference)));
        }
        if ((i + 1) % 1000 == 0) {
          System.out.println("DifferentialTest: " + (i + 1) + " sequences agree");
        }
      }
    }
  }

  // --- sequences --------------------------------------------------------------------------------

  private static List<Step> sequence(SplittableRandom random, int steps, int together) {
    List<Step> sequence = new ArrayList<>();
    sequence.add(change(random, 0));
    for (int i = 0; i < steps; i++) {
      int url = random.nextInt(4) / 3;
      if (together > 0 && random.nextInt(10) < together) {
        sequence.add(together(random, url));
        continue;
      }
      sequence.add(
          switch (random.nextInt(10)) {
            case 0, 1 -> change(random, url);
            case 2, 3, 4 -> new Step.Wait(WAITS[random.nextInt(WAITS.length)]);
            case 5 -> new Step.Ask(url, METHODS[random.nextInt(METHODS.length)], selecting(random));
            default -> new Step.Ask(url, "GET", asked(random));
          });
    }
    return sequence;
  }

  private static Step.Together together(SplittableRandom random, int url) {
    Happening happening = Happening.values()[random.nextInt(Happening.values().length)];
    return new Step.Together(
        url,
        Stream.generate(() -> asked(random)).limit(1 + random.nextInt(3)).toList(),
        happening,
        change(random, url),
        Stream.generate(() -> asked(random)).limit(random.nextInt(2)).toList());
  }

  private static Map<String, String> selecting(SplittableRandom random) {
    Map<String, String> fields = new HashMap<>();
    if (random.nextInt(3) > 0) {
      fields.put("x-a", String.valueOf(1 + random.nextInt(3)));
    }
    if (random.nextInt(4) == 0) {
      fields.put("x-b", String.valueOf(1 + random.nextInt(2)));
    }
    return fields;
  }

  private static Map<String, String> asked(SplittableRandom random) {
    Map<String, String> fields = selecting(random);
    fields.putAll(
        switch (random.nextInt(20)) {
          case 0 -> Map.of("authorization", "Basic eDp5");
          case 1 -> Map.of("if-none-match", "\"1\", W/\"2\", \"2left\"");
          case 2 -> Map.of("if-none-match", "*");
          case 3 -> Map.of("if-modified-since", "now-3600");
          case 4 -> Map.of("cache-control", "no-cache", "pragma", "no-cache");
          case 5 -> Map.of("if-modified-since", "never", "if-none-match", "\"3\"");
          case 6 -> Map.of("if-match", random.nextInt(2) == 0 ? "*" : "\"1\", \"1left\"");
          case 7 -> Map.of("if-unmodified-since", "now-" + random.nextInt(3) * 1800);
          case 8 -> Map.of("pragma", "no-cache");
          case 9, 10, 11 -> Map.of("cache-control", WISHES[random.nextInt(WISHES.length)]);
          default -> Map.of();
        });
    if (random.nextInt(4) == 0) {
      fields.put("range", RANGES[random.nextInt(RANGES.length)]);
      switch (random.nextInt(6)) {
        case 0 -> fields.put("if-range", "\"1\"");
        case 1 -> fields.put("if-range", "W/\"1\"");
        case 2 -> fields.put("if-range", "now-1800");
        default -> {}
      }
    }
    return Map.copyOf(fields);
  }

  private static Step.Change change(SplittableRandom random, int url) {
    Map<String, String> fields = new HashMap<>();
    List<String> control = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      control.add(CONTROLS[random.nextInt(CONTROLS.length)]);
    }
    if (!control.isEmpty()) {
      fields.put("cache-control", String.join(", ", control));
    }
    if (random.nextInt(2) == 0) {
      fields.put("etag", random.nextInt(3) == 0 ? "W/\"$\"" : "\"$@\"");
    }
    if (random.nextInt(3) == 0) {
      fields.put("last-modified", "now-" + (random.nextInt(3) + 1) * 1800);
    }
    switch (random.nextInt(8)) {
      case 0 -> fields.put("expires", "now" + random.nextInt(50));
      case 1 -> fields.put("expires", "0");
      case 2 -> fields.put("age", String.valueOf(random.nextInt(20)));
      case 3 -> fields.put("set-cookie", "a=b");
      default -> {}
    }
    switch (random.nextInt(4)) {
      case 0 -> fields.put("date", "now-" + random.nextInt(15));
      case 1 -> fields.put("date", "now" + random.nextInt(15));
      case 2 -> fields.put("date", "now0");
      default -> {}
    }
    if (random.nextInt(3) == 0) {
      fields.put("vary", VARIES[random.nextInt(VARIES.length)]);
    }
    switch (random.nextInt(8)) {
      case 0 -> fields.put("location", "other");
      case 1 -> fields.put("content-location", "other");
      case 2 -> fields.put("location", "http://elsewhere.example/");
      default -> {}
    }
    return new Step.Change(
        url, STATUSES[random.nextInt(STATUSES.length)], Map.copyOf(fields), random.nextInt(3) > 0);
  }

  // --- both sides -------------------------------------------------------------------------------

  /** An edge, its origin and a client, for many sequences, each with a path of its own. */
  private final class Bench implements AutoCloseable {
    private final TestOrigin origin = new TestOrigin();
    private final Edge edge;
    private int paths;

    /** How many answers the origin has given, or is holding. */
    private final AtomicInteger told = new AtomicInteger();

    /** While it is shut the origin holds its answers. */
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /** What the origin says while requests overlap, by number. */
    private final Map<Integer, Overlap.Told> answers = new ConcurrentHashMap<>();

    Bench() throws IOException {
      edge =
          Edge.start(
              java.nio.file.Files.createTempDirectory(directory, "edge"),
              "32MiB",
              Edge.origins(origin.url()) + Lane.all(),
              clockMillis::get);
    }

    /**
     * Where both differ, or null. A store that is busy may always say that it has nothing (I9): if
     * it was, a difference says nothing, and the sequence is tried again.
     */
    @Nullable String settled(Lane lane, List<Step> sequence) throws IOException {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        long lost = lost();
        String difference = difference(lane, sequence);
        if (difference == null || lost() == lost) {
          return difference;
        }
      }
      throw new AssertionError("the store is always busy");
    }

    /** What the edge may forget at any time: answers of a busy store, and keys by their slot. */
    private long lost() {
      return edge.server().store().busy() + edge.sum(counters -> counters.historyDisplaced);
    }

    private @Nullable String difference(Lane lane, List<Step> sequence) throws IOException {
      String root = "/" + lane + "/" + ++paths;
      List<String> urls = List.of(root + "/a", root + "/b");
      List<Resource> ofEdge = new ArrayList<>();
      List<Resource> ofModel = new ArrayList<>();
      for (int i = 0; i < urls.size(); i++) {
        Resource resource = new Resource(urls.get(1 - i));
        ofEdge.add(resource);
        ofModel.add(new Resource(urls.get(1 - i)));
        origin.on(urls.get(i), (request, connection) -> answer(resource, request, connection));
      }
      // What the cache may be like: more than one after requests that overlapped.
      List<RfcModel> models = List.of(new RfcModel(lane.route()));
      for (int i = 0; i < sequence.size(); i++) {
        switch (sequence.get(i)) {
          case Step.Wait wait -> clockMillis.addAndGet(wait.seconds() * 1000L);
          case Step.Change change -> {
            ofEdge.get(change.url()).change(change);
            ofModel.get(change.url()).change(change);
          }
          case Step.Ask ask -> {
            long now = clockMillis.get();
            Resource here = ofEdge.get(ask.url());
            Resource there = ofModel.get(ask.url());
            Request request = request(ask.method(), urls.get(ask.url()), ask.fields(), there);
            Answer seen = seen(request);
            edge.awaitIdle();
            List<RfcModel> agreeing = new ArrayList<>();
            String wanted = "";
            for (RfcModel model : models) {
              there.asked.clear();
              Answer answer = model.handle(request, sent -> there.answer(sent, now), now);
              if (answer.equals(seen) && there.asked.equals(here.asked)) {
                agreeing.add(model);
              } else {
                wanted = answer + " " + there.asked;
              }
            }
            if (agreeing.isEmpty()) {
              return "step %d: the model %s, the edge %s %s".formatted(i, wanted, seen, here.asked);
            }
            models = agreeing;
            there.asked.clear();
            here.asked.clear();
          }
          case Step.Together together -> {
            Resource here = ofEdge.get(together.url());
            Resource there = ofModel.get(together.url());
            List<RfcModel> found =
                together(together, urls.get(together.url()), models, here, there);
            if (found.isEmpty()) {
              return "step %d: nothing explains %s".formatted(i, lastSeen);
            }
            models = found;
            if (models.size() > MAX_MODELS) {
              // It can be like almost anything by now, so what follows would show little.
              return null;
            }
            there.asked.clear();
            here.asked.clear();
          }
        }
      }
      return null;
    }

    private Request request(
        String method, String path, Map<String, String> fields, Resource resource) {
      Map<String, String> filled = new HashMap<>();
      fields.forEach((name, value) -> filled.put(name, resource.filled(value, clockMillis.get())));
      return new Request(method, path, filled);
    }

    /** What was seen of requests that overlapped. */
    private String lastSeen = "";

    /** What the cache may be like after requests that overlap; empty if that may not be. */
    private List<RfcModel> together(
        Step.Together step, String path, List<RfcModel> models, Resource here, Resource there)
        throws IOException {
      long now = clockMillis.get();
      answers.clear();
      CountDownLatch shut = new CountDownLatch(1);
      gate = shut;
      List<Request> requests = new ArrayList<>();
      List<RawClient> clients = new ArrayList<>();
      Resource before = there.copy();
      Answer posted = null;
      Request post = new Request("POST", path, Map.of());
      boolean hasLeft = step.happening() == Happening.LEFT;
      try {
        for (Map<String, String> fields : step.before()) {
          ask(request("GET", path, fields, before), requests, clients);
        }
        if (hasLeft) {
          clients.getFirst().close();
        } else if (step.happening() != Happening.NOTHING) {
          here.change(step.change());
          there.change(step.change());
        }
        if (step.happening() == Happening.PURGED) {
          edge.purgeUrl(path);
        } else if (step.happening() == Happening.POSTED) {
          posted = seen(post);
        }
        for (Map<String, String> fields : step.after()) {
          ask(request("GET", path, fields, before), requests, clients);
        }
      } finally {
        gate = new CountDownLatch(0);
        shut.countDown();
      }
      List<Overlap.Seen> all = new ArrayList<>();
      for (int i = 0; i < clients.size(); i++) {
        boolean isAfter = i >= step.before().size();
        Sight sight = hasLeft && i == 0 ? null : receive(clients.get(i), requests.get(i));
        all.add(
            sight == null
                ? new Overlap.Seen(requests.get(i), null, false, 0)
                : new Overlap.Seen(requests.get(i), sight.answer(), isAfter, sight.number()));
        clients.get(i).close();
      }
      edge.awaitIdle();
      int questions = here.asked.size();
      lastSeen = all + " " + here.asked;
      Answer toPost = posted;
      boolean isKnown =
          step.happening() == Happening.PURGED || (toPost != null && toPost.status() < 400);
      Overlap.Event event =
          new Overlap.Event() {
            @Override
            public boolean isKnown() {
              return isKnown;
            }

            @Override
            public List<RfcModel> happensTo(RfcModel model) {
              RfcModel next = model.copy();
              boolean isSame =
                  toPost == null
                      || next.answer(post, sent -> there.answer(sent, now), now).equals(toPost);
              if (step.happening() == Happening.PURGED) {
                next.purge(path);
              }
              return !isSame
                  ? List.of()
                  : isKnown ? List.of(next, next.copyVaryingAs(model, path)) : List.of(next);
            }
          };
      Overlap overlap =
          new Overlap(
              all,
              answers,
              event,
              sent -> before.answer(sent, now),
              sent -> there.answer(sent, now),
              now,
              questions - (step.happening() == Happening.POSTED ? 1 : 0));
      String foreign = overlap.foreign(models.getFirst());
      if (foreign != null) {
        lastSeen = foreign;
        return List.of();
      }
      return overlap.explain(models);
    }

    /** Asks, and waits until the answer is there, or the origin has to give it. */
    private void ask(Request request, List<Request> requests, List<RawClient> clients) {
      RawClient own = edge.connect();
      requests.add(request);
      clients.add(own);
      int toldBefore = told.get();
      long joinedBefore = edge.sum(counters -> counters.joined);
      send(own, request);
      Await.until(
          "an answer, a question or a fetch to join",
          () ->
              own.hasBytes()
                  || told.get() > toldBefore
                  || edge.sum(counters -> counters.joined) > joinedBefore);
    }

    /** By a connection of its own: one that is kept may have been idle for too long. */
    private Answer seen(Request request) throws IOException {
      try (RawClient client = edge.connect()) {
        send(client, request);
        return receive(client, request).answer();
      }
    }

    private static void send(RawClient by, Request request) {
      List<String> lines = new ArrayList<>();
      request.fields().forEach((name, value) -> lines.add(name + ": " + value));
      by.request(request.method(), request.path(), lines.toArray(new String[0]));
    }

    private static Sight receive(RawClient by, Request request) throws IOException {
      RawClient.Response head = by.head();
      byte[] body = request.method().equals("HEAD") ? new byte[0] : by.body(head);
      String age = head.field("age");
      String number = head.field(NUMBER);
      // What the edge says by itself is no matter of the RFC.
      Answer answer =
          new Answer(
              head.status(),
              head.status() == 504 ? "" : new String(body, StandardCharsets.ISO_8859_1),
              age.isEmpty() ? -1 : Long.parseLong(age),
              head.field("content-range"));
      return new Sight(answer, number.isEmpty() ? 0 : Integer.parseInt(number));
    }

    private void answer(Resource resource, TestOrigin.Request request, Connection connection)
        throws IOException {
      Map<String, String> fields = new HashMap<>();
      for (String line : request.head().split("\r\n", -1)) {
        int colon = line.indexOf(':');
        if (colon > 0) {
          fields.put(
              line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
        }
      }
      Request sent = new Request(request.method(), request.target(), fields);
      CountDownLatch held = sent.method().equals("GET") ? gate : new CountDownLatch(0);
      Response response = resource.answer(sent, clockMillis.get());
      int number = told.incrementAndGet();
      answers.put(number, new Overlap.Told(sent, response));
      TestOrigin.await(held);
      StringBuilder out = new StringBuilder("HTTP/1.1 " + response.status() + " Scripted\r\n");
      response.fields().forEach((name, value) -> out.append(name + ": " + value + "\r\n"));
      out.append(NUMBER + ": " + number + "\r\n");
      if (response.status() != 304) {
        out.append("content-length: ").append(response.body().length()).append("\r\n");
      }
      out.append("\r\n").append(request.method().equals("HEAD") ? "" : response.body());
      connection.send(out.toString());
    }

    /** The sequence without what it needs not to differ, told step by step. */
    String shortest(Lane lane, List<Step> sequence, String difference) throws IOException {
      List<Step> left = new ArrayList<>(sequence);
      String found = difference;
      for (int i = left.size() - 1; i >= 0; i--) {
        List<Step> fewer = new ArrayList<>(left);
        fewer.remove(i);
        String still = settled(lane, fewer);
        if (still != null) {
          left = fewer;
          found = still;
        }
      }
      for (int i = 0; i < left.size(); i++) {
        for (Step simpler : left.get(i).simpler()) {
          List<Step> other = new ArrayList<>(left);
          other.set(i, simpler);
          String still = settled(lane, other);
          if (still != null) {
            left = other;
            found = still;
            // There may be simpler ones yet.
            i--;
            break;
          }
        }
      }
      StringBuilder shown = new StringBuilder(found);
      for (int i = 0; i < left.size(); i++) {
        shown.append("\n  ").append(i).append(": ").append(left.get(i));
      }
      return shown.toString();
    }

    @Override
    public void close() throws IOException {
      edge.close();
      origin.close();
    }
  }
}
