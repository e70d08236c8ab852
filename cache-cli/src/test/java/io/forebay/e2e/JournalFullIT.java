package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A purge that cannot be made durable is not acknowledged. */
@Tag("full")
final class JournalFullIT {
  private static final int MAX_PURGES = 20_000;

  @TempDir Path directory;

  @Test
  void aPurgeThatFindsNoRoomSaysSoAndWorksAgainWithRoom() throws Exception {
    Tools.requireRoot("mount a small tmpfs for the journal");
    Path data = Files.createDirectories(directory.resolve("data"));
    Commands.run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", data.toString()).orFail();
    try (PathOrigin origin = PathOrigin.start()) {
      try (EdgeProcess edge =
          EdgeProcess.in(directory.resolve("edge"), origin.url())
              .data(data)
              .config("purge: {from: 127.0.0.1}\n")
              .noisy()
              .start()) {
        origin.cacheable("/a", "the body");
        edge.get("/a");
        assertTrue(edge.get("/a").isFromCache());
        Path filler = data.resolve("filler");
        fill(filler);

        // What the file system has given the journal already takes a few more records.
        int purges = 0;
        var answer = edge.adminPost("/v1/purge", order(edge, "/other/" + purges));
        while (answer.statusCode() == 200 && purges++ < MAX_PURGES) {
          answer = edge.adminPost("/v1/purge", order(edge, "/other/" + purges));
        }
        assertEquals(5, answer.statusCode() / 100, answer.body());
        String error = Admin.json(answer.body()).path("error").asString("");
        assertTrue(error.contains("No space left"), error);
        assertTrue(error.contains("neither on disk nor in force"), error);
        assertTrue(error.contains(data.resolve("purge.journal").toString()), error);
        assertFails(edge, 1, 503);

        // Refused means: nothing happened.
        var refused = edge.adminPost("/v1/purge", order(edge, "/a"));
        assertEquals(5, refused.statusCode() / 100, refused.body());
        assertTrue(edge.get("/a").isFromCache());
        Commands.Finished cli =
            Jar.quick().run("purge", "--admin-url", edge.adminUrl(), edge.url("/a"));
        assertEquals(1, cli.exit(), cli::toString);
        assertTrue(cli.err().contains("No space left"), cli.err());
        assertTrue(edge.get("/a").isFromCache());

        Curl.Result request = Curl.get(edge.url("/a"), "-X", "PURGE");
        assertEquals(503, request.status());
        assertFalse(request.field("retry-after").isEmpty());
        assertTrue(edge.get("/a").isHit());

        Files.delete(filler);
        Admin.purgeUrl(edge, "/a");
        assertFails(edge, 0, 200);
        assertEquals(1, origin.count("/a"));
        assertEquals("the body", edge.get("/a").text());
        assertEquals(2, origin.count("/a"));

        // And what was acknowledged then is as durable as ever.
        Admin.purgeUrl(edge, "/a");
        edge.kill();
        edge.restart();
        assertEquals("the body", edge.get("/a").text());
        assertEquals(3, origin.count("/a"));
      }
    } finally {
      Commands.run("umount", data.toString()).orFail();
    }
  }

  /** The node says of itself whether its purges fail. */
  private static void assertFails(EdgeProcess edge, int gauge, int readiness) throws Exception {
    var ready = edge.admin("/readyz");
    assertEquals(readiness, ready.statusCode(), ready.body());
    assertEquals(gauge == 1, ready.body().contains("purge.journal"), ready.body());
    String metrics = edge.admin("/metrics").body();
    assertTrue(metrics.contains("forebay_purges_failing " + gauge + ".0"), metrics);
  }

  private static String order(EdgeProcess edge, String path) {
    return "{\"urls\":[\"" + edge.url(path) + "\"]}";
  }

  private static void fill(Path file) throws IOException {
    byte[] block = new byte[4096];
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int i = 0; i < 1024; i++) {
        out.write(block);
      }
      throw new IllegalStateException("four megabytes fit where one should");
    } catch (IOException full) {
      assertTrue(String.valueOf(full.getMessage()).contains("No space left"), full::toString);
    }
  }
}
