package io.forebay.benchmarks.attack;

import com.sun.net.httpserver.HttpServer;
import io.forebay.benchmarks.micro.Bench;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Fork;

/**
 * A Forebay with default limits as a process of its own, pinned to a CPU, in front of an origin in
 * this one. Bystanders come by IPv4, attackers by IPv6, so that limits for each address tell them
 * apart.
 */
final class Edge implements AutoCloseable {

  private static final int SMALL_BYTES = 1024;
  private static final int LARGE_BYTES = 1024 * 1024;
  private static final int START_SECONDS = 60;

  private final Process process;
  private final Path log;
  private final Runnable stopsOrigin;
  private final int port;

  private Edge(Process process, Path log, Runnable stopsOrigin, int port) {
    this.process = process;
    this.log = log;
    this.stopsOrigin = stopsOrigin;
    this.port = port;
  }

  /** What a process holds. */
  record Holds(long heapAndDirectKib, long descriptors) {}

  /** Starts both; everything is kept below the directory. */
  static Edge start(Path jar, Path directory, String cpu) throws IOException, InterruptedException {
    HttpServer origin = origin();
    int port = origin.getAddress().getPort();
    return start(jar, directory, cpu, port, () -> origin.stop(0), "");
  }

  /**
   * The same in front of another origin.
   *
   * @param originPort where it listens on 127.0.0.1
   * @param stopsOrigin called at the end
   * @param more lines of the configuration
   */
  static Edge start(
      Path jar, Path directory, String cpu, int originPort, Runnable stopsOrigin, String more)
      throws IOException, InterruptedException {
    int port = freePort();
    Path config = directory.resolve("forebay.yaml");
    Files.writeString(
        config,
        """
        origin: http://127.0.0.1:%d
        listen:
          - address: 127.0.0.1:%d
          - address: "[::1]:%d"
            h2c: true
        admin: {address: "127.0.0.1:0"}
        threads: {loops: 1}
        store: {memory: 256MiB, memory-directory: %s, data: %s}
        access-log: "off"
        %s
        """
            .formatted(
                originPort,
                port,
                port,
                Files.createDirectory(directory.resolve("memory")),
                directory.resolve("data"),
                more));
    List<String> command = new ArrayList<>(List.of("taskset", "-c", cpu));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(Bench.class.getAnnotation(Fork.class).jvmArgsPrepend()));
    command.addAll(List.of("-jar", jar.toString(), "serve", "--config", config.toString()));
    Path log = directory.resolve("forebay.log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Edge edge = new Edge(process, log, stopsOrigin, port);
    edge.awaitStart();
    return edge;
  }

  private static HttpServer origin() throws IOException {
    HttpServer origin =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 512);
    origin.createContext(
        "/",
        exchange -> {
          boolean isLarge = exchange.getRequestURI().getPath().equals("/large");
          exchange.getResponseHeaders().set("Cache-Control", "max-age=86400");
          byte[] body = new byte[isLarge ? LARGE_BYTES : SMALL_BYTES];
          exchange.sendResponseHeaders(200, body.length);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    origin.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    origin.start();
    return origin;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private void awaitStart() throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (System.nanoTime() < end && process.isAlive()) {
      try {
        new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port).close();
        return;
      } catch (IOException notYet) {
        TimeUnit.MILLISECONDS.sleep(200);
      }
    }
    close();
    throw new IOException("the edge did not start: " + Files.readString(log));
  }

  String bystandersUrl() {
    return "http://127.0.0.1:" + port + "/small";
  }

  int port() {
    return port;
  }

  String attackersAddress() {
    return "[::1]:" + port;
  }

  Holds holds() throws IOException {
    Path proc = Path.of("/proc", Long.toString(process.pid()));
    long anonymous = 0;
    for (String line : Files.readAllLines(proc.resolve("status"))) {
      if (line.startsWith("RssAnon:")) {
        anonymous = Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    try (Stream<Path> descriptors = Files.list(proc.resolve("fd"))) {
      return new Holds(anonymous, descriptors.count());
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    stopsOrigin.run();
  }
}
