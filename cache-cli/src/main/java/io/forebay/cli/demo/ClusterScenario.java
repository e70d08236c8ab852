package io.forebay.cli.demo;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.EdgeProcess;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.ScratchDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The steps of the demo of a cluster, while readers look for purged articles on every node:
 *
 * <pre>
 *                    etcd-1  etcd-2  etcd-3      purges, members
 *                       │       │       │
 *   fra  edge-1 edge-2 edge-3   ams  edge-4 edge-5
 *                └──────┬──────────────┘
 *                      hub                       shield
 *                       │
 *                    origin
 * </pre>
 */
final class ClusterScenario implements AutoCloseable {
  static final long MEMORY_MIB = 6 * 32;

  private static final int ARTICLES = 60;
  private static final int MISSED = 20;
  private static final int LOOK_MILLIS = 50;
  private static final int PATIENCE_SECONDS = 60;
  private static final String SHIELD = "hub";

  private final Output output;
  private final ArticleOrigin origin;
  private final DemoSteps steps;
  private final List<DemoNode> edges = new ArrayList<>();

  /** The edges and the shield. */
  private final List<DemoNode> nodes = new ArrayList<>();

  private @Nullable EtcdMembers etcd;
  private @Nullable ArticleReaders readers;

  ClusterScenario(Output output) throws IOException {
    this.output = output;
    this.origin = new ArticleOrigin(ARTICLES);
    this.steps = new DemoSteps(output, origin::requests);
  }

  /** Runs all steps; true when each did as it promises. */
  boolean run(ScratchDirectory scratch) throws IOException, InterruptedException {
    start(scratch);
    steps.run(
        "warm",
        ARTICLES + " articles at each of five edges; the shield alone asks the origin",
        this::warm);
    try (ArticleReaders running = new ArticleReaders(edges, ARTICLES)) {
      readers = running;
      steps.run(
          "purge",
          "one article at one edge; once acknowledged, no edge serves it again",
          this::purge);
      steps.run(
          "kill",
          "kill -9 edge-5, then purge: the receipt says that it cannot serve what is purged",
          this::kill);
      steps.run(
          "return",
          "edge-5 starts with what it has stored and applies what it missed before it is ready",
          this::comeBack);
      steps.run(
          "drain",
          "edge-1 drains edge-4: load balancers see that it is not ready; then it is used again",
          this::drain);
      steps.run(
          "config",
          "a configuration with a mistake goes to edge-2 first, and takes itself back",
          this::rollOut);
      steps.run(
          "readers", "nobody has read an article that was purged", this::nothingPurgedWasRead);
    }
    return steps.haveSucceeded();
  }

  /** The edges in the order of their names, then the shield. */
  List<DemoNode> nodes() {
    return nodes;
  }

  /** Whether all nodes run; they only end by themselves when something is wrong. */
  boolean areNodesAlive() {
    return nodes.stream().allMatch(DemoNode::isAlive);
  }

  static int version(Viewer.Got got) throws IOException {
    String text = new String(got.body(), StandardCharsets.US_ASCII);
    if (!text.matches("[0-9]{1,9}")) {
      throw new IOException("not an article: " + text);
    }
    return Integer.parseInt(text);
  }

  private void start(ScratchDirectory scratch) throws IOException, InterruptedException {
    EtcdMembers log = EtcdMembers.start(scratch.data());
    etcd = log;
    Path keys = scratch.data().resolve("tls");
    try (DemoCertificates certificates = new DemoCertificates(keys)) {
      for (int i = 1; i <= 5; i++) {
        edges.add(
            node(
                "edge-" + i,
                "group: " + (i <= 3 ? "fra" : "ams") + ", shield: " + SHIELD,
                certificates,
                log,
                scratch));
      }
      nodes.addAll(edges);
      nodes.add(node(SHIELD, "group: " + SHIELD + ", tier: 1", certificates, log, scratch));
    }
    long from = System.nanoTime();
    startAll();
    long took = System.nanoTime() - from;
    output.line("");
    output.line("  etcd    " + log.endpoints().replace(",", ", "));
    output.line("  origin  " + origin.url());
    for (DemoNode node : nodes) {
      output.line("  " + node.name() + "  " + node.url() + ", admin " + node.adminUrl());
    }
    output.line("  all ready after " + DemoSteps.millis(took));
    output.json(
        new DemoSteps.Step("start", true, took / 1e6, origin.requests(), nodes.getFirst().url()));
  }

  private DemoNode node(
      String name,
      String place,
      DemoCertificates certificates,
      EtcdMembers log,
      ScratchDirectory scratch)
      throws IOException, InterruptedException {
    return new DemoNode(
        name,
        place,
        origin.url(),
        log.endpoints(),
        certificates.issue(name, "forebay://demo/" + name),
        scratch);
  }

  private void startAll() throws IOException, InterruptedException {
    List<Callable<EdgeProcess>> starts = new ArrayList<>();
    nodes.forEach(node -> starts.add(node::start));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<EdgeProcess> started : threads.invokeAll(starts)) {
        started.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException refused) {
        throw refused;
      }
      throw new IOException("an edge did not start", e.getCause());
    }
    for (DemoNode node : nodes) {
      await(node.name() + " is ready", () -> isReady(node));
    }
    for (DemoNode node : nodes) {
      await(node.name() + " knows the others", () -> knowsAll(node));
    }
  }

  /** A node that is asked for the others knows those that it names. */
  private boolean knowsAll(DemoNode node) {
    int alive = 0;
    for (JsonNode one : node.admin().get("/v1/cluster").path("nodes")) {
      alive += one.path("alive").asBoolean(false) ? 1 : 0;
    }
    return alive == nodes.size();
  }

  private static boolean isReady(DemoNode node) {
    try {
      JsonNode ignored = node.admin().get("/v1/ready");
      return true;
    } catch (CommandException notReady) {
      return false;
    }
  }

  private String warm() throws IOException {
    long before = origin.requests();
    for (DemoNode node : edges) {
      for (int i = 0; i < ARTICLES; i++) {
        expectVersion(node, i, 1);
      }
    }
    for (DemoNode node : edges) {
      Viewer.Got got = node.get(ArticleOrigin.path(0));
      DemoSteps.expect(got.isHit(), node.name() + " has no hit: " + got.field("cache-status"));
    }
    long fetched = origin.requests() - before;
    // A node that is slow to answer is passed by, so it may be a few more.
    DemoSteps.expect(fetched < 2 * ARTICLES, "the origin got " + fetched + " requests");
    return "%d requests, all answers identical; the origin got %d"
        .formatted(ARTICLES * edges.size(), fetched);
  }

  private String purge() throws IOException {
    long from = System.nanoTime();
    JsonNode receipt = publishAndPurge(0);
    long took = System.nanoTime() - from;
    for (DemoNode node : edges) {
      expectVersion(node, 0, 2);
    }
    return "receipt after %s, confirmed by %s; all serve version 2"
        .formatted(DemoSteps.millis(took), names(receipt, "confirmed"));
  }

  private String kill() throws IOException, InterruptedException {
    edges.getLast().kill();
    long from = System.nanoTime();
    JsonNode receipt = publishAndPurge(1);
    DemoSteps.expect(
        names(receipt, "fenced").contains("edge-5"),
        "the receipt does not call edge-5 fenced: " + receipt);
    for (int i = 2; i <= MISSED; i++) {
      JsonNode ignored = publishAndPurge(i);
    }
    long took = System.nanoTime() - from;
    return "%d purges after %s, confirmed by %s, fenced: %s"
        .formatted(
            MISSED, DemoSteps.millis(took), names(receipt, "confirmed"), names(receipt, "fenced"));
  }

  private JsonNode publishAndPurge(int article) throws IOException {
    int version = origin.publish(article);
    JsonNode receipt = purge(nodes.getFirst(), article);
    readers().onAcknowledged(article, version);
    return receipt;
  }

  private String comeBack() throws IOException, InterruptedException {
    DemoNode node = edges.getLast();
    EdgeProcess started = node.start();
    await(node.name() + " is ready", () -> isReady(node));
    for (int i = 0; i <= MISSED; i++) {
      expectVersion(node, i, 2);
    }
    int hits = 0;
    for (int i = MISSED + 1; i < ARTICLES; i++) {
      Viewer.Got got = node.get(ArticleOrigin.path(i));
      hits += got.isHit() ? 1 : 0;
    }
    DemoSteps.expect(hits == ARTICLES - MISSED - 1, "only " + hits + " hits");
    return "listening after %s; the %d purged articles are new, the other %d are hits"
        .formatted(DemoSteps.millis(started.startNanos()), MISSED + 1, hits);
  }

  private String drain() throws IOException, InterruptedException {
    DemoNode drained = edges.get(3);
    Map<String, String> order = Map.of("node", drained.name());
    JsonNode ignored = nodes.getFirst().admin().post("/v1/cluster/drain", order);
    await(drained.name() + " is not ready", () -> !isReady(drained));
    expectVersion(drained, 0, 2);
    JsonNode undrained = nodes.getFirst().admin().post("/v1/cluster/undrain", order);
    await(drained.name() + " is ready", () -> isReady(drained));
    return "it kept answering requests; "
        + undrained.path("node").asString("?")
        + " is ready again";
  }

  private String rollOut() throws IOException, InterruptedException {
    DemoNode canary = edges.get(1);
    String path = ArticleOrigin.path(FaultyRollout.ARTICLE);
    FaultyRollout rollout = new FaultyRollout(edges.getFirst().admin());
    rollout.push(canary.name());
    await("edge-2 has the new version", () -> canary.get(path).status() == 503);
    long from = System.nanoTime();
    await("it is given up", rollout::isGivenUp);
    await("edge-2 has the version before", () -> canary.get(path).status() == 200);
    long took = System.nanoTime() - from;
    for (DemoNode node : edges) {
      expectVersion(node, FaultyRollout.ARTICLE, 2);
    }
    return "rolled back %s after edge-2 had it: %s"
        .formatted(DemoSteps.millis(took), rollout.reason());
  }

  private String nothingPurgedWasRead() throws IOException {
    ArticleReaders running = readers();
    DemoSteps.expect(
        running.staleReads() == 0, running.staleReads() + " reads gave what was purged before");
    return "%,d reads, none older than an acknowledged purge; %d without an answer, %d of the mistake's 503"
        .formatted(running.reads(), running.failures(), running.errors());
  }

  private ArticleReaders readers() {
    ArticleReaders running = readers;
    if (running == null) {
      throw new IllegalStateException("no readers yet");
    }
    return running;
  }

  /** Purges an article by a node; the cluster's part of the receipt. */
  private static JsonNode purge(DemoNode node, int article) throws IOException {
    JsonNode answer =
        node.admin()
            .post("/v1/purge", Map.of("tags", List.of(ArticleOrigin.tag(article)), "wait", "all"));
    JsonNode receipt = answer.path("cluster");
    DemoSteps.expect(
        receipt.path("acknowledged").asBoolean(false), "the purge is pending: " + receipt);
    return receipt;
  }

  private static String names(JsonNode receipt, String state) {
    StringJoiner names = new StringJoiner(", ");
    receipt.path(state).forEach(name -> names.add(name.asString("?")));
    return names.toString();
  }

  private static void expectVersion(DemoNode node, int article, int version) throws IOException {
    Viewer.Got got = node.get(ArticleOrigin.path(article));
    DemoSteps.expect(got.status() == 200, node.name() + " answers " + got.status());
    DemoSteps.expect(
        version(got) == version,
        node.name() + " serves version " + version(got) + " instead of " + version);
  }

  private interface Condition {
    boolean holds() throws IOException;
  }

  private static void await(String what, Condition condition)
      throws IOException, InterruptedException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.holds()) {
      DemoSteps.expect(System.nanoTime() < until, "not within a minute: " + what);
      Thread.sleep(LOOK_MILLIS);
    }
  }

  @Override
  public void close() {
    nodes.forEach(DemoNode::close);
    if (etcd != null) {
      etcd.close();
    }
    origin.close();
  }
}
