package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.testing.Jar;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code cluster top} on a terminal. */
@Tag("full")
final class ClusterTopIT {
  private static final String HOME = "\u001b[H";
  private static final int REFRESHES = 3;
  private static final int MAX_CHARS = 100_000;

  @Test
  void onATerminalTheTableIsDrawnInPlaceAgainAndAgain() throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/script")),
        "no terminal to try: apt-get install bsdutils");
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      for (int i = 0; i < 100; i++) {
        admin.answers(
            200,
            "{\"cluster\":\"eu\",\"newest\":%d,\"nodes\":[{\"node\":\"edge-1\",\"alive\":false}]}"
                .formatted(i));
      }
      String command =
          Jar.java()
              + " -jar "
              + Jar.file()
              + " cluster top --interval 0.1 --admin-url "
              + admin.url();
      Process top = new ProcessBuilder("script", "-qec", command, "/dev/null").start();
      try (Reader out = top.inputReader()) {
        StringBuilder drawn = new StringBuilder();
        int refreshes = 0;
        while (refreshes < REFRESHES && drawn.length() < MAX_CHARS) {
          int next = out.read();
          assertTrue(next >= 0, () -> "it ended by itself: " + drawn);
          drawn.append((char) next);
          refreshes += drawn.toString().endsWith("revision " + refreshes) ? 1 : 0;
        }
        String text = drawn.toString();
        assertEquals(REFRESHES, refreshes, text);
        assertTrue(text.indexOf(HOME) < text.indexOf("revision 0"), text);
        assertTrue(text.indexOf(HOME, text.indexOf("revision 1")) > 0, text);
        assertTrue(text.contains("sums are without edge-1 (gone)"), text);
        assertEquals(text.indexOf("\u001b[2J"), text.lastIndexOf("\u001b[2J"), "cleared once");
      } finally {
        top.destroy();
        assertTrue(top.waitFor(30, TimeUnit.SECONDS));
      }
    }
  }
}
