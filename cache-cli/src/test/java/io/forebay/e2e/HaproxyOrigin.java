package io.forebay.e2e;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/** A real HAProxy as origin, before a server that it passes everything on to. */
final class HaproxyOrigin implements RestartableServer {
  private final Path directory;
  private final int port;
  private @Nullable Process process;

  private HaproxyOrigin(Path directory, int port) {
    this.directory = directory;
    this.port = port;
  }

  /**
   * Starts one.
   *
   * @param isHttp2 whether its clients speak HTTP/2, by prior knowledge
   * @param serverPort of the server behind it, which speaks HTTP/1.1
   */
  static HaproxyOrigin start(Path directory, boolean isHttp2, int serverPort) throws Exception {
    int port = Ports.free();
    Files.createDirectories(directory);
    Files.writeString(
        directory.resolve("haproxy.cfg"),
        """
        global
          maxconn 1000
        defaults
          mode http
          timeout connect 5s
          timeout client 60s
          timeout server 60s
        frontend clients
          bind 127.0.0.1:%d%s
          http-after-response set-header X-From haproxy
          default_backend servers
        backend servers
          server one 127.0.0.1:%d
        """
            .formatted(port, isHttp2 ? " proto h2" : "", serverPort));
    HaproxyOrigin origin = new HaproxyOrigin(directory, port);
    origin.restart();
    return origin;
  }

  int port() {
    return port;
  }

  @Override
  public void kill() throws InterruptedException {
    Process running = process;
    if (running != null) {
      running.destroyForcibly();
      Assertions.assertTrue(running.waitFor(10, TimeUnit.SECONDS), "HAProxy did not die");
      process = null;
    }
  }

  @Override
  public void restart() throws Exception {
    Path out = directory.resolve("haproxy.out");
    Process started =
        new ProcessBuilder(
                Tools.require("haproxy").toString(),
                "-db",
                "-f",
                directory.resolve("haproxy.cfg").toString())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    process = started;
    Await.until(
        "HAProxy listens",
        () -> {
          if (!started.isAlive()) {
            Assertions.fail("HAProxy ended: " + Files.readString(out));
          }
          return Ports.isListening(port);
        });
  }

  @Override
  public void signal(String name) throws Exception {
    Process running = process;
    Assertions.assertNotNull(running);
    Commands.run("kill", "-" + name, Long.toString(running.pid())).orFail();
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
