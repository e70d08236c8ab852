package io.forebay.e2e;

import io.forebay.testing.Commands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The lab of containers with a real engine: {@code docker/test/engine.sh} makes the base image of
 * Debian's packages and of the Java that runs the test, builds the images, and walks through
 * docker/README.md. Needs root, and Debian's packages from the network.
 */
@Tag("campaign")
final class EngineIT {
  private static final Path SCRIPT =
      Path.of("..", "docker", "test", "engine.sh").toAbsolutePath().normalize();
  private static final Duration LIMIT = Duration.ofMinutes(50);

  @Test
  void theFiveMinutesOfTheReadmeWork() throws Exception {
    Tools.requireRoot("run an engine of containers in namespaces of its own");
    for (String program : List.of("dockerd", "docker-compose", "debootstrap", "curl")) {
      Tools.require(program);
    }
    String java = "JAVA_HOME=" + System.getProperty("java.home");

    Commands.Finished ended =
        Commands.run(LIMIT, List.of("env", java, "bash", SCRIPT.toString())).orFail();

    System.out.println(ended.out());
  }
}
