package io.forebay.e2e;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assertions;

/** The small Django site of the test resources as origin, in Django's own server, with SQLite. */
final class DjangoOrigin implements AutoCloseable {
  static final String USER = "keeper";
  static final String PASSWORD = "long enough for Django";

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Process process;

  private DjangoOrigin(Process process) {
    this.process = process;
  }

  /**
   * Makes the database and starts it.
   *
   * @param port where it listens
   * @param edges what it sends its purges to
   */
  static DjangoOrigin start(Path directory, int port, List<EdgeProcess> edges) throws Exception {
    Path python = Tools.requireDjango();
    Files.createDirectories(directory.resolve("news"));
    for (String file : List.of("settings.py", "news/models.py", "news/purge.py", "news/urls.py")) {
      Tools.resource("/django/" + file, directory.resolve(file));
    }
    Files.createFile(directory.resolve("news/__init__.py"));
    List<String> django =
        List.of(
            "env",
            "PYTHONDONTWRITEBYTECODE=1",
            "PYTHONPATH=" + directory,
            "DJANGO_SETTINGS_MODULE=settings",
            "DJANGO_SUPERUSER_PASSWORD=" + PASSWORD,
            "FOREBAY="
                + edges.stream()
                    .map(edge -> "127.0.0.1:" + edge.port())
                    .collect(Collectors.joining(",")),
            python.toString(),
            "-m",
            "django");
    Commands.run(LIMIT, with(django, "migrate", "--run-syncdb", "--verbosity=0")).orFail();
    Commands.run(
            LIMIT,
            with(
                django,
                "createsuperuser",
                "--noinput",
                "--username=" + USER,
                "--email=" + USER + "@example.com"))
        .orFail();
    Path out = directory.resolve("django.out");
    Process started =
        new ProcessBuilder(with(django, "runserver", "--noreload", "127.0.0.1:" + port))
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      Await.until(
          "Django listens",
          () -> {
            if (!started.isAlive()) {
              Assertions.fail("Django ended: " + Files.readString(out));
            }
            return Ports.isListening(port);
          });
    } catch (AssertionError failed) {
      started.destroyForcibly();
      throw failed;
    }
    return new DjangoOrigin(started);
  }

  private static List<String> with(List<String> command, String... more) {
    List<String> whole = new ArrayList<>(command);
    whole.addAll(List.of(more));
    return whole;
  }

  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly();
    Assertions.assertTrue(process.waitFor(10, TimeUnit.SECONDS), "Django did not die");
  }
}
