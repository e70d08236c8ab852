package io.forebay.server;

import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.ClusterYaml;
import io.forebay.testing.EtcdFixture;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Nodes that share objects in front of one origin, with Debian's etcd between them. Closing ends
 * all of them.
 */
final class SharingNodes implements AutoCloseable {
  /** The same for all nodes, so that they have the same keys. */
  static final String HOST = "Host: site.example";

  /** Paths of which each node owns some. */
  static final int PATHS = 40;

  private final Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final EtcdFixture etcd;
  private final Certificates certificates;
  private final List<Edge> nodes = new ArrayList<>();
  private final Map<String, Integer> shares = new HashMap<>();
  private final Map<String, PausableLink> links = new HashMap<>();

  /** Without nodes; their names can be {@code a} and {@code b}. */
  SharingNodes(Path directory) throws Exception {
    this.directory = directory;
    this.certificates = Certificates.in(Files.createDirectories(directory.resolve("tls")));
    this.etcd = EtcdFixture.start(directory.resolve("etcd"), 1);
  }

  TestOrigin origin() {
    return origin;
  }

  EtcdFixture etcd() {
    return etcd;
  }

  /** What leads others to a node that will be started. */
  PausableLink link(String name) throws IOException {
    int share = Ports.free();
    PausableLink link = new PausableLink(share);
    shares.put(name, share);
    links.put(name, link);
    return link;
  }

  /** Starts a node, and waits until it is ready. */
  Edge start(String name) throws Exception {
    return start(name, "", "");
  }

  /**
   * The same.
   *
   * @param lines more of {@code cluster}
   * @param more of the configuration
   */
  Edge start(String name, String lines, String more) throws Exception {
    int share = shares.containsKey(name) ? sharePort(name) : Ports.free();
    shares.put(name, share);
    PausableLink link = links.get(name);
    Edge edge =
        Edge.before(
            origin,
            Files.createDirectories(directory.resolve(name)),
            "32MiB",
            ClusterYaml.of(
                    "test",
                    name,
                    certificates,
                    etcd,
                    "  purge: {fence-after: 60s, log-down: local}\n"
                        + "  share: {listen: \"127.0.0.1:%d\", advertise: \"127.0.0.1:%d\"}\n"
                            .formatted(share, link == null ? share : link.port())
                        + lines)
                + more);
    nodes.add(edge);
    Await.until("the node knows all purges", () -> edge.server().notReady().isEmpty());
    return edge;
  }

  /** The port at which a node answers others. */
  int sharePort(String name) {
    return Objects.requireNonNull(shares.get(name));
  }

  /** What the origin answers under all paths. */
  void on(TestOrigin.Answer answer) {
    for (int i = 0; i < PATHS; i++) {
      origin.on("/" + i, answer);
    }
  }

  /** A path that node a asks node b for. */
  static String pathOfB(Edge a) {
    String[] found = new String[1];
    Await.until(
        "node b owns a key",
        () -> {
          for (int i = 0; i < PATHS && found[0] == null; i++) {
            String told = a.explain(200, "{\"url\": \"http://site.example/" + i + "\"}").toString();
            found[0] = told.contains("before the origin: b") ? "/" + i : null;
          }
          return found[0] != null;
        });
    return found[0];
  }

  static Response get(Edge edge, String path) throws Exception {
    return RawClient.get(edge.port(), path, HOST);
  }

  static Response post(Edge edge, String path) throws Exception {
    return RawClient.request(edge.port(), "POST", path, "", HOST);
  }

  /** The first one stops first: what its loops have cached counts for all. */
  @Override
  public void close() throws Exception {
    try {
      if (!nodes.isEmpty()) {
        nodes.getFirst().stop();
      }
      // A test may have stopped it.
      for (Edge node : nodes.reversed()) {
        node.close();
      }
    } finally {
      for (PausableLink link : links.values()) {
        link.close();
      }
      etcd.close();
      origin.close();
    }
  }
}
