package io.forebay.benchmarks.attack;

import io.forebay.benchmarks.micro.Bench;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.file.Path;
import org.openjdk.jmh.annotations.Fork;

/**
 * A Forebay with default limits as a process of its own, pinned to a CPU, in front of an origin in
 * this one. Bystanders come by IPv4, attackers by IPv6, so that limits for each address tell them
 * apart.
 */
@SuppressWarnings("try") // one that is interrupted ends
final class Edge implements AutoCloseable {

  private static final int SMALL_BYTES = 1024;
  private static final int LARGE_BYTES = 1024 * 1024;

  private final EdgeProcess process;
  private final ScriptedOrigin origin;

  private Edge(EdgeProcess process, ScriptedOrigin origin) {
    this.process = process;
    this.origin = origin;
  }

  /** What a process holds. */
  record Holds(long heapAndDirectKib, long descriptors) {}

  /** Starts both; everything but the memory tier is kept below the directory. */
  static Edge start(Path jar, Path directory, String cpu) throws Exception {
    return start(jar, directory, cpu, Edge::smallOrLarge, "");
  }

  /**
   * The same in front of another origin.
   *
   * @param script what the origin says
   * @param more lines of the configuration
   */
  static Edge start(Path jar, Path directory, String cpu, ScriptedOrigin.Script script, String more)
      throws Exception {
    ScriptedOrigin origin = ScriptedOrigin.start().serve(script);
    EdgeProcess.Settings settings =
        EdgeProcess.of(jar, directory)
            .allByFile()
            .noisy()
            .wrapped("taskset", "-c", cpu)
            .jvm(Bench.class.getAnnotation(Fork.class).jvmArgsPrepend());
    settings.config(
        """
        origin: %s
        listen:
          - address: 127.0.0.1:%d
          - address: "[::1]:%d"
            h2c: true
        admin: {address: "127.0.0.1:%d"}
        threads: {loops: 1}
        store: {memory: 256MiB, memory-directory: %s, data: %s}
        access-log: "off"
        %s
        """
            .formatted(
                origin.url(),
                settings.port(),
                settings.port(),
                settings.adminPort(),
                settings.memoryDirectory(),
                directory.resolve("data"),
                more));
    return new Edge(settings.start(), origin);
  }

  private static void smallOrLarge(Connection connection) throws IOException {
    try (connection) {
      connection.buffered().timeoutMillis(0);
      while (true) {
        byte[] body =
            new byte[connection.head().startsWith("GET /large ") ? LARGE_BYTES : SMALL_BYTES];
        connection
            .send(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=86400\r\nContent-Length: "
                    + body.length
                    + "\r\n\r\n")
            .send(body);
      }
    }
  }

  String bystandersUrl() {
    return process.url("/small");
  }

  int port() {
    return process.port();
  }

  String attackersAddress() {
    return "[::1]:" + process.port();
  }

  Holds holds() throws IOException {
    return new Holds(process.anonymousKib(), process.descriptors());
  }

  @Override
  public void close() throws Exception {
    process.close();
    origin.close();
  }
}
