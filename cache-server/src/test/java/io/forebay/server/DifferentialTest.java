package io.forebay.server;

import io.forebay.server.RfcModel.Answer;
import io.forebay.server.RfcModel.Request;
import io.forebay.server.RfcModel.Response;
import io.forebay.server.WireClient.Head;
import io.forebay.server.testing.ScriptedOrigin.Connection;
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
    "unknown=1"
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
  private static final int[] STATUSES = {200, 200, 200, 200, 301, 404, 410, 206, 429, 500, 503};
  private static final int[] WAITS = {0, 0, 1, 5, 9, 10, 11, 29, 31, 59, 61, 100, 10_000};

  @TempDir Path directory;
  private final AtomicLong clockMillis =
      new AtomicLong(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli());

  /** What happens in a sequence. */
  private sealed interface Step {
    /** The clock moves on. */
    record Wait(int seconds) implements Step {}

    /** The origin has something else to say of a URL from now on. */
    record Change(int url, int status, Map<String, String> fields, boolean isNewBody)
        implements Step {}

    /** A client asks; fields whose values depend on what it has seen stand as words. */
    record Ask(int url, String method, Map<String, String> fields) implements Step {}
  }

  /** A resource of a sequence as its origin has it. Both sides see one of their own. */
  private static final class Resource {
    private final String other;
    private int status = 200;
    private Map<String, String> fields = Map.of();
    private int version = 1;
    private final List<String> asked = new ArrayList<>();

    Resource(String other) {
      this.other = other;
    }

    void change(Step.Change change) {
      status = change.status();
      fields = change.fields();
      version += change.isNewBody() ? 1 : 0;
    }

    /** What the origin answers at a time. */
    Response answer(Request request, long now) {
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

  private void run(int sequences, int steps) throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("DifferentialTest: -Dtest.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    try (Bench bench = new Bench()) {
      for (int i = 0; i < sequences; i++) {
        Lane lane = Lane.values()[random.nextInt(Lane.values().length)];
        List<Step> sequence = sequence(random, steps);
        String difference = bench.settled(lane, sequence);
        if (difference != null) {
          throw new AssertionError(
              lane + ", " + bench.shortest(lane, sequence, difference) + "\nseed " + seed);
        }
      }
    }
  }

  // --- sequences --------------------------------------------------------------------------------

  private static List<Step> sequence(SplittableRandom random, int steps) {
    List<Step> sequence = new ArrayList<>();
    sequence.add(change(random, 0));
    for (int i = 0; i < steps; i++) {
      int url = random.nextInt(4) / 3;
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
    private WireClient client;
    private int paths;

    Bench() throws IOException {
      edge =
          Edge.start(
              java.nio.file.Files.createTempDirectory(directory, "edge"),
              "32MiB",
              Edge.origins(origin.url()) + Lane.all(),
              clockMillis::get);
      client = edge.connect();
    }

    /**
     * Where both differ, or null. A store that is busy may always say that it has nothing (I9): if
     * it was, a difference says nothing, and the sequence is tried again.
     */
    @Nullable String settled(Lane lane, List<Step> sequence) throws IOException {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        long busy = edge.server().store().busy();
        String difference = difference(lane, sequence);
        if (difference == null || edge.server().store().busy() == busy) {
          return difference;
        }
      }
      throw new AssertionError("the store is always busy");
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
      RfcModel model = new RfcModel(lane.route());
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
            Map<String, String> fields = new HashMap<>();
            ask.fields().forEach((name, value) -> fields.put(name, there.filled(value, now)));
            Request request = new Request(ask.method(), urls.get(ask.url()), fields);
            Answer wanted = model.handle(request, sent -> there.answer(sent, now), now);
            Answer seen = seen(request);
            edge.awaitIdle();
            if (!wanted.equals(seen) || !there.asked.equals(here.asked)) {
              return "step %d: the model %s %s, the edge %s %s"
                  .formatted(i, wanted, there.asked, seen, here.asked);
            }
            there.asked.clear();
            here.asked.clear();
          }
        }
      }
      return null;
    }

    private Answer seen(Request request) throws IOException {
      List<String> lines = new ArrayList<>();
      request.fields().forEach((name, value) -> lines.add(name + ": " + value));
      client.request(request.method(), request.path(), lines.toArray(new String[0]));
      Head head = client.head();
      byte[] body = request.method().equals("HEAD") ? new byte[0] : client.body(head);
      if (head.field("connection").equalsIgnoreCase("close")) {
        // A connection takes so many requests and no more.
        client.close();
        client = edge.connect();
      }
      String age = head.field("age");
      // What the edge says by itself is no matter of the RFC.
      return new Answer(
          head.status(),
          head.status() == 504 ? "" : new String(body, StandardCharsets.ISO_8859_1),
          age.isEmpty() ? -1 : Long.parseLong(age),
          head.field("content-range"));
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
      Response response =
          resource.answer(
              new Request(request.method(), request.target(), fields), clockMillis.get());
      StringBuilder out = new StringBuilder("HTTP/1.1 " + response.status() + " Scripted\r\n");
      response.fields().forEach((name, value) -> out.append(name + ": " + value + "\r\n"));
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
      StringBuilder told = new StringBuilder(found);
      for (int i = 0; i < left.size(); i++) {
        told.append("\n  ").append(i).append(": ").append(left.get(i));
      }
      return told.toString();
    }

    @Override
    public void close() throws IOException {
      client.close();
      edge.close();
      origin.close();
    }
  }
}
