package io.forebay.server.handover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class UpgradeTest {
  @TempDir Path directory;

  @Test
  void theNewProcessIsStartedAsThisOneWasAndTakesOver() throws Exception {
    List<String> command =
        Upgrade.command(List.of("java", "-Xmx1g", "-jar", "a.jar", "serve", "-c", "f.yaml"), "");
    assertTrue(command.getFirst().endsWith("/bin/java"));
    assertEquals(
        List.of("-Xmx1g", "-jar", "a.jar", "serve", "--take-over", "-c", "f.yaml"),
        command.subList(1, command.size()));
    // One that took over itself has the option already.
    assertEquals(command, Upgrade.command(command, ""));
  }

  @Test
  void anotherJarTakesThePlaceOfThisOne() throws Exception {
    Path jar = Files.createFile(directory.resolve("b.jar"));
    assertEquals(
        jar.toString(),
        Upgrade.command(List.of("java", "-jar", "a.jar", "serve"), jar.toString()).get(2));
  }

  @Test
  void aJarThatIsNotThereIsRefused() {
    List<String> running = List.of("java", "-jar", "a.jar", "serve");
    String missing = directory.resolve("missing.jar").toString();
    assertThrows(IOException.class, () -> Upgrade.command(running, missing));
    assertThrows(IOException.class, () -> Upgrade.command(running, "relative.jar"));
  }

  @Test
  void aProcessThatServeDidNotStartCannotBeReplaced() {
    List<String> running = List.of("java", "-jar", "a.jar", "demo");
    assertThrows(IOException.class, () -> Upgrade.command(running, ""));
  }
}
