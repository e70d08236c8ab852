package io.forebay.server;

import static io.forebay.server.SharingNodes.HOST;
import static io.forebay.server.SharingNodes.get;
import static io.forebay.server.SharingNodes.pathOfB;
import static io.forebay.server.SharingNodes.post;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups of responses that a client invalidates at one of two nodes that share objects. */
@Tag("full")
final class ServerGroupInvalidationTest {
  @TempDir Path directory;
  private SharingNodes nodes;
  private volatile String version = "1";

  @BeforeEach
  void prepare() throws Exception {
    nodes = new SharingNodes(directory);
    nodes.on((request, connection) -> answer(connection, "news"));
    nodes.origin().on("/other", (request, connection) -> answer(connection, "sports"));
    nodes
        .origin()
        .on(
            "/form",
            (request, connection) ->
                TestOrigin.sendOk(
                    connection, "cache-group-invalidation: \"news\"\r\n", new byte[0]));
  }

  private void answer(Connection connection, String group) throws IOException {
    TestOrigin.sendOk(
        connection,
        "cache-control: max-age=3600\r\ncache-groups: \"" + group + "\"\r\n",
        TestOrigin.ascii(version));
  }

  @AfterEach
  void stop() throws Exception {
    nodes.close();
  }

  private static void store(Edge node, String path) throws Exception {
    assertEquals("1", get(node, path).text());
    Await.until("it is stored", () -> get(node, path).isHit());
  }

  private static long published(Edge node) {
    return Objects.requireNonNull(node.server().clusterFigures()).groupsPublished();
  }

  @Test
  void areInvalidatedAtTheOther() throws Exception {
    Edge a = nodes.start("a");
    Edge b = nodes.start("b");
    String path = pathOfB(a);
    for (Edge node : new Edge[] {a, b}) {
      store(node, path);
      store(node, "/other");
    }
    version = "2";

    assertEquals(200, post(a, "/form").status());

    Await.until("node b has a new one", () -> get(b, path).text().equals("2"));
    Await.until("so has node a, from there", () -> get(a, path).text().equals("2"));
    assertEquals("1", get(a, "/other").text(), "of another group");
    assertEquals("1", get(b, "/other").text());
    Await.until("node a has counted it", () -> published(a) == 1);
    assertEquals(0, published(b));
  }

  @Test
  void areInvalidatedOnceTheLogIsBack() throws Exception {
    Edge a = nodes.start("a");
    Edge b = nodes.start("b");
    String path = pathOfB(a);
    store(a, path);
    store(b, path);
    version = "2";
    nodes.etcd().kill(0);

    assertEquals(200, post(a, "/form").status());

    assertEquals("1", get(b, path).text(), "it cannot know yet");
    nodes.etcd().restart(0);
    Await.until("node b has a new one", () -> get(b, path).text().equals("2"));
    Await.until("so has node a", () -> get(a, path).text().equals("2"));
  }

  @Test
  void areInvalidatedForAllHostsThatAreStoredAsOne() throws Exception {
    String route =
        "routes: [{name: all, match: {path: /}, origin: main,"
            + " key: {host: site.example, port: false}}]\n";
    Edge a = nodes.start("a", "", route);
    Edge b = nodes.start("b", "", route);
    String path = pathOfB(a);
    store(a, path);
    store(b, path);
    version = "2";

    String another = HOST.replace("site", "www");
    assertEquals(200, RawClient.request(a.port(), "POST", "/form", "", another).status());

    Await.until("node b has a new one", () -> get(b, path).text().equals("2"));
    Await.until("so has node a", () -> get(a, path).text().equals("2"));
  }
}
