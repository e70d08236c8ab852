package io.forebay.e2e;

import io.forebay.testing.Await;
import io.forebay.testing.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;

/** A real Varnish with a program: one process in the foreground, on loopback, with 16 MiB. */
final class VarnishCache implements AutoCloseable {
  private final Process process;
  private final int port;

  private VarnishCache(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts one.
   *
   * @param directory for its files, which it locks in memory while it runs
   */
  static VarnishCache start(Path directory, Path program) throws Exception {
    Path varnishd = Tools.require("varnishd");
    int port = Ports.free();
    Files.createDirectories(directory);
    Path out = directory.resolve("varnishd.out");
    Process process =
        new ProcessBuilder(
                varnishd.toString(),
                "-F",
                "-j",
                "none",
                "-n",
                directory.resolve("work").toString(),
                "-a",
                "127.0.0.1:" + port,
                "-f",
                program.toAbsolutePath().toString(),
                "-s",
                "malloc,16m",
                "-p",
                "thread_pool_min=5",
                "-p",
                "vsl_space=1m")
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    VarnishCache varnish = new VarnishCache(process, port);
    try {
      Await.until(
          "varnishd listens",
          () -> {
            if (!process.isAlive()) {
              Assertions.fail("varnishd ended: " + Files.readString(out));
            }
            return Ports.isListening(port);
          });
    } catch (Throwable failed) {
      varnish.close();
      throw failed;
    }
    return varnish;
  }

  int port() {
    return port;
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      Assertions.assertTrue(process.waitFor(10, TimeUnit.SECONDS), "varnishd did not end");
    }
  }
}
