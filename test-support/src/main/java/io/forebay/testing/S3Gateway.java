package io.forebay.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An S3 server that checks signatures, over a directory: versitygw, which {@code .ci/run} builds. A
 * folder of the directory is a bucket, a file in it an object.
 */
public final class S3Gateway implements AutoCloseable {
  public static final String ACCESS_KEY = "AKIATESTOFTHENODE";
  public static final String SECRET_KEY = "a/secret+key/of/the/test";
  public static final String REGION = "eu-central-1";

  /** A test runs in its module's folder. */
  private static final Path PROGRAM = Path.of("..", ".tools", "versitygw");

  private final Process process;
  private final int port;

  private S3Gateway(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  public static boolean isInstalled() {
    return Files.isExecutable(PROGRAM);
  }

  /**
   * Starts one on a port of its own on loopback.
   *
   * @param home for what it keeps besides the objects, and its output
   * @param buckets folder of the buckets
   */
  public static S3Gateway start(Path home, Path buckets) throws IOException {
    int port = Ports.free();
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                PROGRAM.toAbsolutePath().toString(),
                "--port",
                "127.0.0.1:" + port,
                "--region",
                REGION,
                "--virtual-domain",
                "s3.example:" + port,
                "posix",
                "--sidecar",
                Files.createDirectories(home.resolve("sidecar")).toString(),
                buckets.toString()));
    builder.environment().put("ROOT_ACCESS_KEY", ACCESS_KEY);
    builder.environment().put("ROOT_SECRET_KEY", SECRET_KEY);
    Path log = home.resolve("versitygw.log");
    S3Gateway gateway =
        new S3Gateway(builder.redirectErrorStream(true).redirectOutput(log.toFile()).start(), port);
    try {
      Await.until("versitygw listens", () -> gateway.isListening(log));
      return gateway;
    } catch (RuntimeException | Error e) {
      gateway.close();
      throw e;
    }
  }

  private boolean isListening(Path log) {
    if (!process.isAlive()) {
      try {
        throw new AssertionError("versitygw ended: " + Files.readString(log));
      } catch (IOException e) {
        throw new AssertionError("versitygw ended", e);
      }
    }
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  public int port() {
    return port;
  }

  public String url() {
    return "http://127.0.0.1:" + port;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
