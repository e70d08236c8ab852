package io.forebay.cli.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ring.RingFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The commands on the files of a process that is gone. */
final class RingCommandsTest {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String HOSTILE = "/\u001b]0;x\u0007\u009b2J\r\n";

  @TempDir Path directory;

  @BeforeEach
  void aProcessThatIsGone() {
    try (RingFiles rings = RingFiles.open(directory, 2, 100_000, () -> 1)) {
      Records.write(rings, 0, "GET", "http", "a", "/one", "t=1", 200, 1_000_000, 100, 9, 30);
      Records.write(rings, 1, "GET", "http", "a", "/one", "t=1", 200, 2_000_000, 100, 9, 10);
      Records.write(rings, 1, "GET", "http", "b", "/two", null, 503, 300_000_000, 5_000, 0, 20);
      Records.write(rings, 0, "GET", "http", "b", HOSTILE, null, 404, 20_000, 0, 0, 40);
    }
  }

  private record Ran(int exit, String out, String err) {
    List<String> lines() {
      return out.lines().toList();
    }
  }

  private Ran run(Callable<Integer> command, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--ring-dir", directory.toString()));
    int exit =
        new CommandLine(command)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .setExecutionExceptionHandler((thrown, line, parsed) -> {
              err.append(thrown.getMessage());
              return 1;
            })
            .execute(all.toArray(new String[0]));
    return new Ran(exit, out.toString(), err.toString());
  }

  @Test
  void logPrintsTheRequestsOfAllLoopsInTheOrderOfTheirEnd() {
    Ran ran = run(new LogCommand());
    assertEquals(0, ran.exit(), ran.err());
    assertEquals(4, ran.lines().size(), ran.out());
    assertTrue(ran.lines().get(0).contains("joined") && ran.lines().get(0).contains("/one?t=1"));
    assertTrue(ran.lines().get(1).contains(" miss "), ran.out());
    assertTrue(ran.lines().get(2).contains("404"), ran.out());
    assertTrue(ran.lines().get(3).contains("503 hit") && ran.lines().get(3).contains("300ms"));
  }

  @Test
  void nothingThatAClientSentControlsTheTerminal() {
    for (String format : List.of("", "--json", "--har", "--group")) {
      Ran ran = format.isEmpty() ? run(new LogCommand()) : run(new LogCommand(), format);
      assertControlFree(ran);
    }
    assertControlFree(run(new TopCommand(), "--once"));
    assertControlFree(run(new TopCommand(), "--once", "--json"));
  }

  private static void assertControlFree(Ran ran) {
    assertEquals(0, ran.exit(), ran.err());
    assertTrue(ran.out().contains("]0;x?"), ran.out());
    assertTrue(ran.out().chars().allMatch(c -> c == '\n' || !Character.isISOControl(c)));
  }

  @Test
  void aQuerySelects() {
    assertEquals(1, run(new LogCommand(), "status >= 500 and first_byte > 200ms").lines().size());
    assertEquals(1, run(new LogCommand(), "--last", "1").lines().size());
    assertTrue(run(new LogCommand(), "--last", "1").out().contains("/two"));
    assertEquals(1, run(new LogCommand(), "statu == 1").exit());
  }

  @Test
  void requestsThatSharedAFetchStandTogether() {
    List<String> lines = run(new LogCommand(), "--group").lines();
    int leader = lines.get(0).contains(" miss ") ? 0 : 1;
    assertTrue(lines.get(leader).contains(" miss "), lines.toString());
    assertTrue(lines.get(leader + 1).startsWith("  + "), lines.toString());
    assertTrue(lines.get(leader + 1).contains("joined"), lines.toString());
  }

  @Test
  void jsonHasTheNamesOfTheAccessLog() {
    JsonNode first = JSON.readTree(run(new LogCommand(), "--json").lines().getFirst());
    assertEquals("/one?t=1", first.get("target").asString());
    assertEquals(2_000, first.get("first_byte_us").asLong());
    assertEquals("joined", first.get("cache").asString());
    assertEquals(9, first.get("fill").asLong());
    assertFalse(first.has("fetch_us"));
  }

  @Test
  void aHarHasWhatHar12Asks() {
    JsonNode log = JSON.readTree(run(new LogCommand(), "--har").out()).get("log");
    assertEquals("1.2", log.get("version").asString());
    assertEquals("forebay", log.path("creator").get("name").asString());
    assertEquals(4, log.get("entries").size());
    JsonNode entry = log.get("entries").get(0);
    assertEquals("http://a/one?t=1", entry.path("request").get("url").asString());
    assertEquals("t", entry.path("request").path("queryString").get(0).get("name").asString());
    assertEquals(2.0, entry.get("time").asDouble());
    for (String name : List.of("send", "wait", "receive")) {
      assertTrue(entry.path("timings").get(name).isNumber(), name);
    }
    for (String name :
        List.of("httpVersion", "cookies", "headers", "headersSize", "bodySize", "redirectURL")) {
      assertTrue(entry.get("response").has(name), name);
    }
    assertTrue(entry.has("cache") && entry.has("startedDateTime"));
  }

  @Test
  void followingEndsWithTheProcess() {
    Ran ran = run(new LogCommand(), "--follow", "--last", "2");
    assertEquals(2, ran.lines().size());
    assertTrue(ran.err().contains("has stopped"), ran.err());
    assertEquals(1, run(new LogCommand(), "--follow", "--har").exit());
  }

  @Test
  void topCountsByKeyAndByFigure() {
    Ran byBytes = run(new TopCommand(), "--once", "--of", "host", "--by", "bytes");
    assertTrue(byBytes.lines().get(1).endsWith("  b"), byBytes.out());
    assertTrue(byBytes.lines().get(1).contains("96.2%"), byBytes.out());
    Ran byRequests = run(new TopCommand(), "--once", "--of", "url");
    assertTrue(byRequests.lines().get(1).endsWith("  http://a/one?t=1"), byRequests.out());
    Ran clients = run(new TopCommand(), "--once", "--of", "client");
    assertTrue(clients.lines().get(1).endsWith("192.0.2.0/24"), clients.out());
    assertTrue(clients.lines().get(1).contains("100.0%"), clients.out());
  }

  @Test
  void histPutsEachRequestIntoItsColumn() {
    JsonNode json = JSON.readTree(run(new HistCommand(), "--once", "--json").out());
    long hits = 0;
    long others = 0;
    for (JsonNode column : json.get("columns")) {
      hits += column.get("hits").asLong();
      others += column.get("others").asLong();
      double from = column.get("from").asDouble();
      double to = column.get("to").asDouble();
      assertTrue(
          List.of(1e-3, 2e-3, 0.3, 2e-5).stream().anyMatch(v -> v >= from * 0.999 && v < to),
          column.toString());
    }
    assertEquals(2, hits);
    assertEquals(2, others);
    List<String> screen = run(new HistCommand(), "--once", "--of", "size").lines();
    assertTrue(screen.stream().anyMatch(line -> line.contains("#")), screen.toString());
    assertTrue(screen.getLast().startsWith("1e0"), screen.toString());
  }

  @Test
  void aDirectoryWithoutRingsIsSaid() throws IOException {
    for (Path file : RingFiles.find(directory, false)) {
      Files.delete(file);
    }
    Ran ran = run(new LogCommand());
    assertEquals(1, ran.exit());
    assertTrue(ran.err().contains("access-log.ring"), ran.err());
    assertTrue(run(new LogCommand(), "--previous").err().contains("earlier process"));
  }

  @Test
  void spaceSavingKeepsTheHeaviestKeys() {
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    SpaceSaving sketch = new SpaceSaving(100);
    long[] real = new long[5_000];
    for (int i = 0; i < 50_000; i++) {
      int key = i % 2 == 0 ? random.nextInt(10) : random.nextInt(real.length);
      real[key]++;
      sketch.add("k" + key, 1, false, 1);
    }
    List<SpaceSaving.Counter> top = sketch.top(10);
    for (SpaceSaving.Counter counter : top) {
      int key = Integer.parseInt(counter.key().substring(1));
      assertTrue(key < 10, "seed " + seed + ": " + counter.key());
      assertTrue(
          counter.weight() >= real[key] && counter.weight() - counter.error() <= real[key],
          "seed " + seed + ": " + counter.key());
    }
    assertEquals(50_000, sketch.total());
  }
}
