package io.forebay.server.cluster;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.EtcdSettings;
import io.forebay.server.cluster.member.ClusterKeyspace;
import io.forebay.server.cluster.member.Fence;
import io.forebay.server.cluster.member.LogHead;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.cluster.member.NameTakenException;
import io.forebay.server.cluster.member.NodeIdentity;
import io.forebay.server.cluster.member.ObjectSharing;
import io.forebay.server.cluster.peer.ClusterTls;
import io.forebay.server.cluster.peer.NodeCredentials;
import io.forebay.server.cluster.peer.PeerClient;
import io.forebay.server.cluster.peer.PeerListener;
import io.forebay.server.cluster.peer.PeerName;
import io.forebay.server.cluster.peer.PositionEndpoint;
import io.forebay.server.cluster.purge.Confirmations;
import io.forebay.server.cluster.purge.GroupInvalidations;
import io.forebay.server.cluster.purge.LoggedPurges;
import io.forebay.server.cluster.purge.PurgeApplier;
import io.forebay.server.cluster.purge.PurgeCollector;
import io.forebay.server.cluster.purge.PurgeLog;
import io.forebay.server.cluster.purge.PurgeOutbox;
import io.forebay.server.config.ClusterConfig;
import io.forebay.server.config.Secret;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.tls.PemFile;
import io.forebay.server.tls.TlsException;
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
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the parts of a cluster in order, registers the node, and closes the parts in reverse order.
 */
final class ClusterParts implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterParts.class);

  /** By how much a lease outlives the fence. */
  private static final long LEASE_MARGIN_SECONDS = 2;

  private static final Duration MEMBER_TIMEOUT = Duration.ofSeconds(1);

  /** Patience with etcd; longer than an election of its leader. */
  private static final Duration ETCD_PATIENCE = Duration.ofSeconds(3);

  private static final long NAME_RETRY_MILLIS = 500;

  final ClusterConfig config;
  final Fence fence;
  final Membership membership;
  final PurgeLog log;
  final PurgeApplier applier;
  final Confirmations confirmations;
  final PeerClient peers;
  final Heartbeat heartbeat;
  final LoadEndpoint load;
  final PurgeOutbox outbox;
  final GroupInvalidations groups = new GroupInvalidations(System::nanoTime);

  /** Purges whose receipt is waited for. */
  final AtomicLong waiting = new AtomicLong();

  /** Gives null until the server has its counters. */
  private volatile Supplier<@Nullable NodeLoad> counts = () -> null;

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  static ClusterParts start(
      ClusterConfig config,
      String node,
      String dataIdentity,
      String version,
      LoggedPurges purges,
      Path data,
      Clock clock)
      throws IOException {
    ClusterParts parts = null;
    try {
      parts = new ClusterParts(config, node, dataIdentity, version, purges, data, clock);
      parts.register();
      parts.applier.start();
      parts.heartbeat.start();
      return parts;
    } catch (TlsException e) {
      throw new IOException("cluster: " + String.join("; ", e.lines()), e);
    } catch (IOException | RuntimeException e) {
      if (parts != null) {
        parts.close();
      }
      throw e;
    }
  }

  private ClusterParts(
      ClusterConfig config,
      String node,
      String dataIdentity,
      String version,
      LoggedPurges purges,
      Path data,
      Clock clock)
      throws IOException, TlsException {
    this.config = config;
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
                  node,
                  config.group(),
                  text(config.advertise()),
                  settings.cutOff(),
                  version,
                  true,
                  false,
                  share(config.share())),
              new NodeIdentity(dataIdentity, HexFormat.of().formatHex(boot)),
              leaseSeconds);
      this.outbox = PurgeOutbox.open(data, node, clock);
      this.log = new PurgeLog(etcd, keys, membership, clock);
      this.applier = new PurgeApplier(log, membership, purges, fence);
      opened.push(membership::leave);
      opened.push(applier);
      this.peers = opened(new PeerClient(config.name(), credentials));
      this.confirmations = new Confirmations(membership, applier, peers);
      this.load = new LoadEndpoint(this::progress, () -> counts.get());
      PeerListener listener =
          opened(
              new PeerListener(
                  config.name(),
                  credentials,
                  List.of(new PositionEndpoint(node, applier), load),
                  membership::isKnown));
      int port = listener.bind(bindAddress(config.listen()));
      LOG.info("cluster {}: node {} listens for other nodes on port {}", config.name(), node, port);
      PurgeCollector collector =
          new PurgeCollector(etcd, keys, settings.keep(), settings.keepFor(), clock, boot[0]);
      this.heartbeat =
          opened(
              new Heartbeat(
                  membership,
                  applier,
                  fence,
                  List.of(
                      load::sample,
                      membership::refresh,
                      this::publishQueued,
                      this::publishGroups,
                      () -> {
                        if (membership.isFirstAlive()) {
                          int ignored = collector.step();
                        }
                      })));
      isDone = true;
    } finally {
      if (!isDone) {
        close();
      }
    }
  }

  /** Sets the source of this node's load. */
  void counts(Supplier<@Nullable NodeLoad> from) {
    counts = from;
  }

  private void publishQueued() throws EtcdException, InterruptedException {
    PurgePosition at = applier.applied();
    if (at != null) {
      outbox.publish(log, at);
    }
  }

  private void publishGroups() throws EtcdException, InterruptedException {
    PurgePosition at = applier.applied();
    if (at != null) {
      groups.publish(log, at);
    }
  }

  private LoadEndpoint.Progress progress() {
    PurgePosition at = applier.applied();
    LogHead head = heartbeat.head();
    return new LoadEndpoint.Progress(
        at == null ? 0 : at.revision(),
        head == null ? 0 : head.newest(),
        heartbeat.proofAgeSeconds(),
        head != null && head.isDraining(),
        outbox.size() + waiting.get());
  }

  private <T extends AutoCloseable> T opened(T resource) {
    opened.push(resource);
    return resource;
  }

  private static @Nullable ObjectSharing share(ClusterConfig.Share config) {
    Address address = config.advertise();
    return address == null
        ? null
        : new ObjectSharing(text(address), config.tier(), config.weight());
  }

  static NodeCredentials credentials(ClusterConfig.Tls tls) throws TlsException {
    return new NodeCredentials(
        PemFile.certificates(tls.ca()),
        PemFile.certificates(tls.certificate()),
        PemFile.privateKey(tls.key()));
  }

  static EtcdSettings etcd(ClusterConfig.Log log) throws IOException, TlsException {
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
