package io.forebay.server.cluster.fleet;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdClients;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.etcd.Range;
import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.fleet.FleetConfig.Push;
import io.forebay.server.cluster.fleet.FleetDocument.File;
import io.forebay.server.cluster.member.ClusterKeyspace;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.cluster.member.NodeIdentity;
import io.forebay.server.config.ClusterConfig.CutOff;
import io.forebay.server.config.ConfigText;
import io.forebay.server.config.ConfigView;
import io.forebay.testing.EtcdFixture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of a fleet that a test steps by hand, with Debian's etcd between them. Closing ends all of
 * them.
 */
final class FleetFixture implements AutoCloseable {
  static final ClusterKeyspace KEYS = new ClusterKeyspace("test");

  private final Path directory;
  private final EtcdFixture etcd;
  private final EtcdClient client;
  private final List<Node> nodes = new ArrayList<>();

  /** What is added to the clock that nodes measure time by. */
  private long laterNanos;

  FleetFixture(Path directory) throws Exception {
    this.directory = directory;
    this.etcd = EtcdFixture.start(directory.resolve("etcd"), 1);
    this.client = EtcdClients.of(etcd.endpoints());
  }

  @Override
  public void close() {
    nodes.forEach(node -> node.config.close());
    client.close();
    etcd.close();
  }

  /** A client of the test's own. */
  EtcdClient client() {
    return client;
  }

  /** The revision of etcd, which grows by one with each write. */
  long revision() throws Exception {
    return client.txn(new Txn().get("/")).revision();
  }

  /** The lease of a node ends. */
  void expire(Node node) throws Exception {
    client.revoke(node.membership.lease());
  }

  void save(Path backup) throws Exception {
    etcd.save(0, backup);
  }

  /** etcd as it was when it was saved. */
  void restore(Path backup) throws Exception {
    etcd.restore(backup);
    etcd.awaitLeader();
  }

  private long nanoTime() {
    return System.nanoTime() + laterNanos;
  }

  void later(Duration time) {
    laterNanos += time.toNanos();
  }

  Node node(String name) throws IOException {
    return node(name, Duration.ZERO);
  }

  /** A node whose clock is wrong. */
  Node node(String name, Duration wrongBy) throws IOException {
    return node(name, wrongBy, CutOff.FENCE);
  }

  /** A node that serves while it is cut off from etcd. */
  Node servingNode(String name) throws IOException {
    return node(name, Duration.ZERO, CutOff.SERVE);
  }

  private Node node(String name, Duration wrongBy, CutOff cutOff) throws IOException {
    Node node = new Node(name, wrongBy, cutOff);
    nodes.add(node);
    return node;
  }

  /** A node that has version 1, the document {@code one}. */
  Node nodeWithOne(String name) throws Exception {
    Node node = node(name);
    step(node);
    if (node.push("one", "all") != 1) {
      throw new IllegalStateException("etcd has versions already");
    }
    step(node);
    return node;
  }

  /** Rounds in which what a node reports is seen by the others. */
  void step(Node... which) throws Exception {
    for (int i = 0; i < 6; i++) {
      for (Node node : which) {
        node.step();
      }
    }
  }

  int count(String prefix) throws Exception {
    return client.names(Range.first(prefix, 100)).keys().size();
  }

  void deleteAll(String prefix) throws Exception {
    for (KeyValue kv : client.names(Range.first(prefix, 100)).keys()) {
      var ignored = client.txn(new Txn().delete(kv.key()));
    }
  }

  static FleetDocument document(String text) throws FleetException {
    return FleetDocument.of(List.of(new File("fleet.yaml", text.getBytes(StandardCharsets.UTF_8))));
  }

  /** A node whose configuration is the text of its document. */
  final class Node implements FleetNode, FleetTls {
    final Membership membership;
    final FleetConfig config;
    String inForce = "";
    boolean doesThrow;
    List<byte[]> ticketKeys = List.of();
    Challenges expected = Challenges.NONE;
    Challenges answered = Challenges.NONE;
    boolean givesAll = true;
    Challenges confirmed = Challenges.NONE;
    List<String> behind = List.of();

    private Node(String name, Duration wrongBy, CutOff cutOff) throws IOException {
      membership =
          new Membership(
              client,
              KEYS,
              new Member(name, "g", "127.0.0.1:1", cutOff, "1", true),
              new NodeIdentity(name, "b"),
              60);
      config =
          new FleetConfig(
              EtcdClients.of(etcd.endpoints()),
              KEYS,
              membership,
              this,
              this,
              Files.createDirectories(directory.resolve(name)),
              null,
              Clock.offset(Clock.systemUTC(), wrongBy),
              FleetFixture.this::nanoTime);
    }

    /** What a heartbeat and the agent do in a second. */
    void step() throws Exception {
      beat();
      config.agent().step();
      membership.keepAlive();
    }

    void beat() throws Exception {
      membership.keepAlive();
      if (!membership.head().isOwn()) {
        membership.lost();
      }
      membership.refresh();
    }

    Rollout rollout() throws FleetException {
      return config.state().rollout();
    }

    long push(String text, String... stages) throws Exception {
      return push(text, false, stages);
    }

    long push(String text, boolean isDryRun, String... stages) throws Exception {
      DocumentParts parts = DocumentParts.of(document(text));
      for (String part : parts.texts().values()) {
        var ignored = config.part(part);
      }
      List<RolloutStage> parsed = new ArrayList<>();
      for (String stage : stages) {
        parsed.add(RolloutStage.parse(stage));
      }
      return config
          .push(new Push(parts.manifest(), parsed, RolloutGuard.DEFAULT, "", "ops", isDryRun))
          .version();
    }

    @Override
    public List<String> apply(ConfigText.@Nullable Fleet document, String author) {
      inForce = document == null ? "" : read(document);
      if (doesThrow) {
        throw new IllegalStateException("half of it is in force");
      }
      return inForce.contains("wrong") ? List.of("it is wrong") : List.of();
    }

    private String read(ConfigText.Fleet document) {
      try {
        return Files.readString(Path.of(document.file()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public Check check(ConfigText.Fleet document) {
      return new Check(
          List.of(), read(document).contains("refused") ? List.of("refused") : List.of());
    }

    @Override
    public List<ConfigView.Change> changes(
        ConfigText.@Nullable Fleet before, ConfigText.@Nullable Fleet after) {
      return List.of();
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public TrafficCounts traffic() {
      return TrafficCounts.NONE;
    }

    @Override
    public Duration ticketRotation() {
      return Duration.ofHours(8);
    }

    @Override
    public int ticketKeyBytes() {
      return 48;
    }

    @Override
    public void ticketKeys(List<byte[]> keys) {
      ticketKeys = keys;
    }

    @Override
    public Challenges ownChallenges() {
      return expected;
    }

    @Override
    public boolean challenges(Challenges others) {
      answered = others;
      return givesAll;
    }

    @Override
    public void confirmed(Challenges everywhere, List<String> nodes) {
      confirmed = everywhere;
      behind = nodes;
    }
  }
}
