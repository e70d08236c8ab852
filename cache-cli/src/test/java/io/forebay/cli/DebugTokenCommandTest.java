package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.Secret;
import io.forebay.server.protect.url.DebugToken;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What {@code forebay debug-token} prints is what a node takes. */
final class DebugTokenCommandTest {
  private static final String SECRET = "a secret that is long enough";

  @TempDir Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine line = Forebay.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments);
  }

  @Test
  void theTokenIsValidUntilItExpires() throws Exception {
    Path file = Files.writeString(directory.resolve("secret"), SECRET + "\n");
    assertEquals(
        0, run("debug-token", "--json", "--valid", "600", "--secret-file", file.toString()));
    JsonNode json = JsonMapper.shared().readTree(out.toString());
    DebugToken tokens = new DebugToken(new Secret(SECRET));
    String token = json.path("token").asString("");
    long now = Instant.now().getEpochSecond();
    assertTrue(tokens.admits(token, now), token);
    assertFalse(tokens.admits(token, now + 601), token);
    assertTrue(json.path("expires").asLong() > now);
  }

  @Test
  void aFileThatIsMissingIsSaid() {
    assertEquals(1, run("debug-token", "--secret-file", directory.resolve("none").toString()));
    assertTrue(err.toString().contains("cannot be read"), err.toString());
  }
}
