package io.forebay.server.cluster.peer;

import io.forebay.core.key.RendezvousHash;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.ObjectSharing;
import io.forebay.server.config.EgressConfig;
import io.forebay.server.config.OriginTlsConfig;
import io.forebay.server.config.ProbeConfig;
import io.forebay.server.config.ProtectionConfig;
import io.forebay.server.config.ServerConfig.Balance;
import io.forebay.server.config.ServerConfig.EjectionConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.config.ServerConfig.RetryConfig;
import io.forebay.server.config.ServerConfig.SlowConfig;
import io.forebay.server.config.SigningConfig;
import io.forebay.server.origin.group.Origin;
import io.forebay.server.origin.group.OriginServer;
import io.forebay.server.origin.group.OriginUrl;
import io.forebay.server.origin.group.Origins;
import io.forebay.server.peer.PeerDirectory;
import io.forebay.server.peer.Peers;
import io.forebay.server.text.Printable;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the list of nodes that share objects up to date with the members of the cluster, and
 * identifies the node that has opened a connection.
 */
public final class ObjectPeers {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectPeers.class);

  /** Includes the handshake; later connections need a fraction of it. */
  private static final Duration CONNECT = Duration.ofSeconds(1);

  /** Bounds the origin's time, as the other node does: a node that fetches says so with a 102. */
  private static final Duration FIRST_BYTE = Duration.ofMinutes(5);

  private static final Duration IDLE = Duration.ofSeconds(30);

  /** Shorter than the listener's timeout. */
  private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);

  private static final int MAX_CONNECTIONS = 256;

  private final String cluster;
  private final Member self;
  private final @Nullable String shield;
  private final NodeCredentials credentials;
  private final X509ExtendedTrustManager byChain;
  private final PeerDirectory directory;
  private final SslContext listenerTls;

  private volatile List<Member> members = List.of();
  private Map<String, Origin> reached = new HashMap<>();

  /**
   * The nodes around one.
   *
   * @param shield the group that this node asks in place of the origin, or null
   */
  public ObjectPeers(
      String cluster,
      Member self,
      @Nullable String shield,
      NodeCredentials credentials,
      PeerDirectory directory)
      throws IOException {
    this.cluster = cluster;
    this.self = self;
    this.shield = shield;
    this.credentials = credentials;
    this.byChain = ClusterTls.byChain(credentials.cas());
    this.directory = directory;
    this.listenerTls = NodeTls.forListener(credentials);
  }

  public PeerDirectory directory() {
    return directory;
  }

  /** TLS for the connections that other nodes open. */
  public SslContext listenerTls() {
    return listenerTls;
  }

  /**
   * The member of the cluster that has opened a connection; null where no member has. Never blocks.
   */
  public @Nullable String nodeOf(SSLSession session) {
    Certificate[] chain;
    try {
      chain = session.getPeerCertificates();
    } catch (SSLPeerUnverifiedException e) {
      return null;
    }
    List<Member> known = members;
    return PeerName.nodes(cluster, chain).stream()
        .filter(name -> known.stream().anyMatch(member -> member.name().equals(name)))
        .findFirst()
        .orElse(null);
  }

  /** Takes the members in etcd. Any thread that may block. */
  public synchronized void update(List<Member> now) {
    if (now.equals(members)) {
      return;
    }
    members = now;
    Map<String, Origin> next = new HashMap<>();
    List<Peers.Node> group = new ArrayList<>();
    List<Peers.Node> ofShield = new ArrayList<>();
    ObjectSharing own = self.share();
    for (Member member : now) {
      ObjectSharing share = member.share();
      if (share == null || own == null) {
        continue;
      }
      boolean isSelf = member.name().equals(self.name());
      boolean isOfGroup = member.group().equals(self.group()) && share.tier() == own.tier();
      boolean isOfShield = member.group().equals(shield) && share.tier() > own.tier();
      if (!isOfGroup && !isOfShield) {
        continue;
      }
      Origin origin = isSelf ? null : origin(member.name(), share.address());
      if (origin != null) {
        next.put(origin.name(), origin);
      }
      Peers.Node node =
          new Peers.Node(
              member.name(),
              RendezvousHash.number(member.name()),
              share.weight(),
              isSelf || (member.isAlive() && !member.isDraining() && origin != null));
      (isOfGroup ? group : ofShield).add(node);
    }
    reached = next;
    directory.update(new Peers(group, ofShield, Origins.of(next)));
  }

  /** The origin through which loops reach a node; null where its address cannot be used. */
  private @Nullable Origin origin(String node, String address) {
    String url = "https://" + address;
    Origin before = reached.get(Peers.originName(node));
    if (before != null && before.config().servers().getFirst().url().equals(url)) {
      return before;
    }
    try {
      OriginConfig config = config(Peers.originName(node), url);
      OriginUrl parsed = OriginUrl.parse(config.name(), url);
      SslContext tls = NodeTls.toNode(credentials, new NodeTrust(byChain, cluster, node));
      OriginServer server =
          new OriginServer(
              config,
              config.servers().getFirst(),
              parsed.host(),
              parsed.port(),
              parsed.literal(),
              parsed.socket(),
              parsed.service(),
              parsed.base(),
              tls,
              null,
              false);
      return new Origin(config, List.of(server), "", null);
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn(
          "node {} cannot be asked for objects at {}: {}",
          Printable.line(node),
          Printable.line(address),
          e.getMessage());
      return null;
    }
  }

  /**
   * An origin with one server. It has no health checks: {@code PeerHealth} decides whether the node
   * is asked.
   */
  private static OriginConfig config(String name, String url) {
    return new OriginConfig(
        name,
        List.of(OriginServerConfig.of(url)),
        Balance.ROUND_ROBIN,
        new RetryConfig(0, List.of(), 0, false, false),
        new EjectionConfig(0, 0, Duration.ofSeconds(1), 100, 0, SlowConfig.OFF),
        ProbeConfig.NONE,
        Duration.ZERO,
        null,
        OriginProtocol.HTTP1,
        MAX_CONNECTIONS,
        null,
        true,
        true,
        CONNECT,
        FIRST_BYTE,
        IDLE,
        Duration.ZERO,
        KEEP_ALIVE,
        SigningConfig.NONE,
        List.of(),
        OriginTlsConfig.DEFAULT,
        EgressConfig.DEFAULT,
        ProtectionConfig.DEFAULT);
  }
}
