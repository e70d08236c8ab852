package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.server.config.RuleTable;
import io.forebay.server.config.RuleTable.Kind;
import io.forebay.server.config.RuleTable.Phase;
import io.forebay.server.config.RuleTable.Row;
import io.forebay.server.geo.MmdbWriter;
import io.forebay.testing.Certificates;
import io.forebay.testing.ScriptedOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every cell of {@code docs/RULE_TABLE.md} that loads: one node, a route for each condition, phase
 * and outcome of the condition, a connection for each protocol. What the cells need in the store is
 * fetched first, for all of them; then time goes on, all are asked, and those of which only the
 * next answer shows something are asked again.
 */
@Timeout(300)
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ServerRuleTableTest {
  private static final Pattern TTL = Pattern.compile("; hit; ttl=(-?[0-9]+)");
  private static final String SPOKE = "x-spoke";
  private static final String SEEN = "seen-spoke";

  /** A Thursday. */
  private final AtomicLong clock =
      new AtomicLong(Instant.parse("2026-01-01T10:00:00Z").toEpochMilli());

  private final ScriptedOrigin origin = ScriptedOrigin.start();
  private volatile boolean isDown;
  private final List<Column> columns = new ArrayList<>();
  private Edge edge;

  /** The cells of one condition in one phase, with one outcome of the condition. */
  private record Column(Row row, Phase phase, boolean isHolding) {}

  private record Cell(Column column, Kind kind, String protocol) {
    boolean speaks() {
      return column.isHolding && column.row.protocols().contains(protocol);
    }

    String target() {
      String path = column.row.path(column.phase, column.isHolding, kind, protocol);
      return column.row.query().isEmpty() ? path : path + "?" + column.row.query();
    }

    /** Whether something has to be stored before it is asked. */
    boolean isStoredFirst() {
      return kind == Kind.HIT || kind == Kind.REVALIDATE || kind == Kind.STALE;
    }

    /** Whether the rule speaks when that is stored; else nothing shows what it does. */
    boolean isStoredByRule() {
      return column.phase == Phase.KEY
          || (column.phase == Phase.ORIGIN_RESPONSE && kind == Kind.STALE);
    }

    /** Whether only the next answer shows what the rule did. */
    boolean isAskedAgain() {
      return column.phase == Phase.ORIGIN_RESPONSE && kind != Kind.HIT && kind != Kind.STALE;
    }
  }

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    Certificates.in(Files.createDirectory(directory.resolve("pki")))
        .ecdsa("mutual", "mutual.example");
    new MmdbWriter("GeoLite2-Country")
        .country("127.0.0.0/8", "DE")
        .write(directory.resolve("country.mmdb"));
    new MmdbWriter("GeoLite2-ASN").asn("127.0.0.0/8", 64500).write(directory.resolve("asn.mmdb"));
    StringBuilder routes = new StringBuilder("routes:\n");
    for (Row row : RuleTable.rows()) {
      for (Phase phase : Phase.values()) {
        boolean isKeyed = phase == Phase.KEY;
        if (RuleTable.refusal(row, phase, isKeyed, directory).isEmpty()) {
          add(new Column(row, phase, true), routes);
          if (!row.fails().isEmpty()) {
            add(new Column(row, phase, false), routes);
          }
        }
      }
    }
    origin.serve(this::answer);
    edge =
        Edge.start(
            directory,
            "64MiB",
            Edge.origins(origin.url())
                + "http3: {listeners: [secure]}\n"
                + RuleTable.named(directory)
                + routes,
            clock::get);
  }

  private void add(Column column, StringBuilder routes) {
    columns.add(column);
    routes.append(column.row.route(column.phase, column.isHolding, column.phase == Phase.KEY));
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** What the origin does is written in the path. */
  private void answer(ScriptedOrigin.Connection connection) throws IOException {
    connection.buffered();
    while (true) {
      String head = connection.head();
      String target = head.substring(head.indexOf(' ') + 1, head.indexOf(' ', 5));
      String lower = head.toLowerCase(Locale.ROOT);
      boolean isChecked = lower.contains("\r\nif-none-match:");
      String seen = lower.contains("\r\nx-spoke: 1\r\n") ? SEEN + ": 1\r\n" : "";
      String fields = "content-type: text/javascript\r\nx-r: a-b\r\n" + seen;
      if (target.contains("/error/") || (isDown && target.contains("/stale/"))) {
        connection.send(
            "HTTP/1.1 503 Service Unavailable\r\n" + fields + "content-length: 2\r\n\r\nno");
      } else if (target.contains("/revalidate/")) {
        String validated = "cache-control: max-age=10\r\netag: \"1\"\r\n";
        connection.send(
            isChecked
                ? "HTTP/1.1 304 Not Modified\r\n" + validated + "\r\n"
                : "HTTP/1.1 200 OK\r\n" + validated + fields + "content-length: 2\r\n\r\nok");
      } else {
        String lifetime =
            !target.contains("/stale/")
                ? "max-age=1000"
                : target.contains("/" + Phase.ORIGIN_RESPONSE.slug() + "/")
                    ? "max-age=10"
                    : "max-age=10, stale-if-error=100000";
        connection.send(
            "HTTP/1.1 200 OK\r\ncache-control: "
                + lifetime
                + "\r\n"
                + fields
                + "content-length: 2\r\n\r\nok");
      }
    }
  }

  @Test
  void theRuleSpeaksWhereItsConditionHoldsAndNowhereElse() throws Exception {
    askAll("plain");
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLS", "HTTP/2", "HTTP/3"})
  @Tag("full")
  void soItDoesOverTheOtherProtocols(String protocol) throws Exception {
    askAll(protocol);
  }

  private void askAll(String protocol) throws Exception {
    List<Cell> cells =
        columns.stream()
            .flatMap(
                column -> Stream.of(Kind.values()).map(kind -> new Cell(column, kind, protocol)))
            .toList();
    List<String> wrong = new ArrayList<>();
    long fast = edge.sum(counters -> counters.fastHits);
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol, "a.example")) {
      for (Cell cell : cells) {
        if (cell.isStoredFirst()) {
          Answer answer = ask(client, cell, !cell.isStoredByRule());
          note(wrong, cell, "storing", answer.status() == 200, answer);
        }
      }
      edge.awaitIdle();
      clock.addAndGet(100_000);
      isDown = true;
      for (Cell cell : cells) {
        check(wrong, cell, ask(client, cell, false));
      }
      edge.awaitIdle();
      for (Cell cell : cells) {
        if (cell.isAskedAgain()) {
          checkAgain(wrong, cell, ask(client, cell, false));
        }
      }
      edge.awaitIdle();
    } finally {
      isDown = false;
    }
    System.out.println(cells.size() + " cells over " + protocol);
    assertEquals(List.of(), wrong.stream().limit(50).toList(), () -> wrong.size() + " are wrong");
    if (!protocol.startsWith("HTTP")) {
      assertTrue(edge.sum(counters -> counters.fastHits) > fast + 50, "some in the fast lane");
    }
  }

  private static Answer ask(ProtocolClient client, Cell cell, boolean isQuiet) throws Exception {
    List<String> fields = new ArrayList<>(cell.column.row.fields());
    if (isQuiet) {
      fields.addAll(List.of("x-quiet", "1"));
    }
    return client.ask("GET", cell.target(), fields.toArray(String[]::new));
  }

  private static void check(List<String> wrong, Cell cell, Answer answer) {
    boolean speaks = cell.speaks();
    boolean isOfKey = cell.column.phase == Phase.KEY;
    switch (cell.column.phase) {
      case CLIENT_REQUEST -> {
        if (speaks) {
          note(wrong, cell, "the rule answers", answer.status() == 418 && !answer.isHit(), answer);
          return;
        }
      }
      case ORIGIN_REQUEST -> {
        note(wrong, cell, "seen by the origin", speaks == !answer.all(SEEN).isEmpty(), answer);
        if (speaks) {
          int status = cell.kind == Kind.STALE || cell.kind == Kind.ERROR ? 503 : 200;
          boolean isPassed = answer.all("cache-status").toString().contains("detail=rule");
          note(wrong, cell, "passed", answer.status() == status && isPassed, answer);
          return;
        }
      }
      case KEY ->
          note(wrong, cell, "seen by the origin", speaks == !answer.all(SEEN).isEmpty(), answer);
      case DELIVERY ->
          note(wrong, cell, "a field of the rule", speaks == !answer.all(SPOKE).isEmpty(), answer);
      case ORIGIN_RESPONSE -> {
        if (cell.kind == Kind.HIT) {
          note(wrong, cell, "as it was stored", isNear(900, answer), answer);
        }
        if (cell.kind == Kind.STALE && !speaks) {
          note(wrong, cell, "nothing to serve", answer.status() == 503, answer);
          return;
        }
      }
    }
    String how = answer.all("cache-status").toString();
    boolean isRight =
        switch (cell.kind) {
          case HIT -> answer.status() == 200 && answer.isHit();
          case MISS -> answer.status() == 200 && !answer.isHit();
          case REVALIDATE ->
              answer.status() == 200 && how.contains("fwd=stale") && how.contains("fwd-status=304");
          case STALE -> answer.status() == 200 && how.contains("detail=stale-if-error");
          case ERROR -> answer.status() == 503 && !answer.isHit();
        };
    note(wrong, cell, isOfKey ? "by the key" : "how it comes about", isRight, answer);
  }

  private static void checkAgain(List<String> wrong, Cell cell, Answer answer) {
    boolean isRight =
        cell.speaks()
            ? isNear(50, answer)
            : switch (cell.kind) {
              case MISS -> isNear(1000, answer);
              case REVALIDATE -> isNear(10, answer);
              default -> answer.status() == 503 && !answer.isHit();
            };
    note(wrong, cell, "the lifetime", isRight, answer);
  }

  private static boolean isNear(long seconds, Answer answer) {
    Matcher ttl = TTL.matcher(answer.all("cache-status").toString());
    if (!ttl.find()) {
      return false;
    }
    long left = Long.parseLong(ttl.group(1));
    return left <= seconds && left > seconds - 5;
  }

  private static void note(
      List<String> wrong, Cell cell, String what, boolean isRight, Answer answer) {
    if (!isRight) {
      wrong.add(
          "%s over %s, %s: %s: %s"
              .formatted(
                  cell.target(),
                  cell.protocol,
                  cell.speaks() ? "the condition holds" : "it does not hold",
                  what,
                  answer));
    }
  }
}
