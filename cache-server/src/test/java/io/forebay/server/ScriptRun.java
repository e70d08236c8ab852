package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HttpDate;
import io.forebay.server.Script.Answer;
import io.forebay.server.Script.Body;
import io.forebay.server.Script.Expect;
import io.forebay.server.Script.Field;
import io.forebay.server.Script.Receive;
import io.forebay.server.Script.Send;
import io.forebay.server.counters.LoopCounters;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Runs one script over each protocol: an edge, its origin, its clients and their clock. */
final class ScriptRun implements AutoCloseable {

  private static final Pattern NOW = Pattern.compile("\\{now(?:([+-])(\\w+))?}");
  private static final long BEGIN = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

  private final Script script;
  private final AtomicLong clockMillis = new AtomicLong(BEGIN);
  private final ScriptOrigin origin = new ScriptOrigin();
  private final Edge edge;
  private ScriptClient.Protocol protocol = ScriptClient.Protocol.HTTP_1_1;
  private final Map<String, Client> clients = new HashMap<>();
  private final Map<String, ScriptOrigin.Exchange> exchanges = new HashMap<>();

  /** The counters that are asked for, as they were when the run began. */
  private final Map<String, Long> countersBefore = new HashMap<>();

  /** A client and how much of its response it has seen. */
  private static final class Client {
    private final ScriptClient connection;
    private Response head = new Response(0, List.of(), new byte[0]);
    private int seen;

    Client(ScriptClient connection) {
      this.connection = connection;
    }
  }

  ScriptRun(Script script, Path directory) throws IOException {
    this.script = script;
    this.edge =
        Edge.start(
            directory,
            "32MiB",
            Edge.origins(origin.url()) + "http3: secure\n" + script.config(),
            clockMillis::get);
  }

  void over(ScriptClient.Protocol newProtocol) throws Exception {
    protocol = newProtocol;
    countersBefore.clear();
    for (Script.Event event : script.events()) {
      if (event instanceof Script.Count count) {
        countersBefore.put(count.counter(), edge.sum(counters -> read(counters, count.counter())));
      }
    }
    try {
      play();
    } finally {
      clients.values().forEach(client -> client.connection.close());
      clients.clear();
      exchanges.clear();
      edge.awaitIdle();
      origin.comes();
    }
  }

  private void play() throws Exception {
    for (Script.Event event : script.events()) {
      try {
        play(event);
      } catch (AssertionError | IOException e) {
        throw new AssertionError(
            "%s:%d over %s: %s (%s)"
                .formatted(
                    script.file().getFileName(),
                    event.line(),
                    protocol,
                    e.getMessage(),
                    script.title()),
            e);
      }
    }
    origin.assertNothingLeft();
  }

  private void play(Script.Event event) throws Exception {
    switch (event) {
      case Send send -> send(send);
      case Receive receive -> receive(receive);
      case Answer answer -> answer(answer);
      case Expect expect -> expect(expect);
      case Script.Leave leave -> {
        client(leave.client()).connection.close();
        clients.remove(leave.client());
      }
      case Script.OriginGoes ignored -> origin.goes();
      case Script.OriginComes ignored -> origin.comes();
      case Script.Wait wait -> clockMillis.addAndGet(wait.millis());
      case Script.Purge purge ->
          edge.purge(
              PurgeKind.valueOf(purge.kind().toUpperCase(Locale.ROOT)),
              purge.kind().equals("url") ? url(purge.text()) : purge.text(),
              purge.isSoft());
      case Script.Count count ->
          edge.awaitSum(
              countersBefore.getOrDefault(count.counter(), 0L) + count.value(),
              counters -> read(counters, count.counter()));
    }
  }

  private static long read(LoopCounters counters, String name) {
    try {
      return LoopCounters.class.getField(name).getLong(counters);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no counter " + name, e);
    }
  }

  // --- clients ----------------------------------------------------------------------------------

  private Client client(String name) throws Exception {
    Client client = clients.get(name);
    if (client == null) {
      client = new Client(protocol.connect(edge));
      clients.put(name, client);
    }
    return client;
  }

  private void send(Send send) throws Exception {
    Client client = client(send.client());
    client.seen = 0;
    List<String> fields = new ArrayList<>();
    if (send.fields().stream().noneMatch(field -> field.name().equalsIgnoreCase("host"))) {
      fields.add("Host: " + protocol.authority());
    }
    send.fields().forEach(field -> fields.add(field.name() + ": " + filled(field.value())));
    client.connection.send(send.method(), send.target(), fields, send.body().bytes());
  }

  private void expect(Expect expect) throws Exception {
    Client client = client(expect.client());
    if (expect.status() > 0) {
      client.head = client.connection.head();
      assertEquals(expect.status(), client.head.status(), () -> "status of " + client.head.lines());
      check(expect.fields(), client.head::all, client.head.lines());
    }
    if (expect.status() > 0 && expect.status() < 200) {
      return;
    }
    byte[] wanted = expect.body().bytes();
    switch (expect.part()) {
      case BEGINS, GOES_ON -> {
        if (wanted.length > 0) {
          checkBody(expect.body(), client.connection.bytes(client.head, wanted.length));
          client.seen += wanted.length;
        }
      }
      case WHOLE, ENDS ->
          checkBody(expect.body(), client.connection.rest(client.head, client.seen));
      case BREAKS_OFF ->
          assertTrue(
              client.connection.isBrokenOff(client.head, client.seen), "the response has its end");
    }
  }

  private static void checkBody(Body wanted, byte[] seen) {
    if (wanted.isGiven()) {
      assertEquals(text(wanted.bytes()), text(seen), "body");
    }
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  // --- the origin -------------------------------------------------------------------------------

  private void receive(Receive receive) throws InterruptedException {
    ScriptOrigin.Exchange exchange = origin.take(receive.method(), receive.target());
    exchanges.put(receive.exchange(), exchange);
    check(receive.fields(), exchange::all, List.of(exchange.head()));
    if (receive.body().isGiven()) {
      assertEquals(text(receive.body().bytes()), exchange.body(), "body");
    }
  }

  private void answer(Answer answer) throws IOException {
    ScriptOrigin.Exchange exchange = exchanges.get(answer.exchange());
    if (exchange == null) {
      throw new AssertionError("nothing to answer");
    }
    byte[] body = answer.body().bytes();
    if (answer.status() > 0) {
      List<String> fields =
          answer.fields().stream()
              .map(field -> field.name() + ": " + filled(field.value()))
              .toList();
      exchange.head(answer.status(), fields, body, answer.part());
    }
    if (answer.status() == 0 || answer.status() >= 200) {
      exchange.part(body, answer.part());
    }
  }

  // --- fields -----------------------------------------------------------------------------------

  /** How the values of a field are found, by its lower-case name. */
  private interface Values {
    List<String> of(String name);
  }

  private void check(List<Field> wanted, Values values, List<String> all) {
    for (Field field : wanted) {
      List<String> found = values.of(field.name().toLowerCase(Locale.ROOT));
      String combined = String.join(", ", found);
      switch (field.match()) {
        case IS ->
            assertEquals(
                List.of(filled(field.value())),
                found.isEmpty() ? found : List.of(combined),
                () -> field.name() + " in " + all);
        case MATCHES ->
            assertTrue(
                !found.isEmpty() && combined.matches(field.value()),
                () -> field.name() + " in " + all);
        case ABSENT -> assertEquals(List.of(), found, field::name);
      }
    }
  }

  private String url(String target) {
    return target.startsWith("/")
        ? protocol.scheme() + "://" + protocol.authority() + target
        : target;
  }

  private String filled(String value) {
    return NOW.matcher(value)
        .replaceAll(this::date)
        .replace("{edge}", protocol.authority())
        .replace("{scheme}", protocol.scheme());
  }

  private String date(MatchResult match) {
    long shift = match.group(2) == null ? 0 : Script.millis(match.group(2));
    byte[] date = new byte[HttpDate.LENGTH];
    HttpDate.format(clockMillis.get() + ("-".equals(match.group(1)) ? -shift : shift), date, 0);
    return text(date);
  }

  @Override
  public void close() throws IOException {
    edge.close();
    origin.close();
  }
}
