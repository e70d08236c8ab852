package io.forebay.server.cluster.fleet;

import io.forebay.server.cluster.Cluster;
import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.fleet.FleetException.Kind;
import io.forebay.server.cluster.fleet.FleetStore.Current;
import io.forebay.server.cluster.fleet.LastGoodDocument.Stored;
import io.forebay.server.cluster.member.ClusterKeyspace;
import io.forebay.server.cluster.member.FleetConfigState;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.config.ClusterConfig;
import io.forebay.server.config.ConfigText;
import io.forebay.server.config.ConfigView;
import io.forebay.server.tls.TlsException;
import io.forebay.server.tls.acme.AcmeOrderGroup;
import io.forebay.storage.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fleet's configuration on one node: takes the orders of operators, and runs the agent that
 * carries out the roll-out here. Any thread that may block.
 */
public final class FleetConfig implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FleetConfig.class);
  private static final Duration CANARY_BAKE = Duration.ofMinutes(5);

  /** Held while one order is carried out: orders at one node run one after the other. */
  private final Object orders = new Object();

  private final EtcdClient etcd;
  private final ClusterKeyspace keys;
  private final FleetStore store;
  private final Membership membership;
  private final FleetNode node;
  private final FleetDirectory trials;
  private final LastGoodDocument lastGood;

  /** For a push that follows: what is refused, and what is only checked, never gets into etcd. */
  private final UploadedParts uploaded = new UploadedParts();

  private final FleetAgent agent;
  private final Clock clock;
  private final LongSupplier nanoTime;

  FleetConfig(
      EtcdClient etcd,
      ClusterKeyspace keys,
      Membership membership,
      FleetNode node,
      FleetTls tls,
      Path data,
      ConfigText.@Nullable Fleet started,
      Clock clock,
      LongSupplier nanoTime) {
    FleetDirectory directory = new FleetDirectory(data);
    this.etcd = etcd;
    this.keys = keys;
    this.nanoTime = nanoTime;
    this.store = new FleetStore(etcd, keys);
    this.lastGood = new LastGoodDocument(directory.root(), keys.cluster());
    this.membership = membership;
    this.node = node;
    this.trials = new FleetDirectory(data.resolve("fleet-trial"));
    this.clock = clock;
    this.agent =
        new FleetAgent(
            membership,
            node,
            new SharedTickets(etcd, keys, tls, new SecureRandom(), clock, nanoTime),
            new SharedChallenges(etcd, keys, membership, tls, nanoTime),
            new ActiveDocument(store, node, directory, lastGood, started, nanoTime),
            new StageTraffic(node::traffic, nanoTime),
            new RolloutController(store, membership, nanoTime, clock));
    // Before the first order: the ACME server may send its validation to any node.
    tls.confirmed(FleetTls.Challenges.NONE, List.of());
  }

  /**
   * Starts the agent.
   *
   * @param started the document of this start; null for none
   * @throws IOException when etcd's certificates cannot be read
   */
  public static FleetConfig start(
      ClusterConfig config,
      Membership membership,
      FleetNode node,
      FleetTls tls,
      Path data,
      ConfigText.@Nullable Fleet started,
      Clock clock)
      throws IOException {
    EtcdClient etcd;
    try {
      etcd = new EtcdClient(Cluster.etcd(config.log()));
    } catch (TlsException e) {
      throw new IOException("cluster: " + String.join("; ", e.lines()), e);
    }
    FleetConfig fleet =
        new FleetConfig(
            etcd,
            new ClusterKeyspace(config.name()),
            membership,
            node,
            tls,
            data,
            started,
            clock,
            System::nanoTime);
    fleet.agent.start();
    return fleet;
  }

  /**
   * The groups of nodes that order certificates together, by authority.
   *
   * @param secret of the cluster
   */
  public Function<String, AcmeOrderGroup> orderGroups(ClusterConfig.SharedSecret secret) {
    if (PrivateFiles.isReadableByAll(secret.file())) {
      LOG.warn(
          "{} can be read by every user of this machine, and decrypts the private keys that the"
              + " nodes share: remove that permission (chmod 600)",
          secret.file());
    }
    List<byte[]> decoded =
        secret.keys().stream().map(key -> Base64.getDecoder().decode(key.value())).toList();
    CertificateCipher cipher = new CertificateCipher(decoded, new SecureRandom());
    return authority ->
        new FleetOrderGroup(etcd, keys, authority, membership, cipher, clock, nanoTime);
  }

  /** For what steps it without its thread. */
  FleetAgent agent() {
    return agent;
  }

  /** The version in force here; 0 for none. Never blocks. */
  public long version() {
    return agent.version();
  }

  /** Whether this node has begun to give the answers of other nodes to ACME validations. */
  public boolean isAnswering() {
    return agent.isAnswering();
  }

  /** A problem that an operator should know of; null for none. Never blocks. */
  public @Nullable String problem() {
    return agent.problem();
  }

  // --- orders -----------------------------------------------------------------------------------

  /**
   * Takes a part of a document that will be pushed to this node.
   *
   * @return its hash
   */
  public String part(String text) throws FleetException {
    String hash = DocumentParts.hashOf(text);
    uploaded.add(hash, text);
    return hash;
  }

  /**
   * A push of a document.
   *
   * @param manifest hash of the manifest
   * @param stages empty for the default: this node for five minutes, then all
   * @param author the name in the audit log
   * @param isDryRun whether the node only checks the document
   */
  public record Push(
      String manifest,
      List<RolloutStage> stages,
      RolloutGuard guard,
      String note,
      String author,
      boolean isDryRun) {}

  /**
   * The outcome of a push.
   *
   * @param version 0 for a dry run
   * @param changed keys that differ from those in force on this node
   */
  public record Pushed(long version, List<String> changed, List<RolloutStage> stages) {}

  /** Checks a document here, and begins to roll it out. */
  public Pushed push(Push push) throws FleetException {
    synchronized (orders) {
      return ask(() -> {
        Current current = store.current();
        if (current.rollout().isRolling() && !push.isDryRun()) {
          throw rolling(current.rollout());
        }
        requireKnown(push.stages());
        Map<String, String> parts = uploaded.all();
        FleetDocument document = store.document(push.manifest(), parts);
        Set<String> hashes = store.hashes(push.manifest(), parts);
        uploaded.remove(hashes);
        List<String> changed = check(push.manifest(), document);
        List<RolloutStage> stages =
            push.stages().isEmpty()
                ? List.of(
                    new RolloutStage("", List.of(membership.self().name()), CANARY_BAKE),
                    RolloutStage.all())
                : push.stages();
        if (push.isDryRun()) {
          return new Pushed(0, changed, stages);
        }
        List<DocumentVersion> added = new ArrayList<>();
        Rollout before = current.revision() == 0 ? resume(added) : current.rollout();
        long version = 1 + highest(before);
        String at = now();
        // After the roll-out was read: parts that another push collects fail this one below.
        for (String hash : hashes) {
          String text = parts.get(hash);
          if (text != null) {
            store.putPart(hash, text);
          }
        }
        DocumentVersion pushed =
            new DocumentVersion(
                version,
                push.author(),
                at,
                push.note(),
                document.files().size(),
                document.size(),
                push.manifest());
        added.add(pushed);
        Rollout next = before.begin(id(), version, stages, push.guard(), push.author(), at);
        if (!store.add(added, next, current.revision())) {
          throw overtaken();
        }
        collect();
        return new Pushed(version, changed, stages);
      });
    }
  }

  /**
   * etcd has no roll-out: it is new, or was emptied. In the latter case nodes that no stage has
   * reached would lose what they have, so the last good document of this node becomes a version.
   *
   * @param added gets it
   */
  private Rollout resume(List<DocumentVersion> added)
      throws EtcdException, InterruptedException, FleetException {
    Stored good = lastGood.load();
    if (good == null) {
      for (NodeReport report : reports()) {
        if (report.version() > 0 && !report.node().equals(membership.self().name())) {
          throw new FleetException(
              Kind.CONFLICT,
              "etcd has lost the fleet's configuration, and "
                  + report.node()
                  + " still has version "
                  + report.version()
                  + ": push to that node, so that others keep what they have meanwhile");
        }
      }
      return Rollout.NONE;
    }
    DocumentParts parts = DocumentParts.of(good.document());
    for (Map.Entry<String, String> part : parts.texts().entrySet()) {
      store.putPart(part.getKey(), part.getValue());
    }
    added.add(
        new DocumentVersion(
            good.version(),
            membership.self().name(),
            now(),
            "found on a node",
            good.document().files().size(),
            good.document().size(),
            parts.manifest()));
    return Rollout.resumed(good.version());
  }

  /** The highest number that is known to have been given to a version. */
  private long highest(Rollout rollout) throws EtcdException, InterruptedException {
    List<DocumentVersion> versions = store.versions();
    long highest = versions.isEmpty() ? 0 : versions.getLast().version();
    for (NodeReport report : reports()) {
      highest = Math.max(highest, Math.max(report.version(), report.failed()));
    }
    highest = Math.max(highest, Math.max(version(), rollout.version()));
    return Math.max(highest, Math.max(rollout.previous(), rollout.failed()));
  }

  private void requireKnown(List<RolloutStage> stages) throws FleetException {
    for (RolloutStage stage : stages) {
      if (!stage.group().isEmpty()
          && membership.known().stream().noneMatch(one -> one.group().equals(stage.group()))) {
        throw FleetException.wrong("the cluster has no group " + stage.group());
      }
      for (String name : stage.nodes()) {
        if (membership.known().stream().noneMatch(member -> member.name().equals(name))) {
          throw FleetException.wrong("the cluster has no node " + name);
        }
      }
    }
  }

  private List<String> check(String manifest, FleetDocument document)
      throws FleetException, IOException {
    // In a place of its own: the agent may have the same document in force.
    try {
      Path main = trials.unpack(0, manifest, document);
      FleetNode.Check check = node.check(new ConfigText.Fleet(main.toString(), 0));
      if (!check.errors().isEmpty()) {
        throw new FleetException(
            Kind.REFUSED, "the document is refused, nothing has changed", check.errors());
      }
      return check.changed();
    } finally {
      trials.keep(Set.of());
    }
  }

  private void collect() throws InterruptedException {
    try {
      store.collect();
    } catch (EtcdException | FleetException e) {
      LOG.info("old versions of the fleet's document stay for now: {}", e.getMessage());
    }
  }

  /**
   * Ends the present stage of the roll-out and begins the next one. Two operators who give the
   * order at once, or one after the other, end one stage: where an operator has begun the present
   * stage, the order has to name it.
   *
   * @param stage the index of the stage to end, as the operator saw it; -1 where the order names
   *     none
   */
  public Rollout promote(int stage, String author) throws FleetException {
    return change(rollout -> {
      if (!rollout.isRolling()) {
        throw new FleetException(
            Kind.CONFLICT, "no version is being rolled out: " + rollout.summary());
      }
      if (stage >= 0 && stage != rollout.stage()) {
        throw new FleetException(
            Kind.CONFLICT,
            "stage " + (stage + 1) + " is not the present one: " + rollout.summary());
      }
      if (stage < 0 && rollout.isPromoted()) {
        throw new FleetException(
            Kind.CONFLICT,
            rollout.summary()
                + ": name this stage (promote "
                + (rollout.stage() + 1)
                + ") to end it");
      }
      return rollout.promote(RolloutPlan.others(rollout, reports()), author, now());
    });
  }

  /**
   * Gives up the roll-out, or goes back to an earlier version where there is none.
   *
   * @param to the version to go back to; 0 for no document; -1 for the one before
   */
  public Rollout rollback(long to, String author) throws FleetException {
    return change(rollout -> {
      if (rollout.isRolling()) {
        if (to >= 0 && to != rollout.version()) {
          throw rolling(rollout);
        }
        return rollout.giveUp("rolled back by an operator", author, now());
      }
      if (to < 0 && rollout.isRolledBack()) {
        throw new FleetException(
            Kind.CONFLICT,
            "the fleet is back at version "
                + rollout.version()
                + " already: name the version to go to");
      }
      long target = to < 0 ? rollout.previous() : to;
      if (target == rollout.version()) {
        throw new FleetException(
            Kind.CONFLICT,
            target == 0 ? "there is no document" : "version " + target + " is in force");
      }
      if (target > 0) {
        DocumentVersion ignored = store.version(target);
      }
      return rollout.goBack(id(), target, author, now());
    });
  }

  private interface Change {
    Rollout of(Rollout rollout)
        throws FleetException, EtcdException, IOException, InterruptedException;
  }

  private Rollout change(Change change) throws FleetException {
    synchronized (orders) {
      return ask(() -> {
        Current current = store.current();
        Rollout next = change.of(current.rollout());
        if (!store.change(next, current.revision())) {
          throw overtaken();
        }
        return next;
      });
    }
  }

  private static FleetException rolling(Rollout rollout) {
    return new FleetException(
        Kind.CONFLICT, rollout.summary() + ": wait, or promote it or roll it back");
  }

  /** What etcd has now, so that the operator can tell whether the order is still needed. */
  private FleetException overtaken() throws EtcdException, FleetException, InterruptedException {
    return new FleetException(
        Kind.CONFLICT, "another change came first: " + store.current().rollout().summary());
  }

  // --- questions --------------------------------------------------------------------------------

  /**
   * The state of the fleet.
   *
   * @param versions all versions that are kept, the oldest first
   */
  public record State(Rollout rollout, List<DocumentVersion> versions, List<NodeReport> nodes) {}

  public State state() throws FleetException {
    return ask(() -> new State(store.current().rollout(), store.versions(), reports()));
  }

  private List<NodeReport> reports() {
    FleetConfigState state = membership.config();
    return state == null ? List.of() : RolloutController.reports(state);
  }

  /** The difference between two versions as this node loads them; 0 for no document. */
  public List<ConfigView.Change> changes(long from, long to) throws FleetException {
    synchronized (orders) {
      return ask(() -> {
        try {
          return node.changes(trial(from), trial(to));
        } catch (IllegalStateException e) {
          throw new FleetException(Kind.CONFLICT, String.valueOf(e.getMessage()));
        } finally {
          trials.keep(Set.of());
        }
      });
    }
  }

  private ConfigText.@Nullable Fleet trial(long version)
      throws FleetException, EtcdException, IOException, InterruptedException {
    if (version == 0) {
      return null;
    }
    DocumentVersion stored = store.version(version);
    Path main = trials.unpack(version, stored.manifest(), store.document(stored.manifest()));
    return new ConfigText.Fleet(main.toString(), version);
  }

  private interface Question<T> {
    T ask() throws FleetException, EtcdException, IOException, InterruptedException;
  }

  private static <T> T ask(Question<T> question) throws FleetException {
    try {
      return question.ask();
    } catch (EtcdException e) {
      throw new FleetException(
          Kind.UNAVAILABLE,
          e.kind() == EtcdException.Kind.UNAVAILABLE
              ? "etcd cannot be asked: " + e.getMessage()
              : String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new FleetException(Kind.UNAVAILABLE, "a file cannot be written: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FleetException(Kind.UNAVAILABLE, "interrupted");
    }
  }

  private String now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static String id() {
    byte[] bytes = new byte[8];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Override
  public void close() {
    agent.close();
    etcd.close();
  }
}
