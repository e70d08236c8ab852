package io.forebay.cli.demo;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.EdgeProcess;
import io.forebay.cli.console.ScratchDirectory;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node of the demo's cluster: a process with ports, a directory and a configuration of its own.
 */
final class DemoNode implements AutoCloseable {
  private static final int STOP_SECONDS = 20;
  // Small heaps: all nodes share the machine with etcd.
  private static final List<String> JAVA_OPTIONS =
      List.of("-Xmx192m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  /** The same for all nodes, so that an object has the same key on all of them. */
  private static final String HOST = "www.example";

  private final String name;
  private final int port;
  private final URI adminUrl;
  private final Path configuration;
  private final Path log;
  private final AdminClient admin;
  private final Viewer viewer;
  // Also read by the shutdown hook that closes this.
  private volatile @Nullable EdgeProcess process;

  /**
   * Writes the configuration of a node and starts nothing.
   *
   * @param place of the node in the cluster: its group, its tier or its shield, as its
   *     configuration has them
   */
  DemoNode(
      String name,
      String place,
      String originUrl,
      String etcd,
      DemoCertificates.Credentials credentials,
      ScratchDirectory scratch)
      throws IOException {
    this.name = name;
    this.port = ScratchDirectory.freePort();
    int adminPort = ScratchDirectory.freePort();
    int nodePort = ScratchDirectory.freePort();
    this.adminUrl = URI.create("http://127.0.0.1:" + adminPort);
    this.configuration = scratch.data().resolve(name + ".yaml");
    this.log = scratch.data().resolve(name + ".log");
    this.admin = new AdminClient(adminUrl, null);
    this.viewer = newViewer();
    Files.writeString(
        configuration,
        """
        listen: 127.0.0.1:%d
        admin: 127.0.0.1:%d
        store: {data: "%s", memory: 32MiB, memory-directory: "%s"}
        threads: {loops: 1}
        access-log: off
        origin: %s
        forwarding: {node-id: %s}
        cluster:
          name: demo
          %s
          listen: 127.0.0.1:%d
          advertise: 127.0.0.1:%d
          tls: {ca: "%s", certificate: "%s", key: "%s"}
          log: {endpoints: "%s"}
          purge: {fence-after: 2s}
          share: {listen: 127.0.0.1:%d}
        """
            .formatted(
                port,
                adminPort,
                scratch.data().resolve(name),
                Files.createDirectories(scratch.memory().resolve(name)),
                originUrl,
                name,
                place.replace(", ", "\n  "),
                nodePort,
                nodePort,
                credentials.authority(),
                credentials.certificate(),
                credentials.key(),
                etcd,
                ScratchDirectory.freePort()));
  }

  String name() {
    return name;
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  URI adminUrl() {
    return adminUrl;
  }

  Path log() {
    return log;
  }

  AdminClient admin() {
    return admin;
  }

  /** A client of its own for another thread; the caller closes it. */
  Viewer newViewer() {
    return new Viewer(port, HOST);
  }

  Viewer.Got get(String path) throws IOException {
    return viewer.get(path);
  }

  boolean isAlive() {
    EdgeProcess running = process;
    return running != null && running.isAlive();
  }

  /** Starts it, for the first time or again with what it has stored; returns when it listens. */
  EdgeProcess start() throws IOException, InterruptedException {
    viewer.close();
    EdgeProcess started =
        EdgeProcess.start(JAVA_OPTIONS, List.of("--config", configuration.toString()), log);
    process = started;
    return started;
  }

  /** SIGKILL. */
  void kill() throws IOException, InterruptedException {
    EdgeProcess running = process;
    if (running != null) {
      running.kill();
    }
    viewer.close();
  }

  @Override
  public void close() {
    EdgeProcess running = process;
    if (running != null && running.isAlive()) {
      running.stop(STOP_SECONDS);
    }
    admin.close();
  }
}
