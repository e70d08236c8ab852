package io.forebay.e2e;

import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.ClusterYaml;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.EtcdFixture;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Nodes {@code edge-0}, {@code edge-1}, … of one cluster with their etcd, before one origin. */
final class ClusterEdges implements AutoCloseable {
  private static final String FENCE = "fence-after: 2s";

  private final Path directory;
  private final String originUrl;
  private final Certificates certificates;
  private final EtcdFixture etcd;
  private final String purge;
  private final List<EdgeProcess> edges = new ArrayList<>();

  /** More lines of {@code cluster} for a node of that name; null where nodes share no objects. */
  private final @Nullable UnaryOperator<String> share;

  private ClusterEdges(
      Path directory,
      String originUrl,
      int members,
      String purge,
      @Nullable UnaryOperator<String> share)
      throws Exception {
    this.share = share;
    this.directory = directory;
    this.purge = purge;
    this.originUrl = originUrl;
    this.certificates = Certificates.in(Files.createDirectories(directory.resolve("tls")));
    writeSecret(directory.resolve("secret"));
    this.etcd = EtcdFixture.start(directory.resolve("etcd"), members);
  }

  /** Starts etcd and nodes, and returns when all are ready. */
  static ClusterEdges start(Path directory, String originUrl, int members, int nodes)
      throws Exception {
    return start(directory, originUrl, members, nodes, "");
  }

  /** The same with more of {@code cluster.purge}. */
  static ClusterEdges start(Path directory, String originUrl, int members, int nodes, String purge)
      throws Exception {
    return start(
        new ClusterEdges(directory, originUrl, members, FENCE + purge, null),
        Collections.nCopies(nodes, ""),
        settings -> settings);
  }

  /** The same with more configuration for each node. */
  static ClusterEdges start(Path directory, String originUrl, int members, List<String> more)
      throws Exception {
    ClusterEdges cluster = new ClusterEdges(directory, originUrl, members, FENCE, null);
    return start(cluster, more, settings -> settings);
  }

  /**
   * The same with nodes that share objects, and know each other.
   *
   * @param fenceAfter short where nodes are to be cut off soon, else long enough for a busy machine
   * @param lines of {@code cluster} by the name of the node, besides the address
   */
  static ClusterEdges startSharing(
      Path directory,
      String originUrl,
      int members,
      int nodes,
      UnaryOperator<String> lines,
      String fenceAfter,
      UnaryOperator<EdgeProcess.Settings> more)
      throws Exception {
    ClusterEdges cluster =
        start(
            new ClusterEdges(directory, originUrl, members, "fence-after: " + fenceAfter, lines),
            Collections.nCopies(nodes, ""),
            more);
    for (EdgeProcess edge : cluster.edges) {
      Await.until(
          "the node knows the others", () -> edge.metrics().sum("forebay_cluster_alive") == nodes);
    }
    return cluster;
  }

  private static ClusterEdges start(
      ClusterEdges cluster, List<String> configs, UnaryOperator<EdgeProcess.Settings> more)
      throws Exception {
    try {
      for (int i = 0; i < configs.size(); i++) {
        String name = "edge-" + i;
        cluster.edges.add(more.apply(cluster.settings(name, name, configs.get(i))).start());
      }
      return cluster;
    } catch (Exception | Error e) {
      cluster.close();
      throw e;
    }
  }

  /** How to start another node, or another of the same name. */
  EdgeProcess.Settings settings(String name) throws Exception {
    return settings(name, name);
  }

  EdgeProcess.Settings settings(String name, String folder) throws Exception {
    return settings(name, folder, "");
  }

  /** The same with more configuration. */
  EdgeProcess.Settings settings(String name, String folder, String more) throws Exception {
    String sharing =
        share == null
            ? ""
            : "  share: {listen: \"127.0.0.1:%d\"}\n%s".formatted(Ports.free(), share.apply(name));
    return EdgeProcess.in(directory.resolve(folder), originUrl)
        .threads(1)
        .memory("32MiB")
        .noisy()
        .jvm("-Xmx192m", "-XX:TieredStopAtLevel=1")
        .config(
            ClusterYaml.of(
                    "test",
                    name,
                    certificates,
                    etcd,
                    "  purge: {%s}\n  secret-file: \"%s\"\n".formatted(purge, secret(name))
                        + sharing)
                + more);
  }

  /** Makes a secret of a cluster. */
  static void writeSecret(Path file) throws IOException {
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    Files.writeString(file, Base64.getEncoder().encodeToString(secret) + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  /** The file that all nodes have, unless there is one of this node. */
  private Path secret(String name) {
    Path own = directory.resolve("secret-" + name);
    return Files.exists(own) ? own : directory.resolve("secret");
  }

  EtcdFixture etcd() {
    return etcd;
  }

  EdgeProcess edge(int number) {
    return edges.get(number);
  }

  int size() {
    return edges.size();
  }

  /** Purges a tag by a node; the answer, whatever it is. */
  static JsonNode purge(EdgeProcess edge, String tag, int waitMillis)
      throws IOException, InterruptedException {
    return JsonMapper.shared()
        .readTree(
            edge.adminPost(
                    "/v1/purge",
                    "{\"tags\":[\""
                        + tag
                        + "\"],\"wait\":\"all\",\"waitMillis\":"
                        + waitMillis
                        + "}")
                .body());
  }

  static void awaitReady(EdgeProcess edge) {
    Await.until("the node is ready", () -> edge.admin("/readyz").statusCode() == 200);
  }

  @Override
  public void close() throws Exception {
    try {
      for (EdgeProcess edge : edges) {
        if (edge.isAlive()) {
          edge.kill();
        }
        edge.close();
      }
    } finally {
      etcd.close();
    }
  }
}
