package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The request ring between processes: a node that runs, one that was killed, and readers. */
@Tag("full")
@Timeout(180)
final class RequestRingIT {
  @TempDir Path directory;

  private static JsonNode last(Commands.Finished ran) {
    assertEquals(0, ran.exit(), ran::toString);
    return Admin.json(ran.out().lines().toList().getLast());
  }

  @Test
  void theLastRequestsOfANodeCanBeReadWhileItRunsAndAfterItWasKilled() throws Exception {
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url()).noisy().start()) {
      origin.cacheable("/a", "the body");
      edge.get("/a?token=secret");
      edge.get("/a?token=secret");

      JsonNode hit = last(Jar.quick().run("log", "--json", "--admin-url", edge.adminUrl()));
      assertEquals("hit", hit.path("cache").asString(), hit.toString());
      assertEquals("/a?token=***", hit.path("target").asString());

      Process follower =
          Jar.quick().start("log", "--follow", "--json", "--ring-dir", edge.memory().toString());
      try (BufferedReader lines = follower.inputReader()) {
        // A follower begins with what ends after it has opened the rings.
        Thread load =
            Thread.ofVirtual()
                .start(() -> {
                  while (!Thread.currentThread().isInterrupted()) {
                    try {
                      edge.get("/a?live");
                    } catch (Exception e) {
                      return;
                    }
                  }
                });
        JsonNode live = Admin.json(lines.readLine());
        assertEquals("/a?live", live.path("target").asString(), live.toString());
        load.interrupt();
        load.join();
        edge.kill();
        // It reads what is left and ends by itself.
        while (lines.readLine() != null) {
          assertTrue(follower.isAlive() || follower.exitValue() == 0);
        }
        assertTrue(follower.waitFor(60, TimeUnit.SECONDS));
        assertEquals(0, follower.exitValue());
        String end = new String(follower.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(end.contains("is gone without a stop in order"), end);
      } finally {
        follower.destroyForcibly();
      }

      String dir = edge.memory().toString();
      JsonNode dead = last(Jar.quick().run("log", "--json", "--last", "1", "--ring-dir", dir));
      assertEquals("/a?live", dead.path("target").asString(), dead.toString());

      edge.restart();
      edge.get("/a?restarted");
      JsonNode before = last(Jar.quick().run("log", "--json", "--previous", "--ring-dir", dir));
      assertEquals("/a?live", before.path("target").asString(), before.toString());
      Commands.Finished now = Jar.quick().run("top", "--once", "--ring-dir", dir);
      assertEquals(0, now.exit(), now::toString);
      assertTrue(now.out().contains("/a?restarted"), now::toString);
      assertFalse(now.out().contains("/a?live"), now::toString);
    }
  }

  @Test
  void aNodeWhoseTmpfsHasNoRoomForRingsRunsWithoutAndSaysSo() throws Exception {
    Tools.requireRoot("mount a small tmpfs for the memory tier");
    try (PathOrigin origin = PathOrigin.start()) {
      origin.cacheable("/a", "the body");
      EdgeProcess.Settings settings =
          EdgeProcess.in(directory.resolve("edge"), origin.url())
              .noisy()
              .memory("32MiB")
              .config("access-log: {ring: 1GiB}\n");
      String memory = settings.memoryDirectory().toString();
      Commands.run("mount", "-t", "tmpfs", "-o", "size=80m", "tmpfs", memory).orFail();
      try (EdgeProcess edge = settings.start()) {
        try {
          Await.until("a warning", () -> log(edge).contains("no request ring (access-log.ring)"));
          assertEquals("the body", edge.get("/a").text());
          assertEquals("the body", edge.get("/a").text());
          Commands.Finished ran = Jar.quick().run("log", "--admin-url", edge.adminUrl());
          assertEquals(1, ran.exit(), ran::toString);
          assertTrue(ran.err().contains("the node has no request ring"), ran::toString);
        } finally {
          // Before its directory is removed.
          edge.terminate();
          Commands.run("umount", memory).orFail();
        }
      }
    }
  }

  private String log(EdgeProcess edge) throws Exception {
    return edge.outText() + Files.readString(directory.resolve("edge").resolve("edge.err"));
  }
}
