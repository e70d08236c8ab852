package io.forebay.server.cluster.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdSettings;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that are stepped by hand, with Debian's etcd between them. */
@Tag("full")
final class FleetConfigTest {
  private static final ClusterKeyspace KEYS = new ClusterKeyspace("test");

  @TempDir Path directory;
  private EtcdFixture etcd;
  private EtcdClient client;
  private final Map<String, Node> nodes = new HashMap<>();

  /** What is added to the clock that nodes measure time by. */
  private long laterNanos;

  @BeforeEach
  void start() throws Exception {
    etcd = EtcdFixture.start(directory.resolve("etcd"), 1);
    client = client();
  }

  @AfterEach
  void stop() {
    nodes.values().forEach(node -> node.config.close());
    client.close();
    etcd.close();
  }

  private EtcdClient client() {
    return new EtcdClient(
        new EtcdSettings(
            etcd.endpoints(), null, null, null, Duration.ofSeconds(10), Duration.ofSeconds(10)));
  }

  private long nanoTime() {
    return System.nanoTime() + laterNanos;
  }

  private void later(Duration time) {
    laterNanos += time.toNanos();
  }

  /** A node whose configuration is the text of its document. */
  private final class Node implements FleetNode, FleetTls {
    private final Membership membership;
    private final FleetConfig config;
    private String inForce = "";
    private boolean isReady = true;
    private boolean doesThrow;
    private List<byte[]> ticketKeys = List.of();

    Node(String name) throws IOException {
      this(name, Duration.ZERO);
    }

    Node(String name, Duration wrongBy) throws IOException {
      membership =
          new Membership(
              client,
              KEYS,
              new Member(name, "g", "127.0.0.1:1", CutOff.FENCE, "1", true),
              new NodeIdentity(name, "b"),
              60);
      config =
          new FleetConfig(
              client(),
              KEYS,
              membership,
              this,
              this,
              Files.createDirectories(directory.resolve(name)),
              null,
              Clock.offset(Clock.systemUTC(), wrongBy),
              FleetConfigTest.this::nanoTime);
      nodes.put(name, this);
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
      return isReady;
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
    public Map<String, String> ownChallenges() {
      return Map.of();
    }

    @Override
    public void challenges(Map<String, String> byToken) {}
  }

  private static FleetDocument document(String text) throws FleetException {
    return FleetDocument.of(List.of(new File("fleet.yaml", text.getBytes(StandardCharsets.UTF_8))));
  }

  private void step(Node... which) throws Exception {
    // What a node reports is seen by others in the next round.
    for (int i = 0; i < 6; i++) {
      for (Node node : which) {
        node.step();
      }
    }
  }

  private static Rollout rollout(Node node) throws FleetException {
    return node.config.state().rollout();
  }

  private int count(String prefix) throws Exception {
    return client.names(Range.first(prefix, 100)).keys().size();
  }

  private void deleteAll(String prefix) throws Exception {
    for (KeyValue kv : client.names(Range.first(prefix, 100)).keys()) {
      var ignored = client.txn(new Txn().delete(kv.key()));
    }
  }

  @Test
  void nodesKeepWhatTheyHaveWhereADocumentIsPushedInStagesAfterEtcdWasEmptied() throws Exception {
    Node a = new Node("a");
    Node b = new Node("b");
    step(a, b);
    assertEquals(1, a.push("one", "all"));
    step(a, b);
    deleteAll("/forebay/test/config/");
    step(a, b);
    assertEquals("one", b.inForce);

    assertEquals(2, a.push("two", "a@1h", "all"));
    step(a, b);

    assertEquals("two", a.inForce);
    assertEquals("one", b.inForce, "it is in no stage yet");
    assertEquals(1, rollout(a).version());
    var ignored = b.config.rollback(-1, "ops");
    step(a, b);
    assertEquals("one", a.inForce);
  }

  @Test
  void aNodeWithoutADocumentRefusesAPushWhereAnotherHasOneThatEtcdHasLost() throws Exception {
    Node a = new Node("a");
    step(a);
    assertEquals(1, a.push("one", "all"));
    step(a);
    deleteAll("/forebay/test/config/");
    Node b = new Node("b");
    step(a, b);

    FleetException refused = assertThrows(FleetException.class, () -> b.push("two", "b@1h"));

    assertEquals(FleetException.Kind.CONFLICT, refused.kind());
    assertTrue(String.valueOf(refused.getMessage()).contains("a still has version 1"));
    assertEquals("one", a.inForce);
  }

  @Test
  void aVersionThatHasTheNumberOfAnotherOneIsTaken() throws Exception {
    Node away = new Node("away");
    Node b = new Node("b");
    step(away, b);
    assertEquals(1, b.push("one", "all"));
    step(away, b);
    assertEquals("one", away.inForce);
    // It is cut off while etcd is emptied, and the number is given out again.
    deleteAll("/forebay/test/");
    Node c = new Node("c");
    step(c);
    assertEquals(1, c.push("another", "all"));
    step(c);

    step(away, c);

    assertEquals("another", away.inForce);
    assertEquals(
        "another",
        new String(loaded("away").document().files().getFirst().content(), StandardCharsets.UTF_8));
  }

  private LastGoodDocument.Stored loaded(String node) {
    LastGoodDocument.Stored stored =
        new LastGoodDocument(directory.resolve(node).resolve("fleet"), "test").load();
    return Objects.requireNonNull(stored);
  }

  @Test
  void aDocumentThatNoNodeCanReadGoesBack() throws Exception {
    Node a = new Node("a");
    step(a);
    assertEquals(1, a.push("one", "all"));
    step(a);
    assertEquals(2, a.push("two", "all@1h"));
    deleteAll("/forebay/test/config/part/");

    step(a);

    assertEquals(2, rollout(a).failed());
    assertTrue(rollout(a).reason().contains("is missing"), rollout(a).reason());
    assertEquals("one", a.inForce);
  }

  @Test
  void aNodeWhereADocumentFailsPutsTheOneBeforeInForceAgain() throws Exception {
    Node a = new Node("a");
    step(a);
    assertEquals(1, a.push("one", "all"));
    step(a);
    assertEquals(2, a.push("two", "all@1h"));
    a.doesThrow = true;
    a.step();
    a.doesThrow = false;
    assertEquals("two", a.inForce);

    step(a);

    assertEquals(2, rollout(a).failed());
    assertEquals("one", a.inForce);
  }

  @Test
  void whatTwoOperatorsRollBackGoesBackOnce() throws Exception {
    Node a = new Node("a");
    step(a);
    for (String text : List.of("one", "two", "three")) {
      assertNotEquals(0, a.push(text, "all"));
      step(a);
    }
    assertEquals(2, a.config.rollback(-1, "ops").version());
    FleetException again = assertThrows(FleetException.class, () -> a.config.rollback(-1, "dev"));
    assertEquals(FleetException.Kind.CONFLICT, again.kind());
    assertEquals(2, rollout(a).version(), "not forward to the version that was left");
    // Nor further back than from a roll-out that went back by itself.
    step(a);
    assertEquals(4, a.push("wrong", "all@1h"));
    step(a);
    assertEquals(4, rollout(a).failed());
    assertThrows(FleetException.class, () -> a.config.rollback(-1, "ops"));
    assertEquals(1, a.config.rollback(1, "ops").version());
  }

  @Test
  void whatIsRefusedOrOnlyCheckedLeavesNothingInEtcd() throws Exception {
    Node a = new Node("a");
    step(a);
    assertEquals(0, a.push("checked", true));
    assertThrows(FleetException.class, () -> a.push("refused"));
    assertEquals(0, count("/forebay/test/config/"));
    assertEquals(1, a.push("one", "all"));
    assertEquals(2, count("/forebay/test/config/part/"));
    assertThrows(FleetException.class, () -> a.push("two", "group:nobody"));
  }

  @Test
  void theTimeThatEtcdIsAwayIsNoBakeTime() throws Exception {
    Node a = new Node("a");
    step(a);
    assertEquals(1, a.push("one", "all@10m"));
    step(a);
    assertEquals("one", a.inForce);

    // What it knows is as old as that: nobody has seen the nodes meanwhile.
    later(Duration.ofMinutes(20));
    a.config.agent().step();

    assertEquals(1, rollout(a).candidate());
  }

  @Test
  void aWrongClockCostsOneTicketKeyAndNotOneASecond() throws Exception {
    Node right = new Node("right");
    Node wrong = new Node("wrong", Duration.ofDays(2));
    step(right, wrong);
    step(right, wrong);
    long revision = ticketRevision();
    step(right, wrong);
    assertEquals(revision, ticketRevision());
    assertEquals(2, right.ticketKeys.size());

    later(Duration.ofHours(9));
    step(right, wrong);

    assertNotEquals(revision, ticketRevision(), "they are replaced when they are due");
    assertEquals(3, right.ticketKeys.size());
  }

  private long ticketRevision() throws Exception {
    return client.txn(new Txn().get(KEYS.tickets())).read(0).findFirst().orElseThrow().revision();
  }

  @Test
  void aNodeThatIsForgottenAnswersNoValidationsAnyMore() throws Exception {
    Node a = new Node("a");
    step(a);
    var ignored =
        client.txn(
            new Txn()
                .put(KEYS.member("gone"), "{}")
                .put(KEYS.challenges("gone"), "{\"v\":1,\"answers\":{\"t\":\"t.k\"}}"));
    assertEquals(Membership.Forgotten.DONE, a.membership.forget("gone"));
    assertEquals(0, count(KEYS.challenges()));
  }

  @Test
  void theLastGoodDocumentOfAnotherClusterIsIgnored() throws Exception {
    new LastGoodDocument(directory, "staging").save(7, document("a"));
    assertNull(new LastGoodDocument(directory, "production").load());
    assertEquals(
        7, Objects.requireNonNull(new LastGoodDocument(directory, "staging").load()).version());
  }
}
