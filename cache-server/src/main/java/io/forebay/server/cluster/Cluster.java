package io.forebay.server.cluster;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.EtcdSettings;
import io.forebay.server.cluster.member.ClusterKeyspace;
import io.forebay.server.cluster.member.Fence;
import io.forebay.server.cluster.member.LogHead;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.cluster.member.Membership.Forgotten;
import io.forebay.server.cluster.member.NameTakenException;
import io.forebay.server.cluster.member.NodeIdentity;
import io.forebay.server.cluster.peer.ClusterTls;
import io.forebay.server.cluster.peer.NodeCredentials;
import io.forebay.server.cluster.peer.PeerClient;
import io.forebay.server.cluster.peer.PeerListener;
import io.forebay.server.cluster.peer.PeerName;
import io.forebay.server.cluster.purge.Confirmations;
import io.forebay.server.cluster.purge.LoggedPurges;
import io.forebay.server.cluster.purge.PurgeApplier;
import io.forebay.server.cluster.purge.PurgeCollector;
import io.forebay.server.cluster.purge.PurgeLog;
import io.forebay.server.cluster.purge.Receipt;
import io.forebay.server.config.ClusterConfig;
import io.forebay.server.config.ClusterConfig.Wait;
import io.forebay.server.config.Secret;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.server.purge.PurgeRefusedException.Refusal;
import io.forebay.server.tls.PemFile;
import io.forebay.server.tls.TlsException;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgePosition;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's part in a cluster. Opened before anything is served from the store, closed after the
 * last request. Any thread that may block, unless a method says otherwise.
 */
public final class Cluster implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);

  /** By how much a lease outlives the fence. */
  private static final long LEASE_MARGIN_SECONDS = 2;

  private static final Duration MEMBER_TIMEOUT = Duration.ofSeconds(1);

  /** Longer than an election. */
  private static final Duration ETCD_PATIENCE = Duration.ofSeconds(3);

  private static final long NAME_RETRY_MILLIS = 500;
  private static final long STATUS_MILLIS = 1;

  /** Half of the patterns that a node can have in force: others may be on their way. */
  private static final int MAX_PATTERNS = 32;

  private final ClusterConfig config;
  private final LoggedPurges purges;
  private final Fence fence;
  private final Membership membership;
  private final PurgeLog log;
  private final PurgeApplier applier;
  private final Confirmations confirmations;
  private final PeerClient peers;
  private final Heartbeat heartbeat;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final AtomicLong published = new AtomicLong();
  private final AtomicLong unacknowledged = new AtomicLong();
  private final AtomicLong confirmNanos = new AtomicLong();

  /**
   * Joins a cluster. etcd need not answer: the node is not ready then, and uses nothing that it has
   * stored without validation.
   *
   * @param node the name of this one
   * @param dataIdentity tells data directories apart
   * @throws IOException when the configuration cannot be used, or another node has the name
   */
  public static Cluster start(
      ClusterConfig config,
      String node,
      String dataIdentity,
      String version,
      LoggedPurges purges,
      Clock clock)
      throws IOException {
    Cluster cluster = null;
    try {
      cluster = new Cluster(config, node, dataIdentity, version, purges, clock);
      cluster.register();
      cluster.applier.start();
      cluster.heartbeat.start();
      return cluster;
    } catch (TlsException e) {
      throw new IOException("cluster: " + String.join("; ", e.lines()), e);
    } catch (IOException | RuntimeException e) {
      if (cluster != null) {
        cluster.close();
      }
      throw e;
    }
  }

  private Cluster(
      ClusterConfig config,
      String node,
      String dataIdentity,
      String version,
      LoggedPurges purges,
      Clock clock)
      throws IOException, TlsException {
    this.config = config;
    this.purges = purges;
    NodeCredentials credentials = credentials(config.tls());
    if (!PeerName.nodes(config.name(), credentials.chain().getFirst()).contains(node)) {
      throw new IOException(
          "cluster.tls.certificate "
              + config.tls().certificate()
              + " has no alternative name URI:"
              + PeerName.uri(config.name(), node));
    }
    ClusterConfig.Purge settings = config.purge();
    long leaseSeconds = (settings.fenceAfter().toMillis() + 999) / 1000 + LEASE_MARGIN_SECONDS;
    byte[] boot = new byte[8];
    new SecureRandom().nextBytes(boot);
    this.fence = new Fence(settings.cutOff(), settings.fenceAfter());
    boolean isDone = false;
    try {
      EtcdClient etcd = opened(new EtcdClient(etcd(config.log())));
      ClusterKeyspace keys = new ClusterKeyspace(config.name());
      this.membership =
          new Membership(
              etcd,
              keys,
              new Member(
                  node, config.group(), text(config.advertise()), settings.cutOff(), version, true),
              new NodeIdentity(dataIdentity, HexFormat.of().formatHex(boot)),
              leaseSeconds);
      this.log = new PurgeLog(etcd, keys, membership, clock);
      this.applier = new PurgeApplier(log, membership, purges, fence);
      opened.push(membership::leave);
      opened.push(applier);
      this.peers = opened(new PeerClient(config.name(), credentials));
      this.confirmations = new Confirmations(membership, applier, peers);
      PeerListener listener =
          opened(
              new PeerListener(
                  config.name(),
                  node,
                  credentials,
                  new PeerListener.OwnPosition() {
                    @Override
                    public @Nullable PurgePosition applied() {
                      return applier.applied();
                    }

                    @Override
                    public boolean await(long revision, String epoch, long nanos)
                        throws InterruptedException {
                      return applier.await(revision, epoch, nanos);
                    }
                  },
                  this::isMember));
      int port = listener.bind(bindAddress(config.listen()));
      LOG.info("cluster {}: node {} listens for other nodes on port {}", config.name(), node, port);
      this.heartbeat =
          opened(
              new Heartbeat(
                  membership,
                  applier,
                  new PurgeCollector(
                      etcd, keys, settings.keep(), settings.keepFor(), clock, boot[0]),
                  fence));
      isDone = true;
    } finally {
      if (!isDone) {
        close();
      }
    }
  }

  private <T extends AutoCloseable> T opened(T resource) {
    opened.push(resource);
    return resource;
  }

  private static NodeCredentials credentials(ClusterConfig.Tls tls) throws TlsException {
    return new NodeCredentials(
        PemFile.certificates(tls.ca()),
        PemFile.certificates(tls.certificate()),
        PemFile.privateKey(tls.key()));
  }

  private static EtcdSettings etcd(ClusterConfig.Log log) throws IOException, TlsException {
    Path ca = log.ca();
    Path certificate = log.certificate();
    Path key = log.key();
    List<X509Certificate> cas = ca == null ? List.of() : PemFile.certificates(ca);
    List<X509Certificate> chain =
        certificate == null ? List.of() : PemFile.certificates(certificate);
    PrivateKey ownKey = key == null ? null : PemFile.privateKey(key);
    Secret password = log.password();
    return new EtcdSettings(
        log.endpoints(),
        ca == null && key == null ? null : ClusterTls.toServers(cas, chain, ownKey),
        log.user(),
        password == null ? null : password.value(),
        MEMBER_TIMEOUT,
        ETCD_PATIENCE);
  }

  private static String text(Address address) {
    String host = address.host();
    return (host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host)
        + ":"
        + address.port();
  }

  private static InetSocketAddress bindAddress(Address address) throws IOException {
    InetSocketAddress bind =
        address.host().equals("*") || address.host().isEmpty()
            ? new InetSocketAddress(address.port())
            : new InetSocketAddress(address.host(), address.port());
    if (bind.isUnresolved()) {
      throw new IOException("cluster.listen: " + address.host() + " does not resolve");
    }
    return bind;
  }

  /** Waits until the lease of an earlier node of the name has ended, if there is one. */
  private void register() throws IOException {
    long deadline =
        System.nanoTime()
            + config.purge().fenceAfter().toNanos()
            + TimeUnit.SECONDS.toNanos(2 * LEASE_MARGIN_SECONDS);
    try {
      while (true) {
        try {
          membership.keepAlive();
          return;
        } catch (NameTakenException e) {
          if (System.nanoTime() >= deadline) {
            throw new IOException(e.getMessage(), e);
          }
          TimeUnit.MILLISECONDS.sleep(NAME_RETRY_MILLIS);
        }
      }
    } catch (EtcdException e) {
      LOG.warn(
          "the node starts without etcd, and is not ready until it has caught up: {}",
          e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the start was interrupted", e);
    }
  }

  private boolean isMember(String node) {
    return membership.known().stream().anyMatch(member -> member.name().equals(node));
  }

  /** Until when loops may use what is stored. */
  public Fence fence() {
    return fence;
  }

  /** Why the node should get no traffic. */
  public record Problem(String code, String detail) {}

  /** Why the node should get no traffic; null where it may. Never blocks. */
  public @Nullable Problem problem() {
    String journal = applier.journalProblem();
    if (journal != null) {
      return new Problem("purge-log", journal);
    }
    if (heartbeat.isNameTaken()) {
      return new Problem("cluster-name", String.valueOf(heartbeat.problem()));
    }
    if (Double.isNaN(heartbeat.proofAgeSeconds())) {
      return new Problem(
          "catching-up", "purges may be missing: " + String.valueOf(heartbeat.problem()));
    }
    // With serve the node stays in service, and its receipts say so.
    return fence.isPast(System.nanoTime())
        ? new Problem("cut-off", String.valueOf(heartbeat.problem()))
        : null;
  }

  /** What an operator should look at though the node serves; null for nothing. Never blocks. */
  public @Nullable Problem warning() {
    return problem() == null && fence.isProofOld(System.nanoTime())
        ? new Problem("cut-off", String.valueOf(heartbeat.problem()))
        : null;
  }

  /**
   * Writes purges to the log and waits for the nodes that they need.
   *
   * @param wait null: as configured
   * @param most null: as configured
   * @throws PurgeRefusedException when they could not be written, or it is not known whether they
   *     were; the same orders may be given again
   */
  public Receipt purge(List<PurgeOrder> orders, @Nullable Wait wait, @Nullable Duration most)
      throws PurgeRefusedException {
    if (orders.stream().anyMatch(order -> order.kind() == PurgeKind.PATTERN)
        && purges.patternsInForce() >= MAX_PATTERNS) {
      throw new PurgeRefusedException(
          MAX_PATTERNS
              + " purges by pattern are in force until the store is swept for them: wait, or purge"
              + " by prefix, tag or host",
          Refusal.FOR_NOW);
    }
    if (applier.applied() == null) {
      throw new PurgeRefusedException(
          "the node has not read the log of purges yet: " + heartbeat.problem(), Refusal.FOR_NOW);
    }
    try {
      PurgeLog.Published written = log.publish(orders);
      published.addAndGet(orders.size());
      Receipt receipt =
          confirmations.await(
              written.revision(),
              written.members(),
              wait == null ? config.purge().waitFor() : wait,
              most == null ? config.purge().waitMost() : most);
      confirmNanos.addAndGet(receipt.tookNanos());
      if (!receipt.isAcknowledged()) {
        unacknowledged.addAndGet(orders.size());
      }
      return receipt;
    } catch (EtcdException e) {
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
    }
  }

  /**
   * On which nodes the purges up to a revision are true, after a short wait; null where the log has
   * not come so far.
   */
  public @Nullable Receipt receipt(long revision, Duration most) throws PurgeRefusedException {
    try {
      LogHead head = membership.head();
      return revision > head.newest() || applier.applied() == null
          ? null
          : confirmations.await(revision, membership.known(), Wait.ALL, most);
    } catch (EtcdException e) {
      throw new PurgeRefusedException(String.valueOf(e.getMessage()), Refusal.FOR_NOW);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PurgeRefusedException("interrupted", Refusal.FOR_NOW);
    }
  }

  /** Name of the cluster. */
  public String name() {
    return config.name();
  }

  /** Revision of the newest purge that was seen; 0 for none. Never blocks. */
  public long newest() {
    LogHead head = heartbeat.head();
    return head == null ? 0 : head.newest();
  }

  /** Why the node cannot prove that it knows all purges; null when it can. Never blocks. */
  public @Nullable String proofProblem() {
    return heartbeat.problem();
  }

  /** The nodes of the cluster; each is asked for its position. */
  public List<NodeState> nodes() throws PurgeRefusedException {
    try {
      List<Member> members = membership.members();
      Map<String, NodeState> states = new ConcurrentHashMap<>();
      List<Thread> askers = new ArrayList<>();
      for (Member member : members) {
        askers.add(Thread.ofVirtual().start(() -> states.put(member.name(), ask(member))));
      }
      for (Thread asker : askers) {
        asker.join();
      }
      return members.stream()
          .map(member ->
              states.getOrDefault(member.name(), new NodeState(member, null, "could not be asked")))
          .toList();
    } catch (EtcdException e) {
      throw new PurgeRefusedException(String.valueOf(e.getMessage()), Refusal.FOR_NOW);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PurgeRefusedException("interrupted", Refusal.FOR_NOW);
    }
  }

  private NodeState ask(Member member) {
    PurgePosition own = applier.applied();
    if (member.name().equals(membership.self().name())) {
      return new NodeState(member, own, null);
    }
    try {
      String epoch = own == null ? "0".repeat(32) : own.epoch();
      return new NodeState(member, peers.ask(member, 0, epoch, STATUS_MILLIS), null);
    } catch (IOException e) {
      return new NodeState(member, null, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new NodeState(member, null, "interrupted");
    }
  }

  /** Removes a node that is not alive. */
  public Forgotten forget(String node) throws PurgeRefusedException {
    try {
      return membership.forget(node);
    } catch (EtcdException e) {
      throw new PurgeRefusedException(String.valueOf(e.getMessage()), Refusal.FOR_NOW);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PurgeRefusedException("interrupted", Refusal.FOR_NOW);
    }
  }

  /** Never blocks. */
  public ClusterFigures figures() {
    List<Member> known = membership.known();
    PurgePosition at = applier.applied();
    return new ClusterFigures(
        known.size(),
        Math.toIntExact(known.stream().filter(Member::isAlive).count()),
        at == null ? 0 : at.revision(),
        newest(),
        heartbeat.proofAgeSeconds(),
        fence.isPast(System.nanoTime()),
        published.get(),
        unacknowledged.get(),
        confirmNanos.get() / 1e9,
        applier.appliedPurges(),
        applier.gaps(),
        applier.unreadable());
  }

  @Override
  public void close() {
    while (!opened.isEmpty()) {
      AutoCloseable resource = opened.pop();
      try {
        resource.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (Exception e) {
        LOG.warn("leaving the cluster: {}", String.valueOf(e.getMessage()));
      }
    }
  }
}
