package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.admin.RawHttp;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What operators do to a whole node stands in its audit log. */
@Timeout(240)
@Tag("slow")
final class ServerAuditLogTest {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  private void start(String more) throws IOException {
    edge = Edge.start(directory, "32MiB", Edge.origins(origin.url()) + more);
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private Path log() {
    return directory.resolve("data/audit.log");
  }

  private List<JsonNode> lines(int count) {
    Await.until(count + " lines", () -> Files.readAllLines(log()).size() >= count);
    try {
      List<String> lines = Files.readAllLines(log());
      assertEquals(count, lines.size(), lines.toString());
      return lines.stream().<JsonNode>map(line -> JsonMapper.shared().readTree(line)).toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private RawHttp admin() {
    return new RawHttp(URI.create(edge.server().adminUrl()).getPort());
  }

  @Test
  void everyActionHasALineAndNoQuestionHasOne() throws Exception {
    start("purge: {from: [127.0.0.1]}\n");
    assertEquals(200, admin().get("/v1/stats").status());
    assertEquals(
        200, admin().post("/v1/purge", "{\"urls\":[\"http://a.example/?token=abc\"]}").status());
    assertEquals(400, admin().post("/v1/purge", "{\"urlz\":[]}").status());
    assertEquals(200, admin().post("/v1/reload", "").status());
    assertEquals(404, admin().send("DELETE", "/v1/warm/77", "").status());
    edge.explain(200, "{\"method\":\"GET\",\"url\":\"http://a.example/\",\"fields\":[]}");
    try (RawClient client = edge.connect()) {
      client.send("PURGE /page HTTP/1.1\r\nHost: www.example\r\n\r\n");
      assertEquals(200, client.reply().status());
    }
    edge.server().reload();
    edge.server().reopenLog();
    List<JsonNode> lines = lines(7);
    assertEquals(
        List.of(
            "POST purge",
            "POST purge",
            "POST reload",
            "DELETE warm/77",
            "PURGE url",
            "SIGHUP reload",
            "SIGUSR1 reopen"),
        lines.stream().map(line -> line.get("action").asString()).toList());
    JsonNode purge = lines.getFirst();
    assertEquals("listener", purge.at("/actor/by").asString());
    assertEquals("127.0.0.1", purge.at("/actor/address").asString());
    assertEquals("http://a.example/?token=***", purge.at("/parameters/urls/0").asString());
    assertEquals("done", purge.get("result").asString());
    assertEquals(200, purge.get("status").asInt());
    assertEquals("refused", lines.get(1).get("result").asString());
    assertTrue(lines.get(1).at("/answer/error").isString(), lines.get(1).toString());
    assertEquals("network", lines.get(4).at("/actor/by").asString());
    assertTrue(lines.get(4).get("parameters").asString().contains("/page"));
    assertEquals("signal", lines.get(5).at("/actor/by").asString());
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(log())));
    edge.stop();
    assertEquals("SIGTERM drain", lines(8).getLast().get("action").asString());
  }

  @Test
  void aMovedLogIsReopenedByTheTimeOfTheAnswer() throws Exception {
    Path access = directory.resolve("access.log");
    start("access-log: {output: \"" + access + "\"}\n");
    assertEquals(200, admin().post("/v1/reload", "").status());
    assertEquals(1, lines(1).size());
    Path moved = log().resolveSibling("audit.log.1");
    Files.move(log(), moved);
    RawHttp.Answer answer = admin().post("/v1/logs/reopen", "");
    assertEquals(
        "{\"logs\":[{\"log\":\"access-log\",\"result\":\"reopened\"},"
            + "{\"log\":\"audit\",\"result\":\"reopened\"}]}",
        answer.text().strip());
    assertEquals("POST logs/reopen", lines(1).getFirst().get("action").asString());
    assertEquals(1, Files.readAllLines(moved).size());
    Files.delete(access);
    Files.createDirectory(access);
    RawHttp.Answer refused = admin().post("/v1/logs/reopen", "");
    assertEquals(503, refused.status(), refused.text());
    assertTrue(refused.text().contains("access-log: "), refused.text());
  }

  @Test
  void callersOverASocketAreKnownByTheKernel() throws Exception {
    Path socket = directory.resolve("admin.sock");
    start("admin: {address: \"unix:" + socket + "\"}\n");
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      channel.write(
          ByteBuffer.wrap(
              ("POST /v1/purge HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                      + "Content-Length: 14\r\n\r\n{\"tags\":[\"a\"]}")
                  .getBytes(StandardCharsets.US_ASCII)));
      String answer =
          new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
    }
    JsonNode actor = lines(1).getFirst().get("actor");
    assertEquals("listener", actor.get("by").asString());
    assertEquals("unix", actor.get("address").asString());
    assertEquals(System.getProperty("user.name"), actor.get("user").asString());
    assertTrue(actor.has("group"), actor.toString());
  }

  @Test
  void aTokenIsToldFromNoneAndNeverWritten() throws Exception {
    start("admin: {address: \"127.0.0.1:0\", token: 0123456789abcdef0123}\n");
    String token = "Authorization: Bearer 0123456789abcdef0123";
    assertEquals(401, admin().post("/v1/purge", "{\"everything\":true}").status());
    assertEquals(200, admin().post("/v1/purge", "{\"tags\":[\"a\"]}", token).status());
    List<JsonNode> lines = lines(2);
    assertEquals("nothing", lines.getFirst().at("/actor/by").asString());
    assertEquals(401, lines.getFirst().get("status").asInt());
    assertFalse(lines.getFirst().has("parameters"));
    assertEquals("token", lines.getLast().at("/actor/by").asString());
    assertFalse(Files.readString(log()).contains("0123456789abcdef"));
  }

  @Test
  void itCanBeElsewhereOrOff() throws Exception {
    start("audit: off\n");
    assertEquals(200, admin().post("/v1/purge", "{\"tags\":[\"a\"]}").status());
    edge.stop();
    assertFalse(Files.exists(log()));
  }
}
