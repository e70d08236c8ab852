package io.forebay.server.config;

import static io.forebay.server.config.Field.atStart;
import static io.forebay.server.config.Field.optional;
import static io.forebay.server.config.ValueType.duration;
import static io.forebay.server.config.ValueType.integer;

import io.forebay.core.peer.PeerRequestField;
import io.forebay.server.config.ClusterConfig.Copies;
import io.forebay.server.config.ClusterConfig.CutOff;
import io.forebay.server.config.ClusterConfig.Gap;
import io.forebay.server.config.ClusterConfig.LogDown;
import io.forebay.server.config.ClusterConfig.Wait;
import io.forebay.server.config.Section.Shape;
import io.forebay.server.config.ServerConfig.Address;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The keys of a cluster. */
final class ClusterKeys {
  private static final Pattern ENDPOINT =
      Pattern.compile("https?://([A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}])(:[0-9]{1,5})?");
  private static final String REQUIRED = "required in a cluster";

  static final Field<ClusterConfig, String> CLUSTER_NAME =
      optional(
          "name",
          ValueType.NAME,
          "none: the node is alone",
          true,
          ClusterConfig::name,
          "Name of the cluster. With it, purges go through a log in etcd to all nodes of that name;"
              + " see [CLUSTER.md](CLUSTER.md). `forwarding.node-id` names the node.");
  static final Field<ClusterConfig, String> GROUP =
      atStart(
          "group",
          ValueType.NAME,
          "default",
          ClusterConfig::group,
          "Group of the node; a purge can wait for the nodes of one group.");
  static final Field<ClusterConfig, Address> LISTEN =
      atStart(
          "listen",
          ValueType.ADDRESS,
          ":7443",
          ClusterConfig::listen,
          "Address for the other nodes of the cluster, with mutual TLS.");
  static final Field<ClusterConfig, Address> ADVERTISE =
      optional(
          "advertise",
          ValueType.ADDRESS,
          REQUIRED,
          true,
          ClusterConfig::advertise,
          "`HOST:PORT` at which the other nodes reach `listen`.");
  static final Field<ClusterConfig, Path> CA =
      optional(
          "tls.ca",
          ValueType.PATH,
          REQUIRED,
          true,
          config -> config.tls().ca(),
          "PEM file of the authorities that issue certificates to nodes of this cluster.");
  static final Field<ClusterConfig, Path> CERTIFICATE =
      optional(
          "tls.certificate",
          ValueType.PATH,
          REQUIRED,
          true,
          config -> config.tls().certificate(),
          "PEM file with the node's certificate, for TLS servers and clients; its alternative name"
              + " is the URI `forebay://CLUSTER/NODE-ID`.");
  static final Field<ClusterConfig, Path> KEY =
      optional(
          "tls.key",
          ValueType.PATH,
          REQUIRED,
          true,
          config -> config.tls().key(),
          "PEM file with the private key of that certificate.");
  static final Field<ClusterConfig, List<String>> ENDPOINTS =
      optional(
          "log.endpoints",
          ValueType.list(
              "list of etcd endpoints",
              "`http://HOST:PORT` or `https://HOST:PORT`, one for each member",
              text -> ENDPOINT.matcher(text).matches(),
              false,
              "write endpoints such as https://etcd-1.example:2379"),
          REQUIRED,
          true,
          config -> config.log().endpoints().stream().map(URI::toString).toList(),
          "Members of etcd, by the URLs for its clients. All have the same scheme.");
  static final Field<ClusterConfig, Path> LOG_CA =
      optional(
          "log.ca",
          ValueType.PATH,
          "the authorities of the JVM",
          true,
          config -> config.log().ca(),
          "PEM file of the authorities that issue certificates to the members of etcd.");
  static final Field<ClusterConfig, Path> LOG_CERTIFICATE =
      optional(
          "log.certificate",
          ValueType.PATH,
          "none",
          true,
          config -> config.log().certificate(),
          "PEM file with the certificate that the node shows to etcd.");
  static final Field<ClusterConfig, Path> LOG_KEY =
      optional(
          "log.key",
          ValueType.PATH,
          "none",
          true,
          config -> config.log().key(),
          "PEM file with the private key of that certificate.");
  static final Field<ClusterConfig, String> USER =
      optional(
          "log.user",
          ValueType.NAME,
          "none",
          true,
          config -> config.log().user(),
          "User of etcd. Its JSON gateway does not know users by their certificates.");
  static final Field<ClusterConfig, Secret> PASSWORD =
      optional(
          "log.password",
          ValueType.SECRET_VALUE,
          "none",
          true,
          config -> config.log().password(),
          "Password of that user.");
  static final Field<ClusterConfig, Path> PASSWORD_FILE =
      optional(
          "log.password-file",
          ValueType.PATH,
          "none",
          true,
          null,
          "File whose first line is that password.");
  static final Field<ClusterConfig, Path> SECRET_FILE =
      optional(
          "secret-file",
          ValueType.PATH,
          "none: each node orders its own certificates",
          true,
          config -> {
            ClusterConfig.SharedSecret secret = config.secret();
            return secret == null ? null : secret.file();
          },
          "File with a secret that all nodes of the cluster have and etcd has not. With it, one node"
              + " orders each certificate of `tls.acme`, and the others receive it, encrypted,"
              + " through etcd. One key per line, 32 bytes in base64 (`openssl rand -base64 32`); the"
              + " first encrypts, all decrypt.");
  static final Field<ClusterConfig, Wait> WAIT =
      atStart(
          "purge.wait",
          ValueType.constant(Wait.class),
          "all",
          config -> config.purge().waitFor(),
          "Which nodes a purge waits for unless it says so itself.");
  static final Field<ClusterConfig, Duration> WAIT_MOST =
      atStart(
          "purge.wait-most",
          duration("1s", "50s"),
          "15s",
          config -> config.purge().waitMost(),
          "For how long it waits. Longer than `purge.fence-after` by 3 s, a node that has just failed"
              + " does not leave a purge unacknowledged.");
  static final Field<ClusterConfig, CutOff> CUT_OFF =
      atStart(
          "purge.cut-off",
          ValueType.constant(CutOff.class),
          "fence",
          config -> config.purge().cutOff(),
          "What the node does while it cannot prove that it knows all purges: `fence` validates each"
              + " stored object with the origin before it is used; `serve` goes on as before, and"
              + " purges stay unacknowledged; `refuse` answers 503.");
  static final Field<ClusterConfig, Duration> FENCE_AFTER =
      atStart(
          "purge.fence-after",
          duration("2s", "10m"),
          "10s",
          config -> config.purge().fenceAfter(),
          "For how long the last proof counts.");
  static final Field<ClusterConfig, Gap> GAP =
      atStart(
          "purge.gap",
          ValueType.constant(Gap.class),
          "empty",
          config -> config.purge().gap(),
          "What becomes of stored objects where purges may have been missed and the log no longer"
              + " has them: all are purged, or each is validated before it is used again.");
  static final Field<ClusterConfig, Integer> KEEP =
      atStart(
          "purge.keep",
          integer(1_000, 1_000_000),
          "200000",
          config -> config.purge().keep(),
          "How many purges the log keeps; of one scope, the latest.");
  static final Field<ClusterConfig, Duration> KEEP_FOR =
      atStart(
          "purge.keep-for",
          duration("1m", "30d"),
          "24h",
          config -> config.purge().keepFor(),
          "How long the log keeps them. A node that was away for longer has a gap.");

  static final Field<ClusterConfig, LogDown> LOG_DOWN =
      atStart(
          "purge.log-down",
          ValueType.constant(LogDown.class),
          "refuse",
          config -> config.purge().logDown(),
          "What becomes of purges while the log cannot be written: `refuse` answers 503; `local` puts"
              + " them in force on this node, keeps up to 1000 of them on disk, and writes them to"
              + " the log once it is back. Until then they are not acknowledged.");

  static final Field<ClusterConfig, Address> SHARE_LISTEN =
      optional(
          "share.listen",
          ValueType.ADDRESS,
          "none: the node shares no objects",
          true,
          config -> config.share().listen(),
          "Address at which the other nodes of the group ask for objects, with mutual TLS. With it, a"
              + " miss asks the node that owns the key before the origin.");
  static final Field<ClusterConfig, Address> SHARE_ADVERTISE =
      optional(
          "share.advertise",
          ValueType.ADDRESS,
          "the host of `advertise` and the port of `share.listen`",
          true,
          config -> config.share().advertise(),
          "`HOST:PORT` at which they reach it.");
  static final Field<ClusterConfig, Integer> SHARE_WEIGHT =
      atStart(
          "share.weight",
          integer(1, 10_000),
          "100",
          config -> config.share().weight(),
          "Share of the keys of the group that this node owns, relative to the others'.");
  static final Field<ClusterConfig, Copies> SHARE_COPIES =
      atStart(
          "share.copies",
          ValueType.constant(Copies.class),
          "memory",
          config -> config.share().copies(),
          "What becomes of objects that other nodes own: `memory` keeps them in memory while they are"
              + " requested, and never writes them to a disk; `never` gives them to the requests that"
              + " wait for them, and drops them.");
  static final Field<ClusterConfig, Integer> TIER =
      atStart(
          "tier",
          integer(0, PeerRequestField.MAX_TIER),
          "0",
          config -> config.share().tier(),
          "Distance of the node from the clients. Nodes of a `shield` have a higher one than those"
              + " that ask it.");
  static final Field<ClusterConfig, String> SHIELD =
      optional(
          "shield",
          ValueType.NAME,
          "none",
          true,
          config -> config.share().shield(),
          "Group of the same cluster that is asked in place of the origin, for keys that this node"
              + " owns. Its nodes have a higher `tier`.");

  static final Section<ClusterConfig> SECTION =
      new Section<>(
          "cluster",
          Shape.ONCE,
          "Nodes that share purges through etcd: an acknowledged purge is true on all of them.",
          "",
          List.of(
              CLUSTER_NAME,
              GROUP,
              LISTEN,
              ADVERTISE,
              CA,
              CERTIFICATE,
              KEY,
              ENDPOINTS,
              LOG_CA,
              LOG_CERTIFICATE,
              LOG_KEY,
              USER,
              PASSWORD,
              PASSWORD_FILE,
              SECRET_FILE,
              WAIT,
              WAIT_MOST,
              CUT_OFF,
              FENCE_AFTER,
              GAP,
              KEEP,
              KEEP_FOR,
              LOG_DOWN,
              SHARE_LISTEN,
              SHARE_ADVERTISE,
              SHARE_WEIGHT,
              SHARE_COPIES,
              TIER,
              SHIELD),
          config -> {
            ClusterConfig cluster = config.cluster();
            return cluster == null ? Map.of() : Map.of("", cluster);
          });

  private ClusterKeys() {}
}
