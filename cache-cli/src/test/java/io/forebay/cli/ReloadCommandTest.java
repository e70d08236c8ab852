package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests and output of {@code forebay reload --logs} with a scripted admin API. */
final class ReloadCommandTest {
  private ScriptedAdmin admin;

  @BeforeEach
  void start() throws IOException {
    admin = new ScriptedAdmin();
  }

  @AfterEach
  void stop() {
    admin.close();
  }

  @Test
  void reopensLogsAndSaysWhatCameOfIt() {
    admin
        .answers(
            200,
            """
            {"logs":[{"log":"access-log","result":"off"},{"log":"audit","result":"reopened"}]}\
            """)
        .answers(503, "{\"error\":\"not all logs are reopened\",\"problems\":[\"audit: no\"]}");

    Commands.Finished done = reload("--logs");
    Commands.Finished failed = reload("--logs");
    Commands.Finished wrong = reload("--logs", "--dry-run");

    assertEquals(0, done.exit(), done.err());
    assertEquals("/v1/logs/reopen", admin.asked().getFirst().target());
    assertTrue(done.out().contains("access-log off\naudit reopened\n"), done.out());
    assertEquals(1, failed.exit(), failed.err());
    assertTrue(failed.err().contains("audit: no"), failed.err());
    assertEquals(2, wrong.exit());
    assertEquals(2, admin.asked().size());
  }

  private Commands.Finished reload(String... arguments) {
    return InProcess.run(
        Stream.concat(Stream.of("reload", "--admin-url", admin.url()), Stream.of(arguments))
            .toArray(String[]::new));
  }
}
