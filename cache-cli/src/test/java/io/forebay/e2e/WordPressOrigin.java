package io.forebay.e2e;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assertions;

/**
 * Debian's WordPress as origin, in PHP's own server, with a MariaDB that only a socket in its
 * directory leads to. A must-use plugin of the test resources sends what purge plugins send.
 */
final class WordPressOrigin implements AutoCloseable {
  static final String USER = "keeper";
  static final String PASSWORD = "long enough for WordPress";

  private static final Path CODE = Path.of("/usr/share/wordpress");
  private static final Duration LIMIT = Duration.ofMinutes(4);

  private final Process database;
  private final Process php;

  private WordPressOrigin(Process database, Process php) {
    this.database = database;
    this.php = php;
  }

  /**
   * Installs and starts one.
   *
   * @param port where it listens
   * @param edges what its plugin sends purges to
   */
  static WordPressOrigin start(Path directory, int port, List<EdgeProcess> edges) throws Exception {
    Tools.WordPress tools = Tools.requireWordPress();
    Files.createDirectories(directory);
    Path socket = directory.resolve("db.sock");
    Process database = startDatabase(tools, directory, socket);
    try {
      Path root = directory.resolve("root");
      Commands.run(LIMIT, List.of("cp", "-rL", CODE.toString(), root.toString())).orFail();
      Files.deleteIfExists(root.resolve("wp-config.php"));
      Files.createDirectories(root.resolve("wp-content/mu-plugins"));
      Tools.resource("/wordpress/wp-config.php", root.resolve("wp-config.php"));
      Tools.resource("/wordpress/purge.php", root.resolve("wp-content/mu-plugins/purge.php"));
      Path install = Tools.resource("/wordpress/install.php", root.resolve("install.php"));
      Path router = Tools.resource("/wordpress/router.php", directory.resolve("router.php"));
      Map<String, String> environment =
          Map.of(
              "WORDPRESS_SOCKET",
              socket.toString(),
              "FOREBAY",
              edges.stream()
                  .map(edge -> "127.0.0.1:" + edge.port())
                  .collect(Collectors.joining(",")),
              "PHP_CLI_SERVER_WORKERS",
              "4");
      Path installed = directory.resolve("install.out");
      Process installing =
          process(
              List.of(tools.php().toString(), install.toString(), USER, PASSWORD),
              environment,
              installed);
      boolean isDone = installing.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
      Assertions.assertTrue(
          isDone && installing.exitValue() == 0, () -> "install: " + text(installed));
      Files.delete(install);
      Path out = directory.resolve("php.out");
      Process php =
          process(
              List.of(
                  tools.php().toString(),
                  "-d",
                  "opcache.enable_cli=1",
                  "-S",
                  "127.0.0.1:" + port,
                  "-t",
                  root.toString(),
                  router.toString()),
              environment,
              out);
      WordPressOrigin started = new WordPressOrigin(database, php);
      try {
        awaitListening("PHP", php, port, out);
      } catch (AssertionError failed) {
        started.close();
        throw failed;
      }
      return started;
    } catch (Exception | AssertionError failed) {
      database.destroyForcibly();
      throw failed;
    }
  }

  private static Process startDatabase(Tools.WordPress tools, Path directory, Path socket)
      throws Exception {
    Path data = directory.resolve("data");
    Commands.run(
            LIMIT,
            List.of(
                tools.installDb().toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--datadir=" + data))
        .orFail();
    Path created =
        Files.writeString(
            directory.resolve("init.sql"), "CREATE DATABASE IF NOT EXISTS wordpress;\n");
    Path out = directory.resolve("mariadb.out");
    Process database =
        process(
            List.of(
                tools.database().toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--datadir=" + data,
                "--socket=" + socket,
                "--pid-file=" + directory.resolve("mariadb.pid"),
                "--skip-networking",
                "--innodb-buffer-pool-size=32M",
                "--innodb-flush-log-at-trx-commit=0",
                "--init-file=" + created),
            Map.of(),
            out);
    try {
      Await.until(
          "MariaDB listens",
          () -> {
            if (!database.isAlive()) {
              Assertions.fail("MariaDB ended: " + text(out));
            }
            return text(out).contains("ready for connections");
          });
    } catch (AssertionError failed) {
      database.destroyForcibly();
      throw failed;
    }
    return database;
  }

  private static Process process(List<String> command, Map<String, String> environment, Path out)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
    builder.environment().putAll(environment);
    return builder.start();
  }

  private static void awaitListening(String what, Process process, int port, Path out) {
    Await.until(
        what + " listens",
        () -> {
          if (!process.isAlive()) {
            Assertions.fail(what + " ended: " + text(out));
          }
          return Ports.isListening(port);
        });
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void close() throws InterruptedException {
    List<ProcessHandle> workers = php.descendants().toList();
    php.destroyForcibly();
    workers.forEach(ProcessHandle::destroyForcibly);
    Assertions.assertTrue(php.waitFor(10, TimeUnit.SECONDS), "PHP did not die");
    database.destroyForcibly();
    Assertions.assertTrue(database.waitFor(10, TimeUnit.SECONDS), "MariaDB did not die");
  }
}
