package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient.Response;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A child and two parents with the configurations of the examples, as processes. */
@Timeout(120)
@Tag("full")
final class TiersIT {
  private static final int URLS = 20;

  @TempDir Path directory;

  private static String example(String file) throws Exception {
    return Files.readString(Path.of("..", "examples", file)).replace("10.20.0.0/16", "127.0.0.1");
  }

  private EdgeProcess parent(String name, String origin) throws Exception {
    return EdgeProcess.in(directory.resolve(name))
        .config(
            example("tier-parent.yaml")
                .replace("https://site.example.com", origin)
                .replace("parent-1", name))
        .threads(1)
        .start();
  }

  private EdgeProcess child(EdgeProcess first, EdgeProcess second) throws Exception {
    return EdgeProcess.in(directory.resolve("child"))
        .config(
            example("tier-child.yaml")
                .replace("10.20.1.1:8080", "127.0.0.1:" + first.port())
                .replace("10.20.1.2:8080", "127.0.0.1:" + second.port()))
        .threads(1)
        .start();
  }

  private static void assertServed(EdgeProcess node, String prefix) throws Exception {
    for (int i = 0; i < URLS; i++) {
      Response response = node.get("/" + prefix + i);
      assertEquals(200, response.status(), prefix + i);
      assertEquals("", response.field("surrogate-key"), "a client of a child gets no tags");
    }
  }

  private static void purge(EdgeProcess node) throws Exception {
    assertEquals(
        0, Jar.with().run("purge", "--tag", "page", "--admin-url", node.adminUrl()).exit());
  }

  @Test
  void parentsShieldTheOriginAndOneMayDie() throws Exception {
    try (PathOrigin origin = PathOrigin.start()) {
      origin.otherwise(exchange ->
          exchange.respond(200, "cache-control: max-age=1000\r\nsurrogate-key: page\r\n", "ok"));
      try (EdgeProcess first = parent("first", origin.url());
          EdgeProcess second = parent("second", origin.url());
          EdgeProcess child = child(first, second)) {
        assertServed(child, "a");
        assertEquals(URLS, origin.requests().size());

        // Both have a share of the URLs, and each of them has what the child has.
        purge(child);
        assertServed(child, "a");
        assertEquals(URLS, origin.requests().size());
        assertEquals("page", first.get("/a0").field("surrogate-key"));

        int before = origin.requests().size();
        purge(first);
        purge(second);
        purge(child);
        assertServed(child, "a");
        assertEquals(before + URLS, origin.requests().size());

        first.kill();
        assertServed(child, "b");
        assertTrue(origin.requests().size() >= before + 2 * URLS);
      }
    }
  }
}
