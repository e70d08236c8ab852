package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The promises of the image and compose files, where Docker is not available. */
final class ContainerFilesTest {
  private static String text(String name) throws IOException {
    return Files.readString(Path.of("..", "docker", name));
  }

  @Test
  void theImageExposesThePortOfHttp3() throws IOException {
    assertTrue(text("Dockerfile").lines().anyMatch("EXPOSE 8080 8443 8443/udp 8081"::equals));
  }

  @Test
  void composeRaisesTheLimitOfLockedMemoryOnlyOnRequest() throws IOException {
    assertFalse(text("compose.yaml").contains("memlock"));
    assertTrue(text("compose.memlock.yaml").contains("memlock: -1"));
  }
}
