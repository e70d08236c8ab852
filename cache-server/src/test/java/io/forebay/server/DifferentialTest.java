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
  private static final int[] STATUSES = {200, 200, 200, 200, 301, 404, 410, 206, 429, 500, 503};
  private static final int[] WAITS = {0, 0, 1, 5, 9, 10, 11, 29, 31, 59, 61, 100, 10_000};

  @TempDir Path directory;
  private final AtomicLong clockMillis =
      new AtomicLong(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli());

  /** What happens in a sequence. */
  private sealed interface Step {
    /** The clock moves on. */
    record Wait(int seconds) implements Step {}

    /** The origin has something else to say from now on. */
    record Change(int status, Map<String, String> fields, boolean isNewBody) implements Step {}

    /** A client asks; fields whose values depend on what it has seen stand as words. */
    record Ask(String method, Map<String, String> fields) implements Step {}
  }

  /** The one resource of a sequence as its origin has it. Both sides see one of their own. */
  private static final class Resource {
    private int status = 200;
    private Map<String, String> fields = Map.of();
    private int version = 1;
    private final List<String> asked = new ArrayList<>();

    void change(Step.Change change) {
      status = change.status();
      fields = change.fields();
      version += change.isNewBody() ? 1 : 0;
    }

    /** What the origin answers at a time. */
    Response answer(Request request, long now) {
      Map<String, String> conditions = new TreeMap<>(request.fields());
      conditions.keySet().retainAll(List.of("if-none-match", "if-modified-since", "authorization"));
      asked.add(request.method() + conditions);
      Map<String, String> filled = new HashMap<>();
      fields.forEach((name, value) -> filled.put(name, filled(value, now)));
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
      return new Response(status, filled, status + " version " + version);
    }

    private String filled(String value, long now) {
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
    for (String windows : List.of("", ", stale-while-revalidate: 20s, stale-if-error: 60s")) {
      try (Bench bench = new Bench(windows)) {
        for (int i = 0; i < sequences / 2; i++) {
          List<Step> sequence = sequence(random, steps);
          String difference = bench.difference(sequence);
          if (difference != null) {
            throw new AssertionError(bench.shortest(sequence, difference) + "\nseed " + seed);
          }
        }
      }
    }
  }

  // --- sequences --------------------------------------------------------------------------------

  private static List<Step> sequence(SplittableRandom random, int steps) {
    List<Step> sequence = new ArrayList<>();
    sequence.add(change(random));
    for (int i = 0; i < steps; i++) {
      sequence.add(
          switch (random.nextInt(10)) {
            case 0, 1 -> change(random);
            case 2, 3, 4 -> new Step.Wait(WAITS[random.nextInt(WAITS.length)]);
            case 5 -> new Step.Ask(random.nextInt(3) == 0 ? "POST" : "HEAD", Map.of());
            default -> new Step.Ask("GET", asked(random));
          });
    }
    return sequence;
  }

  private static Map<String, String> asked(SplittableRandom random) {
    return switch (random.nextInt(12)) {
      case 0 -> Map.of("authorization", "Basic eDp5");
      case 1 -> Map.of("if-none-match", "\"1\", W/\"2\"");
      case 2 -> Map.of("if-none-match", "*");
      case 3 -> Map.of("if-modified-since", "now-3600");
      case 4 -> Map.of("cache-control", "no-cache", "pragma", "no-cache");
      case 5 -> Map.of("if-modified-since", "never", "if-none-match", "\"3\"");
      default -> Map.of();
    };
  }

  private static Step.Change change(SplittableRandom random) {
    Map<String, String> fields = new HashMap<>();
    List<String> control = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      control.add(CONTROLS[random.nextInt(CONTROLS.length)]);
    }
    if (!control.isEmpty()) {
      fields.put("cache-control", String.join(", ", control));
    }
    if (random.nextInt(2) == 0) {
      fields.put("etag", random.nextInt(3) == 0 ? "W/\"$\"" : "\"$\"");
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
    return new Step.Change(
        STATUSES[random.nextInt(STATUSES.length)], Map.copyOf(fields), random.nextInt(3) > 0);
  }

  // --- both sides -------------------------------------------------------------------------------

  /** An edge, its origin and a client, for many sequences, each with a path of its own. */
  private final class Bench implements AutoCloseable {
    private final boolean hasWindows;
    private final TestOrigin origin = new TestOrigin();
    private final Edge edge;
    private final WireClient client;
    private int paths;

    Bench(String windows) throws IOException {
      hasWindows = !windows.isEmpty();
      edge =
          Edge.start(
              java.nio.file.Files.createTempDirectory(directory, "edge"),
              "32MiB",
              Edge.origins(origin.url()) + "routes: [{origin: main" + windows + "}]\n",
              clockMillis::get);
      client = edge.connect();
    }

    /** Where both differ, or null. */
    @Nullable String difference(List<Step> sequence) throws IOException {
      String path = "/" + ++paths;
      Resource ofEdge = new Resource();
      Resource ofModel = new Resource();
      RfcModel model = hasWindows ? new RfcModel(20, 60) : new RfcModel(0, 0);
      origin.on(path, (request, connection) -> answer(ofEdge, request, connection));
      for (int i = 0; i < sequence.size(); i++) {
        switch (sequence.get(i)) {
          case Step.Wait wait -> clockMillis.addAndGet(wait.seconds() * 1000L);
          case Step.Change change -> {
            ofEdge.change(change);
            ofModel.change(change);
          }
          case Step.Ask ask -> {
            long now = clockMillis.get();
            Map<String, String> fields = new HashMap<>();
            ask.fields().forEach((name, value) -> fields.put(name, ofModel.filled(value, now)));
            Request request = new Request(ask.method(), path, fields);
            Answer wanted = model.handle(request, sent -> ofModel.answer(sent, now), now);
            Answer seen = seen(request);
            edge.awaitIdle();
            if (!wanted.equals(seen) || !ofModel.asked.equals(ofEdge.asked)) {
              return "step %d: the model %s %s, the edge %s %s"
                  .formatted(i, wanted, ofModel.asked, seen, ofEdge.asked);
            }
            ofModel.asked.clear();
            ofEdge.asked.clear();
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
      String age = head.field("age");
      return new Answer(
          head.status(),
          new String(body, StandardCharsets.ISO_8859_1),
          age.isEmpty() ? -1 : Long.parseLong(age));
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
    String shortest(List<Step> sequence, String difference) throws IOException {
      List<Step> left = new ArrayList<>(sequence);
      String found = difference;
      for (int i = left.size() - 1; i >= 0; i--) {
        List<Step> fewer = new ArrayList<>(left);
        fewer.remove(i);
        String still = difference(fewer);
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
