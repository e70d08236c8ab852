package io.forebay.server.cluster;

import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.EtcdSettings;
import io.forebay.server.cluster.member.Fence;
import io.forebay.server.cluster.member.LogHead;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.cluster.peer.ObjectPeers;
import io.forebay.server.cluster.purge.GroupInvalidations;
import io.forebay.server.cluster.purge.LocalPurges;
import io.forebay.server.cluster.purge.LoggedPurges;
import io.forebay.server.cluster.purge.PurgeLog;
import io.forebay.server.cluster.purge.PurgeOutbox;
import io.forebay.server.cluster.purge.Receipt;
import io.forebay.server.config.ClusterConfig;
import io.forebay.server.config.ClusterConfig.Copies;
import io.forebay.server.config.ClusterConfig.LogDown;
import io.forebay.server.config.ClusterConfig.Wait;
import io.forebay.server.peer.PeerDirectory;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.server.purge.PurgeRefusedException.Refusal;
import io.forebay.server.tls.TlsException;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgePosition;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * This node's part in a cluster. The server opens it before it serves anything from the store, and
 * closes it after the last request. Any thread that may block, unless a method says otherwise.
 */
public final class Cluster implements AutoCloseable {
  /** Code of the problem that an operator drains the node. */
  public static final String DRAINING = "cluster-draining";

  /** Half of the patterns that a node can have in force: others may be on their way. */
  private static final int MAX_PATTERNS = 32;

  private final ClusterParts parts;
  private final LoggedPurges purges;
  private final LocalPurges here;
  private final ClusterNodes nodes;
  private final AtomicLong published = new AtomicLong();
  private final AtomicLong unacknowledged = new AtomicLong();
  private final AtomicLong confirmNanos = new AtomicLong();

  /**
   * Joins a cluster. If etcd does not answer, the node starts all the same: it is not ready, and
   * validates stored objects before it uses them.
   *
   * @param node the name of this one
   * @param dataIdentity tells data directories apart
   * @param here purges of this node alone
   * @param data the data directory, whose lock the caller has
   * @throws IOException when the configuration cannot be used, or another node has the name
   */
  public static Cluster start(
      ClusterConfig config,
      String node,
      String dataIdentity,
      String version,
      LoggedPurges purges,
      LocalPurges here,
      Path data,
      Clock clock)
      throws IOException {
    return new Cluster(
        ClusterParts.start(config, node, dataIdentity, version, purges, data, clock), purges, here);
  }

  private Cluster(ClusterParts parts, LoggedPurges purges, LocalPurges here) {
    this.parts = parts;
    this.purges = purges;
    this.here = here;
    this.nodes = new ClusterNodes(parts);
  }

  /**
   * The nodes that share objects with this one, kept up to date from now on; null where it shares
   * none.
   *
   * @param begun up to where purges have begun to take effect here
   * @param applied up to where they are in force here
   */
  public @Nullable ObjectPeers shareObjects(
      Supplier<@Nullable PurgePosition> begun, Supplier<@Nullable PurgePosition> applied)
      throws IOException {
    Member self = parts.membership.self();
    if (self.share() == null) {
      return null;
    }
    try {
      ClusterConfig.Share share = parts.config.share();
      ObjectPeers peers =
          new ObjectPeers(
              parts.config.name(),
              self,
              share.shield(),
              ClusterParts.credentials(parts.config.tls()),
              new PeerDirectory(
                  parts.config.name(),
                  self.name(),
                  share.tier(),
                  begun,
                  applied,
                  share.copies() == Copies.MEMORY,
                  parts.fence::isPast,
                  parts.outbox::isInLog));
      parts.membership.observe(peers::update);
      peers.update(parts.membership.known());
      return peers;
    } catch (TlsException e) {
      throw new IOException("cluster: " + String.join("; ", e.lines()), e);
    }
  }

  /** The settings of the client of etcd, from the configuration. */
  public static EtcdSettings etcd(ClusterConfig.Log log) throws IOException, TlsException {
    return ClusterParts.etcd(log);
  }

  /** Takes groups of responses that clients invalidate here to all nodes. */
  public GroupInvalidations groupInvalidations() {
    return parts.groups;
  }

  /** The nodes in etcd, and the state of the configuration that they report. */
  public Membership membership() {
    return parts.membership;
  }

  /** The time until which loops may use stored objects. */
  public Fence fence() {
    return parts.fence;
  }

  /** Why the node should get no traffic. */
  public record Problem(String code, String detail) {}

  /** Why the node should get no traffic; null where it may. Never blocks. */
  public @Nullable Problem problem() {
    String journal = parts.applier.journalProblem();
    if (journal != null) {
      return new Problem("purge-log", journal);
    }
    if (parts.heartbeat.isNameTaken()) {
      return new Problem("cluster-name", String.valueOf(parts.heartbeat.problem()));
    }
    if (Double.isNaN(parts.heartbeat.proofAgeSeconds())) {
      return new Problem(
          "catching-up", "purges may be missing: " + String.valueOf(parts.heartbeat.problem()));
    }
    // With serve the node stays in service, and its receipts say so.
    if (parts.fence.isPast(System.nanoTime())) {
      return new Problem("cut-off", whyUnproven());
    }
    return isDraining()
        ? new Problem(DRAINING, "an operator drains the node, see forebay cluster undrain")
        : null;
  }

  private boolean isDraining() {
    LogHead head = parts.heartbeat.head();
    return head != null && head.isDraining();
  }

  /** Why the last proof is old: the latest attempt failed, or the next one is late. */
  private String whyUnproven() {
    String problem = parts.heartbeat.problem();
    return problem == null ? "the next proof is late" : problem;
  }

  /**
   * A problem that an operator should look at, although the node serves; null for none. Never
   * blocks.
   */
  public @Nullable Problem warning() {
    return problem() == null && parts.fence.isProofOld(System.nanoTime())
        ? new Problem("cut-off", whyUnproven())
        : null;
  }

  /**
   * Writes purges to the log and waits for the nodes that they need.
   *
   * @param wait null: as configured
   * @param most null: as configured
   * @throws PurgeRefusedException when etcd refused them, or did not answer, so that they may be
   *     written; the caller may repeat them
   */
  public Receipt purge(List<PurgeOrder> orders, @Nullable Wait wait, @Nullable Duration most)
      throws PurgeRefusedException {
    if (orders.stream()
            .anyMatch(order -> order.kind() == PurgeKind.PATTERN || order.storedBefore() != null)
        && purges.patternsInForce() >= MAX_PATTERNS) {
      throw new PurgeRefusedException(
          MAX_PATTERNS
              + " purges by pattern are in force until the store is swept for them: wait, or purge"
              + " by prefix, tag or host",
          Refusal.FOR_NOW);
    }
    // An undo that waits would be undone itself by nothing: it is refused where the log is down.
    boolean isUndo = orders.stream().anyMatch(order -> order.kind() == PurgeKind.UNDO);
    if (isUndo && parts.outbox.size() > 0) {
      throw new PurgeRefusedException(
          "purges of this node wait for the log: undo once the log has them", Refusal.FOR_NOW);
    }
    boolean isQueueing = !isUndo && parts.config.purge().logDown() == LogDown.LOCAL;
    if (isQueueing && parts.outbox.size() > 0) {
      return queue(orders, "earlier purges wait for the log");
    }
    PurgePosition applied = parts.applier.applied();
    if (applied == null && isQueueing) {
      return queue(orders, String.valueOf(parts.heartbeat.problem()));
    }
    if (applied == null) {
      throw new PurgeRefusedException(
          "the node has not read the log of purges yet: " + parts.heartbeat.problem(),
          Refusal.FOR_NOW);
    }
    parts.waiting.addAndGet(orders.size());
    try {
      PurgeLog.Published written = parts.log.publish(orders, applied);
      published.addAndGet(orders.size());
      Receipt receipt =
          parts.confirmations.await(
              written.revision(),
              written.members(),
              wait == null ? parts.config.purge().waitFor() : wait,
              most == null ? parts.config.purge().waitMost() : most);
      confirmNanos.addAndGet(receipt.tookNanos());
      if (!receipt.isAcknowledged()) {
        unacknowledged.addAndGet(orders.size());
      }
      return receipt;
    } catch (EtcdException e) {
      if (isQueueing) {
        return queue(orders, String.valueOf(e.getMessage()));
      }
      throw new PurgeRefusedException(
          (e.kind() == EtcdException.Kind.UNAVAILABLE
                  ? "it is not known whether the purge is in the log, repeat it: "
                  : "the purge is not in the log: ")
              + e.getMessage(),
          Refusal.FOR_NOW);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PurgeRefusedException(
          "the wait for the purge was interrupted, repeat it", Refusal.FOR_NOW);
    } finally {
      parts.waiting.addAndGet(-orders.size());
    }
  }

  /**
   * Takes back the soft purges of a revision on all nodes, by an order of the log. A node on which
   * they cannot be undone any more keeps them in force.
   *
   * @throws PurgeRefusedException also when this node has none of that revision that can be undone
   */
  public Receipt undo(long revision, @Nullable Wait wait, @Nullable Duration most)
      throws PurgeRefusedException {
    PurgePosition applied = parts.applier.applied();
    if (applied != null && revision > applied.revision()) {
      throw new PurgeRefusedException(
          "the log of purges has not come to it on this node", Refusal.UNKNOWN);
    }
    if (purges.openAt(revision) == 0) {
      throw new PurgeRefusedException(
          "this node has no soft purge of that revision that can be undone: it is a hard one, is"
              + " undone already, or is too old; what a soft one made stale is validated with the"
              + " origin when it is next requested",
          Refusal.FINAL);
    }
    return purge(List.of(PurgeOrder.undo(revision)), wait, most);
  }

  /** Puts orders in force on this node, and queues them for the log. */
  private Receipt queue(List<PurgeOrder> orders, String why) throws PurgeRefusedException {
    long start = System.nanoTime();
    try {
      if (!parts.outbox.add(orders)) {
        throw new PurgeRefusedException(
            "the log of purges cannot be written ("
                + why
                + "), and no more than "
                + PurgeOutbox.MAX_ORDERS
                + " purges can wait for it",
            Refusal.FOR_NOW);
      }
      here.purge(orders);
    } catch (IOException e) {
      throw new PurgeRefusedException(
          "the purge could not be made durable, repeat it: " + e.getMessage(), Refusal.FOR_NOW);
    }
    unacknowledged.addAndGet(orders.size());
    String self = parts.membership.self().name();
    Map<String, String> pending = new TreeMap<>();
    for (Member member : parts.membership.known()) {
      if (!member.name().equals(self)) {
        pending.put(member.name(), "the purge is not in the log yet: " + why);
      }
    }
    return new Receipt(
        0, false, System.nanoTime() - start, List.of(self), List.of(), pending, true);
  }

  /**
   * The receipt for all purges up to a revision, after a wait of at most {@code most}; null where
   * the log has no such revision yet.
   */
  public @Nullable Receipt receipt(long revision, Duration most) throws PurgeRefusedException {
    try {
      LogHead head = parts.membership.head();
      return revision > head.newest() || parts.applier.applied() == null
          ? null
          : parts.confirmations.await(revision, parts.membership.members(), Wait.ALL, most);
    } catch (EtcdException e) {
      throw new PurgeRefusedException(String.valueOf(e.getMessage()), Refusal.FOR_NOW);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PurgeRefusedException("interrupted", Refusal.FOR_NOW);
    }
  }

  /** Name of the cluster. */
  public String name() {
    return parts.config.name();
  }

  /** Revision of the newest purge that was seen; 0 for none. Never blocks. */
  public long newest() {
    LogHead head = parts.heartbeat.head();
    return head == null ? 0 : head.newest();
  }

  /** Why the node cannot prove that it knows all purges; null when it can. Never blocks. */
  public @Nullable String proofProblem() {
    return parts.heartbeat.problem();
  }

  /** The nodes of the cluster. */
  public ClusterNodes nodes() {
    return nodes;
  }

  /** Never blocks. */
  public ClusterFigures figures() {
    List<Member> known = parts.membership.known();
    PurgePosition at = parts.applier.applied();
    return new ClusterFigures(
        known.size(),
        Math.toIntExact(known.stream().filter(Member::isAlive).count()),
        at == null ? 0 : at.revision(),
        newest(),
        parts.heartbeat.proofAgeSeconds(),
        parts.fence.isPast(System.nanoTime()),
        published.get(),
        unacknowledged.get(),
        confirmNanos.get() / 1e9,
        parts.applier.appliedPurges(),
        parts.applier.gaps(),
        parts.applier.unreadable(),
        parts.outbox.size(),
        isDraining(),
        parts.confirmations.asked(),
        parts.groups.published(),
        parts.groups.lost());
  }

  @Override
  public void close() {
    parts.close();
  }
}
