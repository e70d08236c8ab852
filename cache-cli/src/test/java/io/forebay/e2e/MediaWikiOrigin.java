package io.forebay.e2e;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assertions;

/**
 * Debian's MediaWiki as origin, in PHP's own web server, with SQLite in a directory of the test.
 */
final class MediaWikiOrigin implements AutoCloseable {
  static final String USER = "Keeper";
  static final String PASSWORD = "long enough for MediaWiki";

  private static final Path CODE = Path.of("/usr/share/mediawiki");
  private static final Duration INSTALL_LIMIT = Duration.ofMinutes(4);

  private final Process process;
  private final String php;
  private final Path settings;

  private MediaWikiOrigin(Process process, String php, Path settings) {
    this.process = process;
    this.php = php;
    this.settings = settings;
  }

  /**
   * Installs and starts one.
   *
   * @param port where it listens
   * @param edges what it sends its purges to; the first is the address that it has for readers
   */
  static MediaWikiOrigin start(Path directory, int port, List<EdgeProcess> edges) throws Exception {
    String php = Tools.requireMediaWiki().toString();
    Files.createDirectories(directory.resolve("data"));
    Files.createDirectories(directory.resolve("root"));
    Files.createDirectories(directory.resolve("cache"));
    Files.createSymbolicLink(directory.resolve("root/w"), CODE);
    Commands.run(
            INSTALL_LIMIT,
            List.of(
                php,
                CODE.resolve("maintenance/install.php").toString(),
                "--dbtype=sqlite",
                "--dbname=wikidb",
                "--dbpath=" + directory.resolve("data"),
                "--confpath=" + directory,
                "--server=" + edges.getFirst().url(""),
                "--scriptpath=/w",
                "--pass=" + PASSWORD,
                "Forebay test",
                USER))
        .orFail();
    Path settings = directory.resolve("LocalSettings.php");
    Files.writeString(
        settings,
        Files.readString(settings)
            + """

            $wgArticlePath = '/wiki/$1';
            $wgUsePathInfo = true;
            $wgUseCdn = true;
            $wgCdnServers = [ %s ];
            // As for a site with https: a purge names another scheme and port than readers do.
            $wgInternalServer = 'http://127.0.0.1';
            $wgCdnMaxAge = 2678400;
            $wgCacheDirectory = '%s';
            $wgJobRunRate = 0;
            """
                .formatted(
                    edges.stream()
                        .map(edge -> "'127.0.0.1:" + edge.port() + "'")
                        .collect(Collectors.joining(", ")),
                    directory.resolve("cache")));
    Path router = Tools.resource("/mediawiki/router.php", directory.resolve("router.php"));
    ProcessBuilder builder =
        new ProcessBuilder(
                php,
                "-d",
                "opcache.enable_cli=1",
                "-S",
                "127.0.0.1:" + port,
                "-t",
                directory.resolve("root").toString(),
                router.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("php.out").toFile());
    builder.environment().put("MW_CONFIG_FILE", settings.toString());
    Process started = builder.start();
    try {
      Await.until(
          "PHP listens",
          () -> {
            if (!started.isAlive()) {
              Assertions.fail("PHP ended: " + Files.readString(directory.resolve("php.out")));
            }
            return Ports.isListening(port);
          });
    } catch (AssertionError failed) {
      started.destroyForcibly();
      throw failed;
    }
    return new MediaWikiOrigin(started, php, settings);
  }

  /** What cron does for a wiki: pages that use a changed template, for example, are purged. */
  void runJobs() throws Exception {
    Commands.run(
            php, CODE.resolve("maintenance/runJobs.php").toString(), "--conf", settings.toString())
        .orFail();
  }

  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly();
    Assertions.assertTrue(process.waitFor(10, TimeUnit.SECONDS), "PHP did not die");
  }
}
