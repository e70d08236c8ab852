package io.forebay.server.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.audit.AuditActor.By;
import io.forebay.server.audit.AuditEvent.Result;
import io.forebay.server.config.AuditConfig;
import io.forebay.server.config.LogConfig;
import io.forebay.server.logsink.LogOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
final class AuditLogTest {
  private static final AuditActor OPERATOR = new AuditActor(By.TOKEN, "192.0.2.1", null, null);

  @TempDir Path directory;
  private final AtomicLong now = new AtomicLong(1_772_600_767_089L);

  private AuditLog open() throws IOException {
    return AuditLog.open(
        new AuditConfig(
            null,
            new LogConfig.Rotation(1 << 20, Duration.ZERO, 3, false),
            LogConfig.Syslog.DEFAULT),
        directory,
        List.of("mine"),
        now::get);
  }

  private List<JsonNode> lines() throws IOException {
    return Files.readAllLines(directory.resolve("audit.log")).stream()
        .<JsonNode>map(line -> JsonMapper.shared().readTree(line))
        .toList();
  }

  private static AuditEvent event(
      AuditActor actor, String parameters, Result result, int status, @Nullable String answer) {
    return new AuditEvent(
        actor,
        "POST purge",
        parameters.getBytes(StandardCharsets.UTF_8),
        result,
        status,
        answer == null ? null : answer.getBytes(StandardCharsets.UTF_8),
        1_500_000,
        0);
  }

  private JsonNode line(String parameters, @Nullable String answer) throws IOException {
    try (AuditLog log = open()) {
      log.record(event(OPERATOR, parameters, Result.DONE, 200, answer));
    }
    return lines().getLast();
  }

  @Test
  void aLineSaysWhoDidWhatAndWhatCameOfIt() throws IOException {
    try (AuditLog log = open()) {
      log.record(
          event(
              new AuditActor(By.LISTENER, "unix", "root", "adm"),
              "{\"urls\":[\"http://a/\"],\"soft\":true}",
              Result.DONE,
              200,
              "{\"sequence\":7,\"purges\":[{\"id\":1}]}"));
      log.record(AuditEvent.of(AuditActor.SIGNAL, "SIGHUP reload", "", Result.REFUSED));
    }
    List<String> lines = Files.readAllLines(directory.resolve("audit.log"));
    assertEquals(
        "{\"v\":1,\"ts\":\"2026-03-04T05:06:07.089Z\",\"action\":\"POST purge\","
            + "\"actor\":{\"by\":\"listener\",\"address\":\"unix\",\"user\":\"root\",\"group\":\"adm\"},"
            + "\"parameters\":{\"urls\":[\"http://a/\"],\"soft\":true},\"result\":\"done\","
            + "\"status\":200,\"answer\":{\"sequence\":7},\"duration_us\":1500}",
        lines.getFirst());
    assertEquals(
        "{\"v\":1,\"ts\":\"2026-03-04T05:06:07.089Z\",\"action\":\"SIGHUP reload\","
            + "\"actor\":{\"by\":\"signal\"},\"result\":\"refused\"}",
        lines.getLast());
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(
            Files.getPosixFilePermissions(directory.resolve("audit.log"))));
  }

  @Test
  void secretsAreMaskedWhereverTheyStand() throws IOException {
    JsonNode line =
        line(
            "{\"urls\":[\"http://a/?token=SECRET&mine=SECRET&b=1\"],\"adminToken\":\"SECRET\","
                + "\"deep\":{\"Client_Secret\":{\"x\":\"SECRET\"}}}",
            "{\"token\":\"SECRET\",\"error\":\"no http://a/?key=SECRET\"}");
    assertFalse(line.toString().contains("SECRET"), line.toString());
    assertEquals("http://a/?token=***&mine=***&b=1", line.at("/parameters/urls/0").asString());
    assertEquals("no http://a/?key=***", line.at("/answer/error").asString());
    JsonNode text = line("not JSON ?token=SECRET", null);
    assertEquals("not JSON ?token=***", text.get("parameters").asString());
  }

  @Test
  void documentsAreToldByTheirDigest() throws IOException {
    String document = "admin:\n  token: SECRET\n";
    JsonNode line = line("{\"manifest\":\"" + document.replace("\n", "\\n") + "\"}", null);
    assertEquals(document.length(), line.at("/parameters/manifest/bytes").asInt());
    assertEquals(64, line.at("/parameters/manifest/sha256").asString().length());
    assertFalse(line.toString().contains("SECRET"));
  }

  @Test
  void anyParametersGiveOneLineOfBoundedLength() throws IOException {
    String many = "{\"urls\":[" + "\"http://a/\\u000a\\u0001\",".repeat(5000) + "\"x\"]}";
    JsonNode line = line(many, "{" + "\"a\":1,".repeat(1) + "\"b\":\"" + "y".repeat(9000) + "\"}");
    assertEquals(21, line.at("/parameters/urls").size());
    assertEquals("… 4981 more", line.at("/parameters/urls/20").asString());
    assertNull(line.at("/answer").get("b"));
    StringBuilder wide = new StringBuilder("{");
    for (int i = 0; i < 2000; i++) {
      wide.append("\"m").append(i).append("\":\"").append("z".repeat(100)).append("\",");
    }
    JsonNode digest = line(wide + "\"x\":1}", null);
    assertEquals(wide.length() + 6, digest.at("/parameters/bytes").asInt());
    String deep = "{\"a\":".repeat(200) + "1" + "}".repeat(200);
    assertTrue(line(deep, null).toString().length() < 500);
    for (String line2 : Files.readAllLines(directory.resolve("audit.log"))) {
      assertTrue(line2.length() <= AuditFormat.MAX_LINE);
    }
  }

  @Test
  void strangersCannotPushTheLinesOfOthersOut() throws IOException {
    AuditActor stranger = new AuditActor(By.NOTHING, "198.51.100.1", null, null);
    try (AuditLog log = open()) {
      for (int i = 0; i < 1000; i++) {
        log.record(event(stranger, "{}", Result.REFUSED, 401, null));
      }
      log.record(event(OPERATOR, "{}", Result.REFUSED, 400, null));
      now.addAndGet(1000);
      log.record(event(stranger, "{}", Result.REFUSED, 401, null));
    }
    List<JsonNode> lines = lines();
    assertEquals(3, lines.size());
    assertFalse(lines.getFirst().has("suppressed"));
    assertEquals(400, lines.get(1).get("status").asInt());
    assertEquals(999, lines.getLast().get("suppressed").asInt());
  }

  @Test
  void manyActionsAtOnceHaveAllTheirLines() throws Exception {
    AuditLog log = open();
    try (log) {
      List<Thread> threads =
          IntStream.range(0, 4)
              .mapToObj(i ->
                  Thread.ofVirtual()
                      .start(() -> {
                        for (int n = 0; n < 100; n++) {
                          log.record(event(OPERATOR, "{\"n\":" + n + "}", Result.DONE, 200, null));
                        }
                      }))
              .toList();
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertEquals(400, lines().size() + log.lost());
    assertEquals(0, log.lost());
  }

  @Test
  void aReceiverThatIsNotThereCostsLinesAndNoTime() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    AuditLog log =
        AuditLog.open(
            new AuditConfig(
                "syslog+tcp://127.0.0.1:" + port, LogConfig.Rotation.OFF, LogConfig.Syslog.DEFAULT),
            directory,
            List.of(),
            now::get);
    for (int i = 0; i < 2000; i++) {
      log.record(event(OPERATOR, "{}", Result.DONE, 200, null));
    }
    // The queue holds 1,024 and the writer one.
    assertTrue(log.lost() >= 2000 - 1025, log.lost() + " lost");
    log.close();
    assertTrue(log.lost() <= 2000);
  }

  /** A disk without room takes half of a line, then nothing, then all again. */
  private static final class FullDisk implements LogOutput {
    final ByteArrayOutputStream taken = new ByteArrayOutputStream();
    private int writes;

    @Override
    public boolean write(ByteBuffer lines) throws IOException {
      writes++;
      int count = writes == 1 ? 10 : writes == 2 ? 0 : lines.remaining();
      for (int i = 0; i < count; i++) {
        taken.write(lines.get());
      }
      if (lines.hasRemaining()) {
        throw new IOException("no space left");
      }
      return true;
    }

    @Override
    public void reopen() {}

    @Override
    public void close() {}
  }

  @Test
  void aLineBehindOneThatWasCutIsALineOfItsOwn() throws Exception {
    FullDisk disk = new FullDisk();
    try (AuditLog log = AuditLog.start(disk, List.of(), now::get)) {
      for (int i = 0; i < 3; i++) {
        log.record(event(OPERATOR, "{\"n\":" + i + "}", Result.DONE, 200, null));
      }
    }
    List<String> lines = disk.taken.toString(StandardCharsets.UTF_8).lines().toList();
    assertEquals(2, lines.size(), lines::toString);
    assertEquals(10, lines.getFirst().length());
    assertTrue(JsonMapper.shared().readTree(lines.getLast()).isObject());
  }
}
