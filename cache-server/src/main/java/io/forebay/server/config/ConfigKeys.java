package io.forebay.server.config;

import static io.forebay.server.config.Field.atStart;
import static io.forebay.server.config.Field.live;
import static io.forebay.server.config.Field.optional;
import static io.forebay.server.config.Field.required;
import static io.forebay.server.config.ValueType.duration;
import static io.forebay.server.config.ValueType.integer;
import static io.forebay.server.config.ValueType.oneOf;
import static io.forebay.server.config.ValueType.percent;
import static io.forebay.server.config.ValueType.size;
import static io.forebay.server.config.ValueType.sizeOrAuto;

import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.UnkeyedFields;
import io.forebay.core.route.CookieFilter;
import io.forebay.core.route.CookieSettings.SetCookie;
import io.forebay.core.route.MediaSettings;
import io.forebay.core.route.NegativeTtl;
import io.forebay.core.route.RouteSettings.ClientDirectives;
import io.forebay.server.config.Section.Shape;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.AdminConfig;
import io.forebay.server.config.ServerConfig.Balance;
import io.forebay.server.config.ServerConfig.DebugConfig;
import io.forebay.server.config.ServerConfig.DiskConfig;
import io.forebay.server.config.ServerConfig.ForwardingConfig;
import io.forebay.server.config.ServerConfig.Http2Config;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.NamedRules;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.config.ServerConfig.OverloadConfig;
import io.forebay.server.config.ServerConfig.PurgeConfig;
import io.forebay.server.config.ServerConfig.RouteConfig;
import io.forebay.server.config.ServerConfig.StorageClassConfig;
import io.forebay.server.config.ServerConfig.StoreConfig;
import io.forebay.server.config.ServerConfig.ThreadsConfig;
import io.forebay.server.config.ServerConfig.TierConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.config.ServerConfig.TunnelsConfig;
import io.forebay.server.config.SigningConfig.Addressing;
import io.forebay.server.config.SigningConfig.HmacConfig;
import io.forebay.server.config.SigningConfig.S3Config;
import io.forebay.server.config.SigningConfig.StaticField;
import io.forebay.server.config.TlsConfig.CertificateConfig;
import io.forebay.server.config.TlsConfig.ClientAuth;
import io.forebay.server.config.TlsConfig.Policy;
import io.forebay.server.rule.CorsPolicy;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The table of all configuration keys. The loader, the reference in {@code docs/CONFIG.md}, the
 * JSON Schema, the dump and the comparison of two configurations are derived from it, so they
 * always have the same keys.
 */
final class ConfigKeys {
  static final Field<ServerConfig, List<String>> INCLUDE =
      optional(
          "include",
          ValueType.INCLUDES,
          "none",
          false,
          null,
          "Further files of the configuration, [joined](#included-files) with this one. Only in files.");
  static final Field<ServerConfig, String> ORIGIN =
      optional(
          "origin",
          ValueType.ORIGIN_URL,
          "none",
          false,
          null,
          "Shorthand for one origin named `default`. If no routes are configured, all requests"
              + " for any host go to it.");

  static final Field<ListenerConfig, String> LISTEN_NAME =
      optional(
          "name",
          ValueType.NAME,
          "`http` or `https`, then `http-2`, …",
          true,
          ListenerConfig::name,
          "Name of the listener in metrics and logs.");
  static final Field<ListenerConfig, Address> LISTEN_ADDRESS =
      required(
          "address", ValueType.ADDRESS, true, ListenerConfig::address, "Address to listen on.");
  static final Field<ListenerConfig, Path> LISTEN_CERTIFICATE =
      optional(
          "tls.certificate",
          ValueType.PATH,
          "none: plain text",
          false,
          ListenerConfig::certificate,
          "PEM file with the certificate and its chain; makes this a TLS listener. Clients"
              + " receive it if they request no name that one of `certificates` covers.");
  static final Field<ListenerConfig, Path> LISTEN_KEY =
      optional(
          "tls.key",
          ValueType.PATH,
          "none",
          false,
          ListenerConfig::key,
          "PEM file with the private key; required with a certificate.");
  static final Field<ListenerConfig, Boolean> LISTEN_PROXY =
      atStart(
          "proxy-protocol",
          ValueType.BOOLEAN,
          "false",
          ListenerConfig::proxyProtocol,
          "Whether every connection begins with a PROXY protocol header, version 1 or 2, that"
              + " identifies the client. Only connections from the networks of"
              + " `forwarding.trusted` and from Unix-domain sockets are accepted; others are"
              + " closed.");
  static final Field<ListenerConfig, String> LISTEN_DEFAULT =
      optional(
          "tls.default",
          ValueType.NAME,
          "none",
          false,
          ListenerConfig::defaultCertificate,
          "In place of its own certificate: the entry of `certificates` for clients that"
              + " request no name listed there.");
  static final Field<ListenerConfig, Boolean> LISTEN_ACME =
      atStart(
          "tls.acme",
          ValueType.BOOLEAN,
          "false",
          ListenerConfig::acme,
          "Whether this is a TLS listener with the certificates of `tls.acme`. A certificate of its"
              + " own is optional then; without one, a handshake for a name without a certificate"
              + " fails.");
  static final Field<ListenerConfig, Integer> LISTEN_REDIRECT =
      optional(
          "https-redirect",
          ValueType.integer(1, 65_535),
          "none: requests are served",
          false,
          ListenerConfig::httpsRedirect,
          "Port of https, as clients reach it. If set, this plain text listener answers requests"
              + " with a redirect (308) to the same host and path there, except validations of"
              + " ACME, purges, and requests of the proxies in `forwarding.trusted`, which may"
              + " terminate TLS themselves.");
  static final Field<ListenerConfig, Boolean> LISTEN_H2C =
      atStart(
          "h2c",
          ValueType.BOOLEAN,
          "false",
          ListenerConfig::h2c,
          "Whether clients of a plain text listener may use HTTP/2 with prior knowledge (RFC"
              + " 9113 §3.3), in addition to HTTP/1.1.");

  static final Field<TlsConfig, Address> TLS_LISTEN =
      optional(
          "listen",
          ValueType.ADDRESS,
          "none",
          true,
          null,
          "Shorthand for an additional TLS listener, added to those of `listen`.");
  static final Field<TlsConfig, Path> TLS_CERTIFICATE =
      optional(
          "certificate",
          ValueType.PATH,
          "none",
          false,
          null,
          "Certificate of that listener: a PEM file with the chain.");
  static final Field<TlsConfig, Path> TLS_KEY =
      optional(
          "key", ValueType.PATH, "none", false, null, "Private key of that listener: a PEM file.");
  static final Field<TlsConfig, String> TLS_DEFAULT =
      optional(
          "default",
          ValueType.NAME,
          "none",
          false,
          null,
          "In place of `certificate` and `key`: the entry of `certificates` that this listener"
              + " uses.");
  static final Field<TlsConfig, Policy> TLS_POLICY =
      live(
          "policy",
          ValueType.constant(Policy.class, Policy.INTERMEDIATE),
          "intermediate",
          TlsConfig::policy,
          "TLS versions, ciphers and groups, following Mozilla's recommendations of the same"
              + " names: `modern` allows TLS 1.3 only, `intermediate` also TLS 1.2 with"
              + " forward secrecy and AEAD.");
  static final Field<TlsConfig, Integer> TLS_CLIENT_HELLO =
      live(
          "client-hello",
          sizeAsInteger("4KiB", "64KiB"),
          "16KiB",
          TlsConfig::clientHelloBytes,
          "Maximum size of a ClientHello; a longer one closes the connection.");
  static final Field<TlsConfig, Boolean> TLS_JA4 =
      live(
          "ja4",
          ValueType.BOOLEAN,
          "false",
          TlsConfig::ja4,
          "Whether the node computes the JA4 fingerprint of each client's TLS handshake over TCP, for"
              + " the access log and for the condition `ja4` of rules.");
  static final Field<TlsConfig, Duration> TLS_EXPIRY_WARNING =
      live(
          "expiry-warning",
          duration("0s", "365d"),
          "14d",
          TlsConfig::expiryWarning,
          "How long before a certificate expires the log warns about it, once a day.");
  static final Field<TlsConfig, Boolean> TLS_OCSP =
      live(
          "ocsp",
          ValueType.BOOLEAN,
          "true",
          TlsConfig::ocsp,
          "Whether the node fetches, checks and staples responses of the OCSP responders that"
              + " certificates name.");
  static final Field<TlsConfig, Boolean> TLS_TICKETS =
      live(
          "tickets",
          ValueType.BOOLEAN,
          "true",
          tls -> tls.tickets().enabled(),
          "Whether clients receive session tickets for session resumption.");
  static final Field<TlsConfig, Duration> TLS_TICKET_ROTATION =
      live(
          "ticket-rotation",
          duration("1m", "7d"),
          "8h",
          tls -> tls.tickets().rotation(),
          "How long a key encrypts tickets; it decrypts them for twice as long after"
              + " that. A key read from a file stays valid as long as the file contains it.");
  static final Field<TlsConfig, Path> TLS_TICKET_FILE =
      optional(
          "ticket-file",
          ValueType.PATH,
          "none: random keys in memory, for this node or those of its cluster",
          false,
          tls -> tls.tickets().file(),
          "File of ticket keys shared between nodes: one per line, 48 random bytes in base64."
              + " The first key encrypts; all of them decrypt. The node checks the file every"
              + " minute.");

  static final Field<TlsConfig, List<String>> ACME_HOSTS =
      live(
          "acme.hosts",
          ValueType.SERVER_NAMES,
          "",
          tls -> tls.acme().hosts(),
          "Names for which the node orders certificates by ACME (RFC 8555), one for each name, and"
              + " renews them. Wildcards are not possible, since they require the challenge dns-01."
              + " Nothing is ordered while this and `on-demand` are empty. The listener of"
              + " `tls.listen` serves these certificates; for those of `listen`, set `tls.acme`.");
  static final Field<TlsConfig, URI> ACME_DIRECTORY =
      live(
          "acme.directory",
          ValueType.DIRECTORY_URL,
          AcmeConfig.LETS_ENCRYPT.toString(),
          tls -> tls.acme().directory(),
          "Directory URL of the certificate authority.");
  static final Field<TlsConfig, String> ACME_EMAIL =
      optional(
          "acme.email",
          ValueType.EMAIL,
          "none",
          false,
          tls -> tls.acme().email(),
          "Contact address of the account, used when the account is created.");
  static final Field<TlsConfig, Boolean> ACME_AGREE =
      live(
          "acme.agree-to-terms",
          ValueType.BOOLEAN,
          "false",
          tls -> tls.acme().termsAgreed(),
          "Whether you agree to the terms of service of the certificate authority. Required.");
  static final Field<TlsConfig, Path> ACME_CA_FILE =
      optional(
          "acme.ca-file",
          ValueType.PATH,
          "none: the roots of the JVM",
          false,
          tls -> tls.acme().caFile(),
          "PEM file of the roots that the directory's own TLS certificate is verified with, for"
              + " private authorities.");
  static final Field<TlsConfig, List<String>> ACME_CHALLENGES =
      live(
          "acme.challenges",
          ValueType.ACME_CHALLENGES,
          "tls-alpn-01,http-01",
          tls -> ValueType.printChallenges(tls.acme().challenges()),
          "Challenges, in the order in which they are tried; each attempt after a failure uses the"
              + " next one."
              + " `tls-alpn-01` (RFC 8737) is validated on port 443 and `http-01` on port 80: the"
              + " authority must reach a TLS or a plain text listener of this node there.");
  static final Field<TlsConfig, String> ACME_EAB_KEY_ID =
      optional(
          "acme.eab-key-id",
          ValueType.TEXT,
          "none",
          false,
          tls -> tls.acme().eabKeyId(),
          "Key identifier of an external account binding (RFC 8555 §7.3.4), for authorities that"
              + " require one.");
  static final Field<TlsConfig, Secret> ACME_EAB_SECRET =
      optional(
          "acme.eab-secret",
          ValueType.EAB_SECRET,
          "none",
          false,
          tls -> tls.acme().eabSecret(),
          "HMAC key of the external account binding, in base64url as the authority shows it.");
  static final Field<TlsConfig, Path> ACME_EAB_SECRET_FILE =
      optional(
          "acme.eab-secret-file",
          ValueType.PATH,
          "none",
          false,
          null,
          "File whose first line is `eab-secret`.");
  static final Field<TlsConfig, AcmeConfig.KeyType> ACME_KEY_TYPE =
      live(
          "acme.key-type",
          ValueType.constant(AcmeConfig.KeyType.class),
          "ecdsa-p256",
          tls -> tls.acme().keyType(),
          "Keys of certificates that are ordered from now on. Each certificate gets a new key.");
  static final Field<TlsConfig, Integer> ACME_RENEW_AT =
      live(
          "acme.renew-at",
          ValueType.percent(5, 90),
          "33%",
          tls -> tls.acme().renewAtPercent(),
          "Share of a certificate's lifetime that is left when its renewal begins. A renewal begins"
              + " up to a tenth of that time earlier, at random, so that nodes and names spread.");
  static final Field<TlsConfig, Boolean> ACME_RENEWAL_INFO =
      live(
          "acme.renewal-info",
          ValueType.BOOLEAN,
          "true",
          tls -> tls.acme().renewalInfo(),
          "Whether the authority is asked when to renew (ARI, RFC 9773). An earlier time than"
              + " `renew-at` is followed, a later one is not.");
  static final Field<TlsConfig, List<String>> ACME_ON_DEMAND =
      live(
          "acme.on-demand",
          ValueType.SERVER_NAMES,
          "",
          tls -> tls.acme().onDemand(),
          "Names, or patterns such as `*.example.com` for one label, that get a certificate at"
              + " their first TLS handshake. The handshake waits for it within"
              + " `timeouts.tls-handshake`; if the time is over, a later handshake gets it.");
  static final Field<TlsConfig, Integer> ACME_ON_DEMAND_PER_HOUR =
      live(
          "acme.on-demand-per-hour",
          ValueType.integer(1, 1000),
          "10",
          tls -> tls.acme().onDemandPerHour(),
          "Limit of names that handshakes add per hour. 1000 names of `on-demand` are kept at"
              + " most.");

  static final Field<CertificateConfig, Path> CERTIFICATE_FILE =
      required(
          "certificate",
          ValueType.PATH,
          false,
          certificate -> certificate.pairs().getFirst().certificate(),
          "PEM file with the certificate and its chain, in order.");
  static final Field<CertificateConfig, Path> CERTIFICATE_KEY =
      required(
          "key",
          ValueType.PATH,
          false,
          certificate -> certificate.pairs().getFirst().key(),
          "PEM file with the private key of the certificate.");
  static final Field<CertificateConfig, Path> CERTIFICATE_SECOND =
      optional(
          "second.certificate",
          ValueType.PATH,
          "none",
          false,
          CertificateConfig::secondCertificate,
          "Second certificate for the same names with the other key type: clients that support"
              + " ECDSA receive the ECDSA certificate, the others the RSA one.");
  static final Field<CertificateConfig, Path> CERTIFICATE_SECOND_KEY =
      optional(
          "second.key",
          ValueType.PATH,
          "none",
          false,
          CertificateConfig::secondKey,
          "PEM file with the private key of the second certificate.");
  static final Field<CertificateConfig, List<String>> CERTIFICATE_HOSTS =
      live(
          "hosts",
          ValueType.SERVER_NAMES,
          "",
          CertificateConfig::hosts,
          "Server names this certificate is used for; if empty, the DNS names in the"
              + " certificate. `*.example.com` matches every name with exactly one more label.");
  static final Field<CertificateConfig, ClientAuth> CERTIFICATE_CLIENT_AUTH =
      live(
          "client-auth",
          ValueType.constant(ClientAuth.class),
          "off",
          CertificateConfig::clientAuth,
          "Whether clients are asked for a certificate, and whether it is required. Origins"
              + " receive it as `Client-Cert` (RFC 9440).");
  static final Field<CertificateConfig, Path> CERTIFICATE_CLIENT_CA =
      optional(
          "client-ca",
          ValueType.PATH,
          "none",
          false,
          CertificateConfig::clientCa,
          "PEM file of the authorities that must have issued client certificates; required if"
              + " `client-auth` asks for them.");
  static final Field<CertificateConfig, Policy> CERTIFICATE_POLICY =
      optional(
          "policy",
          ValueType.constant(Policy.class, Policy.INTERMEDIATE),
          "`tls.policy`",
          false,
          CertificateConfig::policy,
          "As `tls.policy`, for these names.");

  static final Field<AdminConfig, Address> ADMIN_ADDRESS =
      atStart(
          "address",
          ValueType.ADDRESS,
          "127.0.0.1:8081",
          AdminConfig::address,
          "Address of the admin API and the metrics. A Unix-domain socket has mode 0600; any"
              + " address other than a socket or loopback requires a token.");
  static final Field<AdminConfig, String> ADMIN_TOKEN =
      optional(
          "token",
          ValueType.TOKEN,
          "none",
          false,
          AdminConfig::token,
          "Token that callers must send as `Authorization: Bearer TOKEN`.");
  static final Field<AdminConfig, Path> ADMIN_TOKEN_FILE =
      optional(
          "token-file",
          ValueType.PATH,
          "none",
          false,
          null,
          "File whose first line is the token; read at start and at each reload.");

  static final Field<ThreadsConfig, Integer> THREADS_LOOPS =
      atStart(
          "loops",
          integer(0, 1024),
          "0",
          ThreadsConfig::loops,
          "Number of event loops; 0 means one for each CPU available to the process.");
  static final Field<ThreadsConfig, String> THREADS_PIN =
      atStart(
          "pin",
          ValueType.PIN,
          "auto",
          ThreadsConfig::pin,
          "Whether event loops are pinned to CPUs, and to which.");
  static final Field<ThreadsConfig, String> THREADS_TRANSPORT =
      atStart(
          "transport",
          oneOf("auto", "epoll", "nio"),
          "auto",
          ThreadsConfig::transport,
          "Network transport; `auto` selects epoll where it is available.");

  static final Field<ThreadsConfig, String> THREADS_CONNECTIONS =
      atStart(
          "connections",
          oneOf("spread", "by-cpu"),
          "spread",
          ThreadsConfig::connections,
          "Which event loop gets a new TCP connection. `spread`: the kernel spreads them evenly."
              + " `by-cpu`: the loop on the CPU that received it, which is the CPU of the queue of"
              + " the network card, so that card, loop and memory are of one NUMA node; a"
              + " connection that arrives on the CPU of no loop is spread. Set it only if the"
              + " interrupts of the card's queues are spread over the CPUs of all loops: the others"
              + " get no connections. Requires `epoll`, loops that are pinned, and Linux 6.2; older"
              + " kernels spread.");

  static final Field<StoreConfig, Path> STORE_DATA =
      optional(
          "data",
          ValueType.PATH,
          "`/var/lib/forebay` if it is writable, else `$XDG_STATE_HOME/forebay`, else"
              + " `~/.local/state/forebay`",
          true,
          StoreConfig::data,
          "Directory of the purge journal, the store's identity and its lock.");
  static final Field<StoreConfig, MemorySize> STORE_MEMORY =
      atStart(
          "memory",
          ValueType.memory("16MiB", "64TiB", 90),
          "512MiB",
          StoreConfig::memory,
          "Size of the memory tier, or its share of the memory of the control group (or of the"
              + " machine if no control group limits it). A share is reduced if the index,"
              + " heap and direct memory would not fit beside it.");
  static final Field<StoreConfig, MemorySize> STORE_MEMORY_MIN =
      atStart(
          "memory-min",
          ValueType.memory("16MiB", "64TiB", 100),
          "100%",
          StoreConfig::memoryMin,
          "Size to which the memory tier may be reduced while memory is short, or its share of"
              + " `store.memory`, at least a quarter of it; with 100% the tier keeps its size."
              + " Below 100% the tier gives regions back to the kernel while the control group"
              + " (or an enclosing one, or the machine) has little memory left or tasks wait"
              + " for memory, and takes them back, one by one, after 60 s without shortage. It"
              + " must be in a file on a tmpfs without huge pages.");
  static final Field<StoreConfig, Path> STORE_MEMORY_DIRECTORY =
      optional(
          "memory-directory",
          ValueType.PATH,
          "a directory with a random name under `/dev/shm`, or memory that does not"
              + " survive the process",
          true,
          StoreConfig::memoryDirectory,
          "Directory on a tmpfs, hugetlbfs or DAX mount for the memory tier; if it has too"
              + " little space, the node does not start. A tmpfs mounted with"
              + " `huge=within_size` provides 2 MiB pages, which make lookups in a large cache"
              + " cheaper. A directory on a disk works, with a warning: requests may wait for"
              + " that disk.");

  static final Field<StoreConfig, List<TierConfig>> STORE_TIERS =
      atStart(
          "tiers",
          ValueType.TIERS,
          "",
          StoreConfig::tiers,
          "Further tiers of memory between `store.memory` and the disks, in this order: a tmpfs of"
              + " another NUMA node, hugetlbfs, or a file system with DAX on persistent memory or"
              + " CXL. An object that leaves a tier goes to the next one, is served from there in"
              + " place, and comes back to `store.memory` when it is requested often. Each has a"
              + " file of this size in its directory. A tmpfs and hugetlbfs take memory of the"
              + " machine, DAX does not.");
  static final Field<StoreConfig, String> STORE_CELLS =
      atStart(
          "cells",
          oneOf("auto", "off"),
          "auto",
          StoreConfig::cells,
          "Whether the memory tier is divided among NUMA nodes. With `auto` each node that has"
              + " pinned event loops and memory has a cell, an equal part of the tier: its memory"
              + " is of that node, and what the node's loops store lies there while there is room."
              + " All loops serve the objects of all cells. On a machine with one node, or with"
              + " `threads.pin: off`, the tier is not divided. Objects are kept when the number of"
              + " cells changes.");
  static final Field<StoreConfig, String> STORE_PROTECTED_SHARE =
      atStart(
          "protected-share",
          ValueType.SHARE,
          "auto",
          StoreConfig::protectedShare,
          "Share of the memory tier for objects requested more than once; `auto` adapts to the"
              + " traffic.");
  static final Field<StoreConfig, String> STORE_TOUCH_THRESHOLD =
      atStart(
          "touch-threshold",
          oneOf("auto", "1", "2"),
          "auto",
          StoreConfig::touchThreshold,
          "How many repeated requests an object needs to enter that share; `auto` adapts to"
              + " the traffic.");
  static final Field<StoreConfig, String> STORE_SMALL_OBJECTS =
      atStart(
          "small-objects",
          oneOf("auto", "off", "8KiB", "32KiB", "128KiB", "512KiB"),
          "auto",
          StoreConfig::smallObjects,
          "Objects up to this size stay in memory longer than larger ones, the smaller the"
              + " longer: more requests are hits, and more bytes come from the origin. `auto`"
              + " uses the size with the fewest misses that costs at most 0.5 % more bytes from"
              + " the origin, as models of the tier estimate it; `off` treats all sizes alike."
              + " The most that is used is half a slice; a slice has 64 KiB to 1 MiB, by the size"
              + " of the memory tier.");
  static final Field<StoreConfig, String> STORE_DISK_ADMISSION =
      atStart(
          "disk-admission",
          oneOf("always", "second-hit"),
          "always",
          StoreConfig::diskAdmission,
          "Which evicted objects are written to disk: all of them, or only those requested"
              + " more than once.");
  static final Field<StoreConfig, Long> STORE_DISK_BYTES_PER_DAY =
      atStart(
          "disk-bytes-per-day",
          size("0", "1024TiB"),
          "0",
          StoreConfig::diskBytesPerDay,
          "Maximum amount of data written to all disks together, per day; 0 means no limit.");
  static final Field<StoreConfig, Duration> STORE_DISK_KEEP =
      atStart(
          "disk-keep",
          duration("0s", "365d"),
          "24h",
          StoreConfig::diskKeep,
          "How long after its expiry an object on disk can still be revalidated with the"
              + " origin instead of being fetched again. After that, a request for it is a"
              + " miss that reads no disk.");
  static final Field<StoreConfig, Duration> STORE_DISK_STOP_LIMIT =
      atStart(
          "disk-stop-limit",
          duration("0s", "1h"),
          "10s",
          StoreConfig::diskStopLimit,
          "Maximum time for a stop to copy objects that are only in memory to the disks;"
              + " the log reports how many remain. It may take as long again to write what"
              + " the next start needs to know of the disks; with 0s that is not written.");

  static final Field<StoreConfig, String> STORE_DISK_IO =
      atStart(
          "disk-io",
          oneOf("buffered", "direct"),
          "buffered",
          StoreConfig::diskIo,
          "How disks are read and written: through the page cache, or bypassing it"
              + " (`O_DIRECT`), which leaves the page cache to other processes. If a file"
              + " system does not support direct I/O, buffered I/O is used and logged.");
  static final Field<StoreConfig, Long> STORE_SCRUB_RATE =
      atStart(
          "scrub-rate",
          size("0", "64GiB"),
          "4MiB",
          StoreConfig::scrubRate,
          "Rate, per second, at which the scrub reads the memory tier and each disk that"
              + " no request is waiting for. The scrub finds damaged records before a request"
              + " does; 0 disables it.");
  static final Field<StoreConfig, Long> STORE_EVACUATE_RATE =
      atStart(
          "evacuate-rate",
          size("0", "64GiB"),
          "64MiB",
          StoreConfig::evacuateRate,
          "Maximum rate, per second, at which `forebay store evacuate` moves objects from a disk to"
              + " others; 0 means no limit.");
  static final Field<StoreConfig, Path> STORE_SMARTCTL =
      optional(
          "smartctl",
          ValueType.PATH,
          "drives are not asked",
          true,
          StoreConfig::smartctl,
          "The program `smartctl` (Debian's `smartmontools`), or one that takes its arguments. The"
              + " node runs it every ten minutes, for at most 30 s, with `--json=c --all` and the"
              + " drive below each disk, as the user of the node: it needs the permission to ask"
              + " drives. The metrics that start with `forebay_drive_` have the answers.");
  static final Field<StoreConfig, Integer> STORE_INDEX_ENTRIES =
      atStart(
          "index-entries",
          integer(0, 2_000_000_000),
          "0",
          StoreConfig::indexEntries,
          "Maximum number of index entries. An object takes one entry, and one more for each MiB"
              + " of its body; on a disk, up to 12 MiB that lie together share one. An entry takes"
              + " about 112 bytes of memory if there is a copy in memory, about 22 bytes if there"
              + " is one on a disk only. With disks, at most half of the number is for"
              + " objects in memory. 0 means one entry for each"
              + " 4 KiB of the memory tier and each 8 KiB of the disks (32 KiB where 8 take more"
              + " than a quarter of `store.index-memory`, or as many between as that quarter"
              + " holds), more if an earlier run needed more, and at most"
              + " `store.index-memory`. When the"
              + " index is full, the oldest objects are evicted although there is space; a"
              + " warning and `forebay_index_bound_regions_total` report this."
              + " `config check` prints which part of the disks the index can name.");
  static final Field<StoreConfig, Integer> STORE_INDEX_MEMORY =
      atStart(
          "index-memory",
          percent(1, 60),
          "25%",
          StoreConfig::indexMemoryPercent,
          "Largest share of the memory of the control group (or of the machine if no control"
              + " group limits it) that the index takes while `store.index-entries` is 0. It takes"
              + " only what the sizes of memory and disks call for; the memory tier's own entries"
              + " are not limited by it.");

  static final Field<DiskConfig, Path> DISK_PATH =
      required(
          "path",
          ValueType.PATH,
          true,
          DiskConfig::path,
          "Directory on the device for the store's data file and its lock. Only the last path"
              + " component is created if missing: its parent must exist, so that a disk that"
              + " is not mounted is an error.");
  static final Field<DiskConfig, Long> DISK_SIZE =
      required(
          "size",
          size("2MiB", "1024TiB"),
          true,
          DiskConfig::bytes,
          "Space that the store allocates on the device at start; its blocks are written,"
              + " so the file is not sparse.");
  static final Field<DiskConfig, Integer> DISK_READERS =
      atStart(
          "readers",
          integer(1, 256),
          "4",
          DiskConfig::readers,
          "Maximum number of concurrent reads.");
  static final Field<DiskConfig, Integer> DISK_MAX_ERRORS =
      atStart(
          "max-errors",
          integer(1, 1_000_000),
          "5",
          DiskConfig::maxErrors,
          "Number of errors after which the disk is fenced: its objects count as missing, and"
              + " the disk is out of service until `forebay store online`. Errors are operations"
              + " that fail or are slow, and records with a checksum mismatch; each batch"
              + " written reduces the count by one.");
  static final Field<DiskConfig, Duration> DISK_SLOW =
      atStart(
          "slow",
          duration("10ms", "10m"),
          "10s",
          DiskConfig::slow,
          "Maximum time of an operation; a longer one counts as an error, and one that"
              + " takes twice as long fences the disk.");

  static final Field<DiskConfig, Long> DISK_TRANSIT_BUFFERS =
      atStart(
          "transit-buffers",
          sizeOrAuto("0", "64GiB"),
          "auto",
          DiskConfig::transitBytes,
          "Maximum memory of the buffers in which small objects and slices of bodies go from the"
              + " disk to clients without entering the memory tier. A client takes up to 2 MiB while it"
              + " receives. While no buffer is free, they are read into the memory tier; 0"
              + " means that all are. `auto` is a 32nd of the memory that the process can have,"
              + " divided among the disks: at least 64 MiB for each, and at most 1 GiB. Whole MiB"
              + " count. Memory is allocated by 8 MiB when it is needed, in pages of 2 MiB where the"
              + " kernel has them, and given back when it was not used for a minute.");

  static final Field<DiskConfig, DailyWrites> DISK_DAILY_WRITES =
      atStart(
          "daily-writes",
          ValueType.dailyWrites("1024TiB"),
          "0",
          DiskConfig::dailyWrites,
          "Maximum amount of data written to the disk in 24 hours, in bytes or in sizes of the"
              + " store (`0.5 DWPD`); 0 means no limit. From three quarters of it on, only objects"
              + " that were requested more than once are written; when it is used up, none is,"
              + " until hours with many writes are more than a day ago. What keeps purges in force"
              + " is always written, and counted. The history of writes survives restarts.");
  static final Field<DiskConfig, Long> DISK_RATED_WRITES =
      atStart(
          "rated-writes",
          size("0", "1048576TiB"),
          "0",
          DiskConfig::ratedWrites,
          "Amount of data that can be written to the disk in its life, as its maker rates it (TBW);"
              + " a rating in DWPD is this number divided by capacity and days of warranty. With"
              + " it, `forebay store stat` and `forebay_disk_years_left` report how long the disk"
              + " lasts at the present rate. 0 means not known.");

  static final Field<DiskConfig, Boolean> DISK_TRIM =
      atStart(
          "trim",
          ValueType.ON_OFF,
          "off",
          DiskConfig::trim,
          "Whether regions that are free are punched out of the store's file and reserved again, so"
              + " that the file system can tell the drive (`fallocate`; the drive is told if the file"
              + " system is mounted with `discard`, or by `fstrim`). A drive with free blocks wears"
              + " less; the file may become fragmented.");

  static final Field<OriginConfig, String> ORIGIN_URL =
      optional(
          "url",
          ValueType.ORIGIN_URL,
          "required, unless `servers` or `files.directory` is set",
          false,
          OriginConfig::url,
          "URL of the origin; without a port, the default port of the scheme applies. A base path is"
              + " put before the path of every request. `http+srv://_http._tcp.example.com` and"
              + " `https+srv://…` take addresses, ports and weights from the SRV records of a name."
              + " `http://unix:FILE:/BASE/` is the same as"
              + " `unix:FILE:/BASE/`. Short for `servers` with one entry.");
  static final Field<OriginConfig, Path> FILES_DIRECTORY =
      optional(
          "files.directory",
          ValueType.PATH,
          "none",
          false,
          ofFiles(FilesConfig::directory),
          "Directory whose files are served, in place of `url`. See [PROXYING.md](PROXYING.md#files-of-a-directory).");
  static final Field<OriginConfig, String> FILES_INDEX =
      optional(
          "files.index",
          ValueType.FILE_NAME,
          "`index.html`",
          false,
          ofFiles(files -> files.index() == null ? "none" : files.index()),
          "Name of the file that stands for a directory; `none` for none. Directories are not"
              + " listed.");
  static final Field<OriginConfig, Boolean> FILES_HIDDEN =
      optional(
          "files.hidden",
          ValueType.BOOLEAN,
          "false",
          false,
          ofFiles(FilesConfig::isHiddenServed),
          "Whether names that begin with a dot are served; `/.well-known/` always is.");
  static final Field<OriginConfig, List<String>> FILES_TYPES =
      optional(
          "files.types",
          ValueType.MEDIA_TYPES,
          "the common ones",
          false,
          ofFiles(FilesConfig::types),
          "Media types by extension, besides and before the common ones, such as"
              + " `glb=model/gltf-binary`.");
  static final Field<OriginConfig, String> FILES_CACHE_CONTROL =
      optional(
          "files.cache-control",
          ValueType.TEXT,
          "`max-age=1`",
          false,
          ofFiles(files -> files.cacheControl() == null ? "none" : files.cacheControl()),
          "`Cache-Control` of files; `none` for none. A file is revalidated by looking at its size"
              + " and time, so the default lets a change be seen after a second.");
  static final Field<OriginConfig, List<String>> FILES_PRECOMPRESSED =
      optional(
          "files.precompressed",
          ValueType.SIBLING_CODINGS,
          "none",
          false,
          ofFiles(FilesConfig::precompressed),
          "Codings of files that were compressed before, the preferred first: with `br`, `zstd` or"
              + " `gzip`, `style.css.br`, `.zst` or `.gz` is sent in place of `style.css` to clients"
              + " that accept it, unless it is older.");
  static final Field<OriginConfig, Balance> ORIGIN_BALANCE =
      live(
          "balance",
          ValueType.constant(Balance.class),
          "peak-ewma",
          OriginConfig::balance,
          "How requests are balanced among the addresses of the servers. `peak-ewma`: of two at"
              + " random, the one with the lower product of latency and requests in progress;"
              + " `round-robin`: in turn; `random`; `least-requests`: the fewest requests in"
              + " progress; `consistent`: by URL, so that few URLs move when servers come and go.");
  static final Field<OriginConfig, String> ORIGIN_HOST =
      optional(
          "host",
          ValueType.TEXT,
          "the client's `Host`",
          false,
          OriginConfig::host,
          "`Host` field sent to the origin.");
  static final Field<OriginConfig, OriginProtocol> ORIGIN_PROTOCOL =
      live(
          "protocol",
          ValueType.constant(OriginProtocol.class),
          "http1",
          OriginConfig::protocol,
          "What is spoken with the origin. `http1`: HTTP/1.1. `auto`: over https, HTTP/2 if the"
              + " origin chooses it in the TLS handshake (ALPN), else HTTP/1.1. `http2`: HTTP/2"
              + " only; over http without negotiation (h2c by prior knowledge). gRPC needs HTTP/2."
              + " A request that offers an upgrade, such as WebSocket, goes over HTTP/1.1 and fails"
              + " with `http2`.");
  static final Field<OriginConfig, Integer> ORIGIN_MAX_CONNECTIONS =
      live(
          "max-connections",
          integer(1, 100_000),
          "256",
          OriginConfig::maxConnections,
          "Maximum number of connections to this origin, over all event loops. A connection of"
              + " HTTP/2 carries up to 64 requests at a time. Of a directory: files that are open at"
              + " a time.");
  static final Field<OriginConfig, Integer> ORIGIN_MAX_WAITING =
      live(
          "max-waiting",
          integer(0, 100_000),
          "1024",
          origin -> origin.protection().maxWaiting(),
          "Maximum number of requests that wait for a connection while all of `max-connections` are"
              + " in use, per event loop; further ones receive 503. They wait at most"
              + " `timeouts.connect`, and not at all while no address of the origin is usable.");
  static final Field<OriginConfig, Integer> ORIGIN_ADAPTIVE_MAX =
      live(
          "adaptive-limit.max",
          integer(0, 100_000),
          "0",
          origin -> origin.protection().adaptive().max(),
          "Turns the adaptive limit of this origin on, and is the most that it comes to; 0 turns it"
              + " off. The limit is the number of requests in progress at the origin, over all event"
              + " loops, that its latency shows it can take without a queue. Further requests wait,"
              + " at most `max-waiting` on each event loop and for `timeouts.connect`; then they"
              + " receive 503.");
  static final Field<OriginConfig, Integer> ORIGIN_ADAPTIVE_MIN =
      live(
          "adaptive-limit.min",
          integer(1, 100_000),
          "4",
          origin -> origin.protection().adaptive().min(),
          "The least that the adaptive limit comes to. A half of the limit is used for moments in"
              + " which the latency of the origin with little to do is measured.");
  static final Field<OriginConfig, Integer> ORIGIN_ADAPTIVE_TOLERANCE =
      live(
          "adaptive-limit.tolerance",
          ValueType.percent(1_000),
          "25%",
          origin -> origin.protection().adaptive().tolerance(),
          "By how much the latency may exceed that of the origin with little to do before the"
              + " adaptive limit is lowered.");
  static final Field<OriginConfig, Duration> ORIGIN_ADAPTIVE_INTERVAL =
      live(
          "adaptive-limit.measure-interval",
          duration("1s", "1h"),
          "30s",
          origin -> origin.protection().adaptive().interval(),
          "How often the latency of the origin with little to do is measured. If more than half of"
              + " the adaptive limit is in use then, the limit is halved until it is measured: about"
              + " four times the latency, and at least 200 ms.");
  static final Field<OriginConfig, Path> ORIGIN_TRUST =
      optional(
          "trust",
          ValueType.PATH,
          "the platform's trust anchors",
          false,
          OriginConfig::trust,
          "PEM file of the trust anchors for the certificate chain of an https origin.");
  static final Field<OriginConfig, String> ORIGIN_TLS_NAME =
      optional(
          "tls.server-name",
          ValueType.HOST,
          "the host of the URL",
          false,
          origin -> origin.tls().serverName(),
          "Name that https servers are asked for (SNI) and that their certificate must have. The"
              + " `Host` field is set by `host`.");
  static final Field<OriginConfig, Path> ORIGIN_TLS_CERTIFICATE =
      optional(
          "tls.certificate",
          ValueType.PATH,
          "none",
          false,
          origin -> origin.tls().certificate(),
          "PEM file of the certificate chain that is shown to https servers which ask for one. A"
              + " reload reads a changed file.");
  static final Field<OriginConfig, Path> ORIGIN_TLS_KEY =
      optional(
          "tls.key",
          ValueType.PATH,
          "none",
          false,
          origin -> origin.tls().key(),
          "PEM file of the private key of `tls.certificate`.");
  static final Field<OriginConfig, List<String>> ORIGIN_TLS_PINS =
      live(
          "tls.pins",
          ValueType.KEY_PINS,
          "",
          origin -> origin.tls().pins(),
          "Public keys, of which one must be that of a certificate that the server sends, besides"
              + " the check of the chain and the name. List the next key before it is used.");
  static final Field<OriginConfig, Boolean> ORIGIN_ALLOW_LOOPBACK_NAMES =
      live(
          "allow-loopback-names",
          ValueType.BOOLEAN,
          "false",
          OriginConfig::allowLoopbackNames,
          "Whether the origin's name may resolve to a loopback address. `localhost` always may.");
  static final Field<OriginConfig, Boolean> ORIGIN_ALLOW_PRIVATE_NAMES =
      live(
          "allow-private-names",
          ValueType.BOOLEAN,
          "true",
          OriginConfig::allowPrivateNames,
          "Whether the origin's name may resolve to an address in a private range (10/8,"
              + " 100.64/10, 172.16/12, 192.168/16, fc00::/7).");
  static final Field<OriginConfig, Duration> ORIGIN_CONNECT =
      live(
          "timeouts.connect",
          duration("1ms", "5m"),
          "3s",
          OriginConfig::connectTimeout,
          "Maximum time to establish a connection, including the TLS handshake.");
  static final Field<OriginConfig, Duration> ORIGIN_OTHER_FAMILY =
      live(
          "timeouts.other-family",
          duration("10ms", "5m"),
          "250ms",
          origin -> origin.egress().otherFamilyAfter(),
          "Maximum time to wait for the TCP connection to an address while the server has an"
              + " address of the other family (IPv4, IPv6) that can be used and was not tried for"
              + " the request; that one is tried next (compare RFC 8305 §5). At most"
              + " `timeouts.connect` in all.");
  static final Field<OriginConfig, Duration> ORIGIN_FIRST_BYTE =
      live(
          "timeouts.first-byte",
          duration("1ms", "1h"),
          "30s",
          OriginConfig::firstByteTimeout,
          "Maximum time from sending the request to the first byte of the response.");
  static final Field<OriginConfig, Duration> ORIGIN_IDLE =
      live(
          "timeouts.idle",
          duration("1ms", "1h"),
          "30s",
          OriginConfig::idleTimeout,
          "Maximum time from the first byte of a response to the end of its head, and between two"
              + " bytes of its body, while the node is ready to read.");
  static final Field<OriginConfig, Duration> ORIGIN_TOTAL =
      live(
          "timeouts.total",
          duration("1ms", "7d"),
          "1h",
          OriginConfig::totalTimeout,
          "Maximum time for a complete exchange with the origin.");
  static final Field<OriginConfig, Duration> ORIGIN_KEEP_ALIVE =
      live(
          "keep-alive",
          duration("0s", "1h"),
          "30s",
          OriginConfig::keepAlive,
          "How long an idle connection is kept for reuse; 0s closes it immediately.");

  static final Field<OriginConfig, Integer> ORIGIN_RETRY_ATTEMPTS =
      live(
          "retry.attempts",
          integer(0, 10),
          "1",
          origin -> origin.retry().attempts(),
          "How often a request that is safe to send again goes to another address, after the"
              + " connection was lost before the head of a response was whole, or"
              + " `timeouts.first-byte` passed, or `timeouts.idle` within the head.");
  static final Field<OriginConfig, List<String>> ORIGIN_RETRY_STATUSES =
      live(
          "retry.statuses",
          ValueType.RETRY_STATUSES,
          "",
          origin -> origin.retry().statuses().stream().map(String::valueOf).toList(),
          "Responses after which such a request goes to another address as well.");
  static final Field<OriginConfig, Integer> ORIGIN_RETRY_BUDGET =
      live(
          "retry.budget",
          ValueType.percent(100),
          "10%",
          origin -> origin.retry().budget(),
          "Maximum share of the requests that are sent again, per event loop. Three in ten seconds"
              + " always are, unless it is 0%.");
  static final Field<OriginConfig, Boolean> ORIGIN_RETRY_HEDGE =
      live(
          "retry.hedge",
          ValueType.BOOLEAN,
          "false",
          origin -> origin.retry().isHedged(),
          "Whether a request that is safe to send again also goes to another address when its"
              + " response is late: later than 95% of the latest 256, per event loop. The first"
              + " response is used.");
  static final Field<OriginConfig, Boolean> ORIGIN_RETRY_RESUME =
      live(
          "retry.resume",
          ValueType.BOOLEAN,
          "true",
          origin -> origin.retry().isResumed(),
          "Whether the rest of a body that breaks off is requested as a range, from another address"
              + " if there is one. The response must have a strong entity tag.");
  static final Field<OriginConfig, Integer> ORIGIN_EJECTION_FAILURES =
      live(
          "ejection.failures",
          integer(0, 1_000),
          "5",
          origin -> origin.ejection().failures(),
          "After this many failed requests in a row an address is ejected: it gets no requests for"
              + " some time. 0: never.");
  static final Field<OriginConfig, Integer> ORIGIN_EJECTION_GATEWAY_ERRORS =
      live(
          "ejection.gateway-errors",
          integer(0, 1_000),
          "5",
          origin -> origin.ejection().gatewayErrors(),
          "After this many responses with status 502, 503 or 504 in a row an address is ejected. 0:"
              + " never.");
  static final Field<OriginConfig, Duration> ORIGIN_EJECTION_TIME =
      live(
          "ejection.time",
          duration("100ms", "5m"),
          "10s",
          origin -> origin.ejection().time(),
          "How long an ejection lasts. Then one request is sent to the address; if that fails, the"
              + " next ejection takes twice as long, at most 5m.");
  static final Field<OriginConfig, Integer> ORIGIN_EJECTION_MAX_SHARE =
      live(
          "ejection.max-share",
          ValueType.percent(100),
          "50%",
          origin -> origin.ejection().maxShare(),
          "Maximum share of the origin's addresses that are ejected at the same time.");
  static final Field<OriginConfig, Boolean> ORIGIN_EJECTION_CIRCUIT =
      live(
          "ejection.circuit",
          ValueType.BOOLEAN,
          "false",
          origin -> origin.protection().isCircuit(),
          "Whether every address may be ejected, also the only one, and requests then fail at once"
              + " (502, a stale response, or the next origin of `fallback`) but for one at a time"
              + " that finds out whether the origin answers again. Otherwise all addresses are used"
              + " if none is left.");
  static final Field<OriginConfig, Integer> ORIGIN_EJECTION_PANIC =
      live(
          "ejection.panic-threshold",
          ValueType.percent(100),
          "50%",
          origin -> origin.ejection().panicThreshold(),
          "If a smaller share of the origin's addresses is left, ejections are ignored and all are"
              + " used.");

  static final Field<OriginConfig, List<String>> ORIGIN_FALLBACK =
      live(
          "fallback",
          ValueType.ORIGINS,
          "",
          OriginConfig::fallback,
          "Origins that get the requests which no server of this one can answer, in this order. Each"
              + " is followed by its own fallbacks. Circles are not allowed.");
  static final Field<OriginConfig, Integer> ORIGIN_EJECTION_SLOW_FACTOR =
      live(
          "ejection.slow-factor",
          ValueType.factor(100),
          "0",
          origin -> origin.ejection().slow().factor(),
          "An address whose latency is this many times the median of the others' is ejected. 0:"
              + " never.");
  static final Field<OriginConfig, Duration> ORIGIN_EJECTION_SLOW_TIME =
      live(
          "ejection.slow-time",
          duration("3s", "1h"),
          "30s",
          origin -> origin.ejection().slow().time(),
          "For how long its latency must be so. It is measured in thirds of this time.");
  static final Field<OriginConfig, Duration> ORIGIN_EJECTION_SLOW_MIN =
      live(
          "ejection.slow-min",
          duration("1ms", "1m"),
          "100ms",
          origin -> origin.ejection().slow().min(),
          "A latency below this is never too high.");
  static final Field<OriginConfig, Duration> ORIGIN_SLOW_START =
      live(
          "slow-start",
          duration("0s", "1h"),
          "0s",
          OriginConfig::slowStart,
          "How long the share of the requests of an address grows, from a tenth to all of its"
              + " weight, after it recovered or was added. 0s: not at all.");
  static final Field<OriginConfig, ProbeConfig.Type> PROBE_TYPE =
      live(
          "probe.type",
          ValueType.constant(ProbeConfig.Type.class),
          "off",
          origin -> origin.probe().type(),
          "Active probes of every address of the origin's servers. `http`: a request with an"
              + " expected answer; `tcp`: a connection. An address that fails its probes gets no"
              + " requests while others can be used.");
  static final Field<OriginConfig, String> PROBE_PATH =
      live(
          "probe.path",
          ValueType.PROBE_PATH,
          "/",
          origin -> origin.probe().path(),
          "Path, and query, of the request.");
  static final Field<OriginConfig, String> PROBE_METHOD =
      live(
          "probe.method",
          ValueType.oneOf("GET", "HEAD"),
          "GET",
          origin -> origin.probe().method(),
          "Method of the request.");
  static final Field<OriginConfig, List<String>> PROBE_STATUSES =
      live(
          "probe.statuses",
          ValueType.PROBE_STATUSES,
          "200-299",
          origin -> origin.probe().statuses(),
          "Statuses that count as success.");
  static final Field<OriginConfig, String> PROBE_TEXT =
      optional(
          "probe.text",
          ValueType.PROBE_TEXT,
          "none: the head of the response is enough",
          false,
          origin -> origin.probe().text(),
          "Text that the body of the response must have.");
  static final Field<OriginConfig, Long> PROBE_TEXT_WITHIN =
      live(
          "probe.text-within",
          size("1", "256KiB"),
          "16KiB",
          origin -> origin.probe().textWithin(),
          "How much of the body is read to find the text.");
  static final Field<OriginConfig, String> PROBE_HOST =
      optional(
          "probe.host",
          ValueType.TEXT,
          "`origins.NAME.host`, else host and port of the server",
          false,
          origin -> origin.probe().host(),
          "`Host` field of the request.");
  static final Field<OriginConfig, Integer> PROBE_PORT =
      optional(
          "probe.port",
          integer(1, 65_535),
          "the server's",
          false,
          origin -> origin.probe().port(),
          "Port that is probed.");
  static final Field<OriginConfig, String> PROBE_TLS_NAME =
      optional(
          "probe.tls-name",
          ValueType.HOST,
          "the server's",
          false,
          origin -> origin.probe().tlsName(),
          "Name that is asked for and verified in TLS, with https servers.");
  static final Field<OriginConfig, Duration> PROBE_INTERVAL =
      live(
          "probe.interval",
          duration("10ms", "1h"),
          "5s",
          origin -> origin.probe().interval(),
          "Time from the start of a probe of an address to the start of the next.");
  static final Field<OriginConfig, Duration> PROBE_TIMEOUT =
      live(
          "probe.timeout",
          duration("1ms", "1m"),
          "2s",
          origin -> origin.probe().timeout(),
          "Maximum time of a probe, from the connection to the expected text.");
  static final Field<OriginConfig, Integer> PROBE_JITTER =
      live(
          "probe.jitter",
          ValueType.percent(50),
          "10%",
          origin -> origin.probe().jitter(),
          "By how much each interval varies at random.");
  static final Field<OriginConfig, Integer> PROBE_HEALTHY =
      live(
          "probe.healthy",
          integer(1, 100),
          "2",
          origin -> origin.probe().healthy(),
          "Successes in a row after which a failing address passes.");
  static final Field<OriginConfig, Integer> PROBE_UNHEALTHY =
      live(
          "probe.unhealthy",
          integer(1, 100),
          "3",
          origin -> origin.probe().unhealthy(),
          "Failures after which an address fails: in a row, or among the latest `probe.window`"
              + " results.");
  static final Field<OriginConfig, Integer> PROBE_WINDOW =
      live(
          "probe.window",
          integer(0, ProbeConfig.MAX_WINDOW),
          "0",
          origin -> origin.probe().window(),
          "An address fails after `probe.unhealthy` failures among so many of its latest results,"
              + " whatever their order; at least `probe.unhealthy`. 0: failures in a row.");
  static final Field<OriginConfig, ProbeConfig.Initial> PROBE_INITIAL =
      live(
          "probe.initial",
          ValueType.constant(ProbeConfig.Initial.class),
          "usable",
          origin -> origin.probe().initial(),
          "What an address is until its first result. One that is `unusable` is used from its first"
              + " success on.");

  /** What only http probes have. */
  static final List<Field<OriginConfig, ?>> PROBE_HTTP_FIELDS =
      List.of(
          PROBE_PATH,
          PROBE_METHOD,
          PROBE_STATUSES,
          PROBE_TEXT,
          PROBE_TEXT_WITHIN,
          PROBE_HOST,
          PROBE_TLS_NAME);

  static final List<Field<OriginConfig, ?>> PROBE_FIELDS =
      List.of(
          PROBE_TYPE,
          PROBE_PATH,
          PROBE_METHOD,
          PROBE_STATUSES,
          PROBE_TEXT,
          PROBE_TEXT_WITHIN,
          PROBE_HOST,
          PROBE_PORT,
          PROBE_TLS_NAME,
          PROBE_INTERVAL,
          PROBE_TIMEOUT,
          PROBE_JITTER,
          PROBE_HEALTHY,
          PROBE_UNHEALTHY,
          PROBE_WINDOW,
          PROBE_INITIAL);

  static final Field<OriginConfig, String> S3_BUCKET =
      optional(
          "s3.bucket",
          ValueType.BUCKET,
          "none",
          false,
          origin -> ofS3(origin, S3Config::bucket),
          "Bucket of an S3-compatible origin: `GET` and `HEAD` of its objects are signed with AWS"
              + " Signature Version 4. The path of a request is the key of the object.");
  static final Field<OriginConfig, Addressing> S3_ADDRESSING =
      live(
          "s3.addressing",
          ValueType.constant(Addressing.class),
          "path",
          origin -> ofS3(origin, S3Config::addressing),
          "Where the bucket is named. `path`: before the path, which becomes `/BUCKET/KEY`;"
              + " `virtual-host`: as the first label of `Host`, unless `host` is set or the URL's"
              + " host begins with the bucket.");
  static final Field<OriginConfig, String> S3_REGION =
      optional(
          "s3.region",
          ValueType.REGION,
          "required with `s3`",
          false,
          origin -> ofS3(origin, S3Config::region),
          "Region for which requests are signed.");
  static final Field<OriginConfig, String> S3_ACCESS_KEY =
      optional(
          "s3.access-key",
          ValueType.ACCESS_KEY,
          "required with `s3`",
          false,
          origin -> ofS3(origin, S3Config::accessKey),
          "Id of the access key. It needs the right to read objects, and no other.");
  static final Field<OriginConfig, Secret> S3_SECRET_KEY =
      optional(
          "s3.secret-key",
          ValueType.SECRET_KEY,
          "required with `s3`, or `s3.secret-key-file`",
          false,
          origin -> ofS3(origin, S3Config::secretKey),
          "Secret of the access key.");
  static final Field<OriginConfig, Path> S3_SECRET_KEY_FILE =
      optional(
          "s3.secret-key-file",
          ValueType.PATH,
          "none",
          false,
          null,
          "File whose first line is the secret; read at start and at each reload.");
  static final Field<OriginConfig, Secret> S3_SESSION_TOKEN =
      optional(
          "s3.session-token",
          ValueType.SECRET_VALUE,
          "none",
          false,
          origin -> ofS3(origin, S3Config::sessionToken),
          "Session token of temporary credentials.");
  static final Field<OriginConfig, Path> S3_SESSION_TOKEN_FILE =
      optional(
          "s3.session-token-file",
          ValueType.PATH,
          "none",
          false,
          null,
          "File whose first line is the session token; read at start and at each reload.");
  static final Field<OriginConfig, List<String>> S3_PARAMETERS =
      live(
          "s3.parameters",
          ValueType.PARAMETERS,
          "",
          origin -> ofS3(origin, S3Config::parameters),
          "Query parameters that are sent to the origin, such as `versionId`. All others are"
              + " dropped: with a signature, parameters can list the bucket or replace the fields of"
              + " a response.");
  static final Field<OriginConfig, String> HMAC_KEY_ID =
      optional(
          "hmac.key-id",
          ValueType.PSEUDONYM,
          "none",
          false,
          origin -> ofHmac(origin, HmacConfig::keyId),
          "Requests are signed with HMAC-SHA256 (HTTP Message Signatures, RFC 9421): method,"
              + " authority, path, query and the time. The name tells the origin which key it was.");
  static final Field<OriginConfig, Secret> HMAC_KEY =
      optional(
          "hmac.key",
          ValueType.HMAC_KEY,
          "required with `hmac`, or `hmac.key-file`",
          false,
          origin -> ofHmac(origin, HmacConfig::key),
          "Key that the node shares with the origin.");
  static final Field<OriginConfig, Path> HMAC_KEY_FILE =
      optional(
          "hmac.key-file",
          ValueType.PATH,
          "none",
          false,
          null,
          "File whose first line is the key; read at start and at each reload.");

  static final Field<StaticField, String> HEADER_NAME =
      required(
          "name",
          ValueType.STATIC_FIELD,
          false,
          StaticField::name,
          "Name of the field. The client's fields of this name are not forwarded.");
  static final Field<StaticField, Secret> HEADER_VALUE =
      optional(
          "value",
          ValueType.SECRET_VALUE,
          "required, or `value-file`",
          false,
          StaticField::value,
          "Value of the field; it is treated as a secret.");
  static final Field<StaticField, Path> HEADER_VALUE_FILE =
      optional(
          "value-file",
          ValueType.PATH,
          "none",
          false,
          null,
          "File whose first line is the value; read at start and at each reload.");

  static final Field<OriginConfig, String> ORIGIN_PROXY_PROTOCOL =
      live(
          "proxy-protocol",
          ValueType.oneOf("off", "v2"),
          "off",
          origin -> origin.egress().proxyProtocol() ? "v2" : "off",
          "Whether connections begin with a header of the PROXY protocol. A request that is passed"
              + " for a client gets a connection of its own, with the client's address, which is"
              + " closed after it; fetches into the store share connections with LOCAL.");
  static final Field<OriginConfig, List<InetAddress>> ORIGIN_SOURCE_ADDRESS =
      live(
          "source-address",
          ValueType.SOURCE_ADDRESSES,
          "",
          origin -> origin.egress().sourceAddresses(),
          "Local address of the connections. Servers of a family that has none here are not"
              + " connected to. Empty: the kernel's choice.");

  static final Field<OriginConfig, String> ORIGIN_PROXY =
      optional(
          "proxy",
          ValueType.PROXY_URL,
          "none",
          false,
          origin -> origin.egress().proxyUrl(),
          "HTTP proxy through which connections to the servers go (CONNECT). It resolves the names"
              + " of the servers and decides what may be reached: `allow-loopback-names` and"
              + " `allow-private-names` have no effect then.");
  static final Field<OriginConfig, String> ORIGIN_PROXY_USER =
      optional(
          "proxy-user",
          ValueType.TEXT,
          "none",
          false,
          origin -> origin.egress().proxyUser(),
          "User name for the proxy (Basic, RFC 7617).");
  static final Field<OriginConfig, String> ORIGIN_PROXY_PASSWORD =
      optional(
          "proxy-password",
          ValueType.PASSWORD,
          "none",
          false,
          origin -> origin.egress().proxyPassword(),
          "Password for the proxy, such as `${PROXY_PASSWORD}`.");
  static final Field<OriginConfig, Path> ORIGIN_PROXY_PASSWORD_FILE =
      optional(
          "proxy-password-file",
          ValueType.PATH,
          "none",
          false,
          origin -> origin.egress().proxyPasswordFile(),
          "File whose first line is the password for the proxy. A reload reads it again.");

  static final Field<OriginServerConfig, String> SERVER_URL =
      required(
          "url",
          ValueType.ORIGIN_URL,
          false,
          OriginServerConfig::url,
          "URL of the server; without a port, the default port of the scheme applies. A base path is"
              + " put before the path of every request. `http+srv://_http._tcp.example.com` and"
              + " `https+srv://…` take addresses, ports and weights from the SRV records of a name.");
  static final Field<OriginServerConfig, Integer> SERVER_WEIGHT =
      live(
          "weight",
          integer(1, 1_000),
          "1",
          OriginServerConfig::weight,
          "Share of the requests, relative to the other servers of the origin. Each address of the"
              + " server's name has this weight; an SRV name has those of its records.");
  static final Field<OriginServerConfig, Integer> SERVER_MAX_CONNECTIONS =
      live(
          "max-connections",
          integer(0, 100_000),
          "0",
          OriginServerConfig::maxConnections,
          "Maximum number of connections to this server, over all its addresses and event loops,"
              + " besides `max-connections` of the origin; 0 means no limit of its own. A server at"
              + " its limit gets no request that another one can take; backups do not stand in for"
              + " it. If every server is at its limit, requests wait as for `max-connections`.");
  static final Field<OriginServerConfig, Boolean> SERVER_BACKUP =
      live(
          "backup",
          ValueType.BOOLEAN,
          "false",
          OriginServerConfig::isBackup,
          "Whether the server gets requests only while no other server of the origin can be used.");

  static final Field<RouteConfig, String> ROUTE_NAME =
      optional(
          "name",
          ValueType.NAME,
          "`route-1`, `route-2`, …",
          false,
          RouteConfig::name,
          "Name of the route in logs and in the comparison of configurations.");
  static final Field<RouteConfig, String> ROUTE_HOST =
      live(
          "match.host",
          ValueType.ROUTE_HOST,
          "*",
          RouteConfig::host,
          "Hosts that the route matches. `*.example.com` matches every name below"
              + " `example.com`, but not `example.com` itself; without a port, every port"
              + " matches.");
  static final Field<RouteConfig, String> ROUTE_PATH =
      live(
          "match.path",
          ValueType.PATH_PREFIX,
          "/",
          RouteConfig::pathPrefix,
          "Prefix of the path: `/a` matches `/a` and everything below `/a/`; `/a/` matches"
              + " only what is below it.");
  static final Field<RouteConfig, String> ROUTE_ORIGIN =
      optional(
          "origin",
          ValueType.NAME,
          "the only origin, if exactly one is configured",
          false,
          RouteConfig::origin,
          "Name of the origin.");
  static final Field<RouteConfig, MediaSettings.Preset> ROUTE_MEDIA =
      live(
          "media",
          ValueType.constant(MediaSettings.Preset.class),
          "off",
          route -> route.settings().media().preset(),
          "Whether the route is for streamed media. `live`: channels. Manifests without a lifetime of"
              + " their own are fresh for half of their target duration, segments for 1 h; a 404 is"
              + " kept for at most 1 s, nothing is written to disks, and LL-HLS playlists are waited"
              + " for. `vod`: films. Ended manifests are fresh for 1 d, segments for 30 d; what is"
              + " requested again is written to disks. The origin's lifetimes and other keys of the"
              + " route (`default-ttl`, `ttl-override`, `negative-ttl`, `hit-for-miss`,"
              + " `storage-class`) take precedence. See [VIDEO.md](VIDEO.md).");
  static final Field<RouteConfig, List<String>> ROUTE_TARGETED_FIELDS =
      live(
          "targeted-fields",
          ValueType.FIELD_NAMES,
          "forebay-cache-control,cdn-cache-control,surrogate-control",
          route -> route.settings().freshness().targetedFields(),
          "Fields that take precedence over `Cache-Control` and `Expires` (RFC 9213): the"
              + " first one that is valid and not empty applies alone. `Forebay-Cache-Control`"
              + " and `Surrogate-Control` are not forwarded to clients if they are listed.");
  static final Field<RouteConfig, Duration> ROUTE_DEFAULT_TTL =
      optional(
          "default-ttl",
          duration("0s", "3650d"),
          "none: the heuristic of RFC 9111",
          false,
          route -> route.settings().freshness().defaultTtl(),
          "Freshness lifetime of a response that does not specify one.");
  static final Field<RouteConfig, Duration> ROUTE_TTL_OVERRIDE =
      optional(
          "ttl-override",
          duration("0s", "3650d"),
          "none",
          false,
          route -> route.settings().freshness().ttlOverride(),
          "Freshness lifetime of a response, overriding the one it specifies; errors are"
              + " excluded. `no-store`, `private` and similar directives still apply.");
  static final Field<RouteConfig, NegativeTtl> ROUTE_NEGATIVE_TTL =
      live(
          "negative-ttl",
          ValueType.NEGATIVE_TTL,
          "",
          route -> route.settings().freshness().negativeTtl(),
          "Freshness lifetime, by status, of error responses that do not specify one; it takes"
              + " precedence over `heuristic-errors`. `4xx` and `5xx` do not include the statuses"
              + " that depend on the client (401, 402, 403, 405, 406, 407, 414, 451), which must be"
              + " listed by number.");
  static final Field<RouteConfig, Boolean> ROUTE_HEURISTIC =
      live(
          "heuristic",
          ValueType.BOOLEAN,
          "true",
          route -> route.settings().freshness().heuristic(),
          "Whether a response without explicit freshness is fresh for a tenth of the time"
              + " since `Last-Modified`, at most a day (RFC 9111 §4.2.2).");
  static final Field<RouteConfig, List<String>> ROUTE_HEURISTIC_ERRORS =
      live(
          "heuristic-errors",
          ValueType.HEURISTIC_ERRORS,
          "404,410,501",
          route ->
              route.settings().freshness().heuristicErrors().stream()
                  .sorted()
                  .map(String::valueOf)
                  .toList(),
          "Error statuses to which `heuristic` applies, for at most 5 minutes. It applies"
              + " to responses with `public` regardless of this list, unless the status depends"
              + " on the client (401, 402, 403, 405, 406, 407, 414, 451). `[]` means no status.");
  static final Field<RouteConfig, Boolean> ROUTE_STORE_BAD_REQUEST =
      live(
          "store-bad-request",
          ValueType.BOOLEAN,
          "false",
          route -> route.settings().freshness().storesBadRequests(),
          "Whether a 400 response with explicit freshness is stored, if its request has"
              + " neither `Cookie` nor `Authorization`. One client's malformed field can then"
              + " cause 400 for all clients of a URL: use it only for origins whose 400 depends"
              + " on the URL alone.");
  static final Field<RouteConfig, Boolean> ROUTE_HEURISTIC_WITH_COOKIES =
      live(
          "heuristic-with-cookies",
          ValueType.BOOLEAN,
          "false",
          route -> route.settings().freshness().heuristicWithCookies(),
          "Whether `heuristic` also applies to responses to requests with `Cookie`. Otherwise"
              + " such responses have no lifetime, unless `key.cookies` puts the cookies into"
              + " the key.");
  static final Field<RouteConfig, Integer> ROUTE_TTL_JITTER =
      live(
          "ttl-jitter",
          percent(50),
          "0%",
          route -> route.settings().freshness().jitterPercent(),
          "Maximum percentage of its lifetime by which an object expires early, so that"
              + " objects stored together do not expire together. An object never expires later"
              + " than the origin specifies.");
  static final Field<RouteConfig, Duration> ROUTE_STALE_WHILE_REVALIDATE =
      live(
          "stale-while-revalidate",
          duration("0s", "3650d"),
          "0s",
          route -> route.settings().stale().whileRevalidate(),
          "How long a stale object is served while it is being refreshed, if the origin does"
              + " not specify it. This never applies to an object without a lifetime above 0"
              + " (`max-age=0`, `Expires: 0`, a malformed time).");
  static final Field<RouteConfig, Duration> ROUTE_STALE_IF_ERROR =
      live(
          "stale-if-error",
          duration("0s", "3650d"),
          "0s",
          route -> route.settings().stale().ifError(),
          "How long a stale object is served while the origin fails (no connection, timeout,"
              + " 500, 502, 503, 504), if the origin does not specify it. This never applies"
              + " to an object without a lifetime above 0.");
  static final Field<RouteConfig, Duration> ROUTE_KEEP =
      optional(
          "keep",
          duration("0s", "3650d"),
          "no limit in memory; `store.disk-keep` on disks",
          false,
          route -> route.settings().stale().keep(),
          "How long an object can still be revalidated with its origin instead of being"
              + " fetched again, after the end of its freshness lifetime and of the longer of"
              + " `stale-while-revalidate` and `stale-if-error`.");
  static final Field<RouteConfig, Integer> ROUTE_EARLY_REFRESH =
      live(
          "early-refresh",
          percent(50),
          "0%",
          route -> route.settings().stale().earlyRefreshPercent(),
          "Final percentage of its lifetime in which a popular object may be refreshed"
              + " while it is fresh: each request starts a refresh with a probability that grows"
              + " towards the end; 0% disables this.");
  static final Field<RouteConfig, SetCookie> ROUTE_SET_COOKIE =
      live(
          "set-cookie",
          ValueType.constant(SetCookie.class),
          "refuse",
          route -> route.settings().cookies().setCookie(),
          "How a response with `Set-Cookie` is handled: not stored, stored unchanged, or"
              + " stored without the field.");
  static final Field<RouteConfig, List<String>> ROUTE_REQUEST_COOKIES_STRIP =
      cookies(
          "request-cookies.strip",
          route -> route.settings().cookies().request(),
          false,
          "Cookies removed from requests before any other processing.");
  static final Field<RouteConfig, List<String>> ROUTE_REQUEST_COOKIES_KEEP =
      cookies(
          "request-cookies.keep",
          route -> route.settings().cookies().request(),
          true,
          "Cookies kept in requests, all others being removed; `[]` removes all.");
  static final Field<RouteConfig, List<String>> ROUTE_RESPONSE_COOKIES_STRIP =
      cookies(
          "response-cookies.strip",
          route -> route.settings().cookies().response(),
          false,
          "Cookies whose `Set-Cookie` is dropped as if the origin had not sent it.");
  static final Field<RouteConfig, List<String>> ROUTE_RESPONSE_COOKIES_KEEP =
      cookies(
          "response-cookies.keep",
          route -> route.settings().cookies().response(),
          true,
          "Cookies that responses may set; the `Set-Cookie` of others is dropped.");
  static final Field<RouteConfig, List<String>> ROUTE_PASS_COOKIES =
      live(
          "pass-cookies",
          ValueType.COOKIE_PATTERNS,
          "",
          route -> route.settings().cookies().passing().patterns(),
          "Requests with a cookie of one of these names go to the origin and are neither"
              + " answered from the cache nor stored. Cookies that `request-cookies` removes do"
              + " not count.");
  static final Field<RouteConfig, ClientDirectives> ROUTE_CLIENT_DIRECTIVES =
      live(
          "client-directives",
          ValueType.constant(ClientDirectives.class),
          "ignore",
          route -> route.settings().clientDirectives(),
          "Whether the `Cache-Control` of a request (no-cache, max-age, …) is honoured.");
  static final Field<RouteConfig, Boolean> ROUTE_CACHE =
      live(
          "cache",
          ValueType.BOOLEAN,
          "true",
          route -> !route.settings().passthrough(),
          "Whether responses of this route are stored; `false` passes every request through.");

  static final Field<RouteConfig, Boolean> ROUTE_CLIENT_INVALIDATION =
      live(
          "client-invalidation",
          ValueType.BOOLEAN,
          "true",
          route -> route.settings().clientInvalidation(),
          "Whether a request with an unsafe or unknown method (POST, PUT, DELETE, …) that"
              + " receives a 2xx or 3xx response invalidates the stored responses for its URL,"
              + " for `Location` and `Content-Location` of the same origin, and for the groups"
              + " that the response names (RFC 9111 §4.4, RFC 9875). If false, only purges"
              + " invalidate.");
  static final Field<RouteConfig, Boolean> ROUTE_STORE_POST =
      live(
          "store-post",
          ValueType.BOOLEAN,
          "true",
          route -> route.settings().storesPost(),
          "Whether a 200 response to POST with explicit freshness and with a `Content-Location`"
              + " equal to the URL of the request is stored for GET and HEAD (RFC 9110 §9.3.3)."
              + " Requires `client-invalidation`. The request must have neither `Cookie` nor"
              + " `Authorization`, nor fields that a fetch would not send; the response must not"
              + " have `Set-Cookie`. The content of the request is not part of the key: disable it"
              + " for origins that send this `Content-Location` with other content than a GET"
              + " gets.");

  static final Field<RouteConfig, String> ROUTE_STORE_CLASS =
      live(
          "storage-class",
          ValueType.NAME,
          "default",
          route -> route.settings().storageClass(),
          "Storage class of the route's responses: an entry of `storage-classes`, `default`,"
              + " `memory` (never written to a disk), `disk` (kept on disks; memory has them"
              + " only on the way) or `vod` (as `disk`, from the second request on). It applies to what is stored from then on. If several routes"
              + " share keys, an object has the class of the route that fetched it.");

  static final Field<RouteConfig, String> ROUTE_RANGE_FETCH =
      live(
          "range-fetch",
          oneOf("whole", "far", "slices"),
          "far",
          route -> route.ranges().fetch().name().toLowerCase(Locale.ROOT),
          "What is fetched for a range of an object of which nothing is stored. `whole`:"
              + " the whole body. `far`: only the slices of the range if it is far (`range-far`)"
              + " or a suffix range, else the whole body. `slices`: only the slices of the"
              + " range.");
  static final Field<RouteConfig, Long> ROUTE_RANGE_FAR =
      live(
          "range-far",
          size("0", "16TiB"),
          "8MiB",
          route -> route.ranges().farBytes(),
          "Distance from which a range is far: the number of bytes between its start and the"
              + " end of the received part of the body, or the start of the body if nothing is"
              + " stored. A far range does not wait for the body but is fetched by slice.");
  static final Field<RouteConfig, Integer> ROUTE_RANGE_LIMIT =
      live(
          "range-limit",
          integer(1, 1000),
          "16",
          route -> route.ranges().maxRanges(),
          "Maximum number of ranges in a request; a request for more receives the whole body.");
  static final Field<RouteConfig, Duration> ROUTE_RANGE_WAIT =
      live(
          "range-wait",
          duration("0s", "1h"),
          "2s",
          route -> route.ranges().patience(),
          "Maximum time that a range request waits for the length of a body that is being"
              + " fetched, if it depends on that length; after that it receives the whole body.");
  static final Field<RouteConfig, Duration> ROUTE_SHARE_WAIT =
      live(
          "share-wait",
          duration("0s", "1h"),
          "15s",
          route -> route.sharing().patience(),
          "Maximum time that a request waits for the response to another request's fetch;"
              + " after that it is forwarded to the origin separately.");
  static final Field<RouteConfig, Boolean> ROUTE_SHARE =
      live(
          "share",
          ValueType.ON_OFF,
          "on",
          route -> route.sharing().withPeers(),
          "Whether misses ask the other nodes of the cluster before the origin, if"
              + " `cluster.share.listen` is set.");
  static final Field<RouteConfig, Duration> ROUTE_HSTS_MAX_AGE =
      optional(
          "hsts.max-age",
          duration("0s", "3650d"),
          "none",
          false,
          route -> route.hsts().maxAge(),
          "`max-age` of the `Strict-Transport-Security` field (RFC 6797) in responses over"
              + " TLS, which replaces the origin's field; 0s revokes an earlier policy.");
  static final Field<RouteConfig, Boolean> ROUTE_HSTS_SUBDOMAINS =
      live(
          "hsts.subdomains",
          ValueType.BOOLEAN,
          "false",
          route -> route.hsts().subdomains(),
          "Whether the policy includes all subdomains of the host (`includeSubDomains`).");
  static final Field<RouteConfig, Boolean> ROUTE_HSTS_PRELOAD =
      live(
          "hsts.preload",
          ValueType.BOOLEAN,
          "false",
          route -> route.hsts().preload(),
          "Whether the policy contains `preload`, which permits browsers to include the host"
              + " in their preload lists.");
  static final Field<RouteConfig, String> ROUTE_PROTECTION =
      optional(
          "protection",
          ValueType.NAME,
          "none",
          false,
          RouteConfig::protection,
          "Profile of `protection` that decides whether a client may have an answer of this"
              + " route.");
  static final Field<RouteConfig, Duration> ROUTE_HIT_FOR_MISS =
      live(
          "hit-for-miss",
          duration("0s", "1d"),
          "60s",
          route -> route.sharing().hitForMiss(),
          "How long, after a response that cannot be shared, requests for its URL are forwarded"
              + " without waiting for one another. If the request had cookies or `Authorization`,"
              + " only such requests are.");

  static final Field<RouteConfig, String> KEY_HOST =
      optional(
          "key.host",
          ValueType.HOST,
          "the host of the request",
          false,
          route -> route.key().host(),
          "Fixed name used in place of the host, so that several hosts share stored responses."
              + " A fetch into the store sends it as `Host`, unless `origins.NAME.host` is set.");
  static final Field<RouteConfig, Boolean> KEY_PORT =
      live(
          "key.port",
          ValueType.BOOLEAN,
          "true",
          route -> route.key().port(),
          "Whether the port is part of the key. If not, a fetch into the store sends no port.");
  static final Field<RouteConfig, Boolean> KEY_SCHEME =
      live(
          "key.scheme",
          ValueType.BOOLEAN,
          "true",
          route -> route.key().scheme(),
          "Whether the scheme (http or https) is part of the key. If not, a fetch into the"
              + " store tells the origin `https`.");
  static final Field<RouteConfig, Boolean> KEY_FOLD_PATH_CASE =
      live(
          "key.fold-path-case",
          ValueType.BOOLEAN,
          "false",
          route -> route.key().foldPathCase(),
          "Whether the path is converted from A–Z to a–z in the key. If so, a fetch into the"
              + " store requests the lower-case path.");
  static final Field<RouteConfig, String> KEY_QUERY =
      live(
          "key.query",
          oneOf("as-is", "sort", "ignore"),
          "as-is",
          route -> route.key().query(),
          "How the query enters the key: unchanged, with its parameters sorted, or not at all."
              + " A fetch into the store sends the sorted query, or none, accordingly.");
  static final Field<RouteConfig, List<String>> KEY_STRIP =
      live(
          "key.strip",
          ValueType.PARAMETERS,
          "",
          route -> route.key().strip(),
          "Query parameters that are not part of the key. A fetch into the store omits them,"
              + " too.");
  static final Field<RouteConfig, List<String>> KEY_KEEP =
      live(
          "key.keep",
          ValueType.PARAMETERS,
          "",
          route -> route.key().keep(),
          "If not empty, only these query parameters are part of the key. A fetch into"
              + " the store omits all others.");
  static final Field<RouteConfig, List<String>> KEY_HEADERS =
      live(
          "key.headers",
          ValueType.FIELD_NAMES,
          "",
          route -> route.key().headers(),
          "Request fields whose values are part of the key, regardless of `Vary`.");
  static final Field<RouteConfig, List<String>> KEY_IGNORE_HEADERS =
      live(
          "key.ignore-headers",
          ValueType.FIELD_NAMES,
          "",
          route -> route.key().ignoreHeaders(),
          "Request fields that a fetch into the store does not send, so that responses cannot"
              + " depend on them, regardless of `Vary`.");
  static final Field<RouteConfig, List<String>> UNKEYED_DROP =
      live(
          "unkeyed-fields.drop",
          ValueType.FIELD_PATTERNS,
          "",
          route -> route.key().unkeyed().drop(),
          "Request fields not forwarded to the origin, in addition to those dropped by"
              + " default. The following fields are dropped because they override the URL,"
              + " host, scheme or method of a request: "
              + words(UnkeyedFields.OVERRIDES)
              + "; for requests that may be answered from the store, also the fields that carry"
              + " the client's address: "
              + words(UnkeyedFields.ADDRESSES)
              + "; and every field whose name has a character other than letters, digits and"
              + " `-`, since CGI reads `Client_Cert` as `Client-Cert`. `X-Forwarded-For`,"
              + " `-Proto` and `-Host` follow `forwarding`.");
  static final Field<RouteConfig, List<String>> UNKEYED_KEY =
      live(
          "unkeyed-fields.key",
          ValueType.FIELD_NAMES,
          "",
          route -> route.key().unkeyed().key(),
          "Fields dropped by default that are forwarded to the origin and are part of the key,"
              + " as with `key.headers`.");
  static final Field<RouteConfig, List<String>> UNKEYED_PASS =
      live(
          "unkeyed-fields.pass",
          ValueType.FIELD_PATTERNS,
          "",
          route -> route.key().unkeyed().pass(),
          "Fields dropped by default that are forwarded to the origin although they are not"
              + " part of the key. Use this only if a proxy in front sets them, or if"
              + " responses do not depend on them or name them in `Vary`. A name with `_` must"
              + " be given in full, and must not stand for a field in the default lists or one"
              + " of the node's own.");
  static final Field<RouteConfig, List<String>> KEY_COOKIES =
      live(
          "key.cookies",
          ValueType.COOKIE_NAMES,
          "",
          route -> route.key().cookies(),
          "Cookies whose values are part of the key. If not empty, a fetch into the store"
              + " sends no other cookies, and `Vary: Cookie` does not prevent storing a"
              + " response.");
  static final Field<RouteConfig, Boolean> KEY_DEVICE =
      live(
          "key.device",
          ValueType.BOOLEAN,
          "false",
          route -> route.key().device(),
          "Whether the device class is part of the key: desktop, mobile, tablet or bot,"
              + " derived from `User-Agent` and `Sec-CH-UA-Mobile`. A fetch into the store"
              + " sends a `User-Agent` of that class in place of the client's, and the class"
              + " as `Forebay-Device`; `Vary: User-Agent` does not prevent storing a response.");
  static final Field<RouteConfig, List<String>> KEY_LANGUAGES =
      live(
          "key.languages",
          ValueType.LANGUAGES,
          "",
          route -> route.key().languages(),
          "If not empty, the language that best matches a client's `Accept-Language` (RFC 4647"
              + " §3.4) is part of the key; the first one applies if none matches. A fetch"
              + " into the store sends it in place of the client's list.");
  static final Field<RouteConfig, List<String>> KEY_ACCEPT_CLASSES =
      live(
          "key.accept-classes",
          ValueType.IMAGE_FORMATS,
          "",
          route -> route.key().acceptClasses(),
          "For routes that serve images: formats that `Accept` is reduced to. A response that"
              + " varies by `Accept` is stored once for each set of these formats that clients"
              + " accept, not once for each text of the field. A fetch into the store sends the"
              + " set, such as `image/avif,image/webp,*/*;q=0.8`, in place of the client's field."
              + " See [COMPRESSION.md](COMPRESSION.md#images).");
  static final Field<RouteConfig, Integer> KEY_VARIANTS =
      live(
          "key.variants",
          integer(1, KeyRecipe.MAX_VARIANTS),
          Integer.toString(KeyRecipe.DEFAULT_VARIANTS),
          route -> route.key().variants(),
          "Maximum number of responses per key that `Vary` distinguishes. A further one"
              + " replaces the least recently requested.");

  static final Field<RouteConfig, Boolean> KEY_NO_VARY_SEARCH =
      live(
          "key.no-vary-search",
          ValueType.BOOLEAN,
          "false",
          route -> route.key().noVarySearch(),
          "Whether the `No-Vary-Search` field of a response determines which query parameters"
              + " are ignored. A request may then need one more lookup. A purge of a URL"
              + " removes all responses with that field for its path.");
  static final Field<RouteConfig, String> QUERY_METHOD =
      live(
          "query-method",
          oneOf("pass", "cache"),
          "pass",
          route -> route.key().queryMethod(),
          "How QUERY requests (RFC 10008) are handled: passed through, or answered from the"
              + " cache by URL, type and content. Content of more than 64 KiB is passed"
              + " through.");

  static final Field<RouteConfig, List<String>> ROUTE_UPGRADE =
      live(
          "upgrade",
          ValueType.PROTOCOLS,
          "",
          route -> route.forwarding().upgrade(),
          "Protocols that a client may upgrade its connection to, such as `websocket`, or, over"
              + " HTTP/2 and HTTP/3, a stream. Requests for others: over HTTP/1.1 the upgrade is"
              + " ignored, over HTTP/2 and HTTP/3 the answer is 501.");
  static final Field<RouteConfig, List<String>> ROUTE_RESPONSE_TRAILERS =
      live(
          "response-trailers",
          ValueType.TRAILERS,
          "",
          route -> route.forwarding().responseTrailers(),
          "Trailer fields that are forwarded after the body of a response that is passed"
              + " through; others are dropped. `*`: all but those that can never be trailers, as"
              + " gRPC needs.");
  static final Field<RouteConfig, Boolean> ROUTE_VIA =
      live(
          "via",
          ValueType.ON_OFF,
          "on",
          route -> route.forwarding().via(),
          "Whether requests to the origin have `Via`. nginx does not compress responses"
              + " to requests with `Via` unless `gzip_proxied` is set; with `off` it compresses"
              + " as for a browser. `CDN-Loop` still detects loops, and responses to clients"
              + " keep `Via`.");

  static final Field<RouteConfig, Long> ROUTE_LIMIT_BODY =
      optional(
          "limits.request-body",
          size("0", "16TiB"),
          "`limits.request-body`",
          false,
          route -> route.limits().requestBodyBytes(),
          "Maximum size of a request body on this route, at most that of the node; longer ones"
              + " receive 413, those that say their length before any of it is read.");
  static final Field<RouteConfig, Integer> ROUTE_LIMIT_BODY_RATE =
      optional(
          "limits.request-body-rate",
          sizeAsInteger("0", "1GiB"),
          "`limits.request-body-rate`",
          false,
          route -> route.limits().requestBodyRate(),
          "Minimum rate of a request body on this route, at least that of the node.");
  static final Field<RouteConfig, Duration> ROUTE_BODY_IDLE =
      optional(
          "timeouts.request-body-idle",
          duration("100ms", "1h"),
          "`timeouts.request-body-idle`",
          false,
          route -> route.limits().requestBodyIdle(),
          "Maximum time between two bytes of a request body on this route, at most that of the"
              + " node.");
  static final Field<RouteConfig, Duration> ROUTE_REQUEST_TOTAL =
      optional(
          "timeouts.request-total",
          duration("100ms", "365d"),
          "`timeouts.request-total`",
          false,
          route -> route.limits().requestTotal(),
          "Maximum time from the head of a request on this route to the end of its response, at"
              + " most that of the node: 408, or a broken transfer once a response has begun. It"
              + " does not apply to tunnels.");
  static final Field<RouteConfig, Duration> ROUTE_NO_PROGRESS =
      optional(
          "timeouts.no-progress",
          duration("1s", "1d"),
          "`timeouts.no-progress`",
          false,
          route -> route.limits().noProgress(),
          "Maximum time in which a client reads no byte of what its connection has to send, once it"
              + " has asked for this route; at most that of the node.");
  static final Field<RouteConfig, Duration> ROUTE_KEEP_ALIVE =
      optional(
          "timeouts.keep-alive",
          duration("0s", "1d"),
          "`timeouts.keep-alive`",
          false,
          route -> route.limits().keepAlive(),
          "Maximum time that a client connection stays open without a request, once it has asked for"
              + " this route; at most that of the node.");
  static final Field<RouteConfig, Duration> ROUTE_FIRST_BYTE =
      optional(
          "origin-timeouts.first-byte",
          duration("1ms", "1h"),
          "`origins.NAME.timeouts.first-byte`",
          false,
          route -> route.limits().ofOrigin().firstByte(),
          "As `origins.NAME.timeouts.first-byte`, for requests of this route, longer or shorter.");
  static final Field<RouteConfig, Duration> ROUTE_ORIGIN_IDLE =
      optional(
          "origin-timeouts.idle",
          duration("1ms", "1h"),
          "`origins.NAME.timeouts.idle`",
          false,
          route -> route.limits().ofOrigin().idle(),
          "As `origins.NAME.timeouts.idle`, for requests of this route, longer or shorter.");
  static final Field<RouteConfig, Duration> ROUTE_ORIGIN_TOTAL =
      optional(
          "origin-timeouts.total",
          duration("1ms", "7d"),
          "`origins.NAME.timeouts.total`",
          false,
          route -> route.limits().ofOrigin().total(),
          "As `origins.NAME.timeouts.total`, for requests of this route, longer or shorter.");

  static final Field<RouteConfig, Boolean> ROUTE_LOG =
      live(
          "access-log.lines",
          ValueType.ON_OFF,
          "on",
          route -> route.log().isOn(),
          "Whether the access log has lines of this route's requests.");
  static final Field<RouteConfig, Integer> ROUTE_LOG_HITS =
      live(
          "access-log.hits",
          percent(100),
          "100%",
          route -> route.log().hitsPercent(),
          "Share of fresh hits, chosen at random, that have a line in the access log; other requests"
              + " all have one. Lines of hits then say the share (`sampled`).");
  static final Field<RouteConfig, List<String>> ROUTE_LOG_HEADERS =
      live(
          "access-log.request-headers",
          ValueType.LOGGED_FIELDS,
          "",
          route -> route.log().requestHeaders(),
          "Request fields that lines of this route have in addition (`request_headers`), at most 8,"
              + " up to 256 bytes of the first line of each. Fields with credentials, such as"
              + " `Authorization` and `Cookie`, cannot be logged.");
  static final Field<RouteConfig, List<String>> ROUTE_LOG_RESPONSE_HEADERS =
      live(
          "access-log.response-headers",
          ValueType.LOGGED_FIELDS,
          "",
          route -> route.log().responseHeaders(),
          "The same of the response as it is sent, after rules (`response_headers`), at most 8. It has"
              + " no `Content-Length` and nothing about framing; see `bytes`.");
  static final Field<RouteConfig, List<String>> ROUTE_LOG_DROP =
      live(
          "access-log.drop",
          ValueType.LOG_PARTS,
          "",
          route ->
              route.log().drop().stream()
                  .map(part -> part.name().toLowerCase(Locale.ROOT))
                  .sorted()
                  .toList(),
          "What lines of this route do not have; `tls` is everything about the handshake.");

  static final Field<TunnelsConfig, Integer> TUNNEL_LIMIT =
      live(
          "limit",
          integer(1, 1_000_000),
          "1024",
          TunnelsConfig::limit,
          "Maximum number of open tunnels; further upgrade requests are rejected with 503.");
  static final Field<TunnelsConfig, Integer> TUNNELS_PER_CLIENT =
      live(
          "per-client",
          integer(0, 1_000_000),
          "256",
          TunnelsConfig::perClient,
          "Maximum number of open tunnels per client (IPv6: per /64); further upgrade requests"
              + " are rejected with 429. 0 means no limit. Addresses in `forwarding.trusted`"
              + " have no limit.");
  static final Field<TunnelsConfig, Duration> TUNNEL_IDLE =
      live(
          "idle-timeout",
          duration("100ms", "1d"),
          "5m",
          TunnelsConfig::idleTimeout,
          "Maximum time without data in either direction before a tunnel is closed.");

  static final Field<Http3Config, List<String>> HTTP3_LISTENERS =
      atStart(
          "listeners",
          ValueType.LISTENERS,
          "",
          Http3Config::listeners,
          "Names of TLS listeners that also serve HTTP/3, on the UDP port of the same number."
              + " If empty, HTTP/3 is off. Hosts with `client-auth` are served over TCP only.");
  static final Field<Http3Config, Integer> HTTP3_RETRY_FROM =
      atStart(
          "retry-from",
          integer(0, 1_000_000),
          "64",
          Http3Config::retryFrom,
          "Number of pending handshakes in the node from which new clients must first"
              + " validate their address with a QUIC Retry, which takes one more round trip; 0"
              + " always requires it.");
  static final Field<Http3Config, Duration> HTTP3_ALT_SVC_MAX_AGE =
      atStart(
          "alt-svc-max-age",
          duration("0s", "365d"),
          "1d",
          Http3Config::altSvcMaxAge,
          "How long clients may cache the HTTP/3 advertisement in `Alt-Svc`, which"
              + " responses of these listeners over HTTP/1.1 and HTTP/2 carry; 0s omits the"
              + " field.");
  static final Field<Http3Config, Integer> HTTP3_ALT_SVC_PORT =
      atStart(
          "alt-svc-port",
          integer(0, 65_535),
          "0",
          Http3Config::altSvcPort,
          "UDP port advertised to clients, if it differs from the listener's; 0 means the"
              + " listener's port.");

  static final Field<LimitsConfig, Integer> LIMIT_HEADER_BYTES =
      live(
          "header-bytes",
          sizeAsInteger("1KiB", "1MiB"),
          "32KiB",
          LimitsConfig::headerBytes,
          "Maximum total size of the header fields of a request or response.");
  static final Field<LimitsConfig, Integer> LIMIT_HEADER_COUNT =
      live(
          "header-count",
          integer(8, 10_000),
          "128",
          LimitsConfig::headerCount,
          "Maximum number of header field lines in a request or response.");
  static final Field<LimitsConfig, Integer> LIMIT_TARGET_BYTES =
      live(
          "target-bytes",
          sizeAsInteger("256B", "64KiB"),
          "8KiB",
          LimitsConfig::targetBytes,
          "Maximum size of the path and query of a request.");
  static final Field<LimitsConfig, Long> LIMIT_REQUEST_BODY =
      live(
          "request-body",
          size("0", "16TiB"),
          "1GiB",
          LimitsConfig::requestBodyBytes,
          "Maximum size of a request body; bodies are streamed, not buffered.");
  static final Field<LimitsConfig, Integer> LIMIT_CONNECTIONS =
      live(
          "connections",
          integer(1, 10_000_000),
          "50000",
          LimitsConfig::connections,
          "Maximum number of open client connections.");
  static final Field<LimitsConfig, Integer> LIMIT_REQUESTS_PER_CONNECTION =
      live(
          "requests-per-connection",
          integer(1, Integer.MAX_VALUE),
          "1000000",
          LimitsConfig::requestsPerConnection,
          "Maximum number of requests on a client connection, after which it is closed.");
  static final Field<LimitsConfig, Integer> LIMIT_STREAMS_PER_CONNECTION =
      live(
          "streams-per-connection",
          integer(1, 10_000),
          "128",
          LimitsConfig::streamsPerConnection,
          "Maximum number of concurrent HTTP/2 streams per connection.");
  static final Field<LimitsConfig, Integer> LIMIT_FOLLOWERS_PER_FILL =
      live(
          "followers-per-fill",
          integer(1, 10_000_000),
          "10000",
          LimitsConfig::followersPerFill,
          "Maximum number of clients that wait for or follow one fetch.");
  static final Field<LimitsConfig, Integer> LIMIT_FILLS =
      live(
          "fills",
          integer(1, 1_000_000),
          "2048",
          LimitsConfig::fills,
          "Maximum number of concurrent fetches into the store.");
  static final Field<LimitsConfig, Integer> LIMIT_REFUSED_LOADS =
      live(
          "refused-loads",
          integer(1, 1_000_000),
          "256",
          LimitsConfig::refusedLoads,
          "Maximum number of concurrent requests that fetch from an origin because a slow or"
              + " busy disk refuses to load the stored object. Further requests of this kind"
              + " receive 503.");
  static final Field<LimitsConfig, Integer> LIMIT_RECOVERY_FETCHES =
      live(
          "recovery-fetches",
          integer(0, 1_000_000),
          "0",
          LimitsConfig::recoveryFetches,
          "Maximum number of concurrent requests that fetch from an origin, while the index is"
              + " rebuilt after an unclean stop, what the store may still turn out to have: an"
              + " object or slices of its body; 0 means no limit. Further requests of this kind"
              + " wait up to 2 s for it or for their turn, then receive 503; a response that has"
              + " begun then fetches its slices beyond the limit. Hits, requests that join a fetch,"
              + " and revalidations are not limited.");
  static final Field<LimitsConfig, Long> LIMIT_PRIVATE_COPIES =
      live(
          "private-copies",
          size("1MiB", "1TiB"),
          "64MiB",
          LimitsConfig::privateCopyBytes,
          "Maximum memory for bytes that slow clients have not read yet, and for request bodies that"
              + " `hold-body` of a rule holds.");
  static final Field<LimitsConfig, Integer> LIMIT_CONNECTIONS_PER_ADDRESS =
      live(
          "connections-per-address",
          integer(0, 10_000_000),
          "4096",
          limits -> limits.client().connectionsPerAddress(),
          "Maximum number of open client connections per client address (IPv6: per /64);"
              + " 0 means no limit. Addresses in `forwarding.trusted` have no limit.");
  static final Field<LimitsConfig, Integer> LIMIT_WAITING_PER_CLIENT =
      live(
          "waiting-per-client",
          integer(0, 10_000_000),
          "4096",
          limits -> limits.client().waiting(),
          "Maximum number of concurrent requests per client (IPv6: per /64) that are not hits,"
              + " including those that follow another request's fetch; further ones receive"
              + " 429. 0 means no limit. The client is the one named by the proxies in"
              + " `forwarding.trusted`, which have no limit themselves.");
  static final Field<LimitsConfig, Integer> LIMIT_FETCHES_PER_CLIENT =
      live(
          "fetches-per-client",
          integer(0, 10_000_000),
          "128",
          limits -> limits.client().fetches(),
          "Maximum number of concurrent requests to origins per client (IPv6: per /64):"
              + " fetches (including those whose client has disconnected), refreshes (which do"
              + " not start above the limit), and upgrade requests until they are accepted;"
              + " further ones receive 429. 0 means no limit. Keep it below"
              + " `origins.NAME.max-connections`.");
  static final Field<LimitsConfig, Integer> LIMIT_REQUEST_BODY_RATE =
      live(
          "request-body-rate",
          sizeAsInteger("0", "1GiB"),
          "512",
          limits -> limits.client().requestBodyRate(),
          "Minimum rate of a request body, per second, averaged over"
              + " `timeouts.request-body-idle` while the node is ready to read; 0 means no"
              + " minimum.");

  static final Field<LimitsConfig, Integer> LIMIT_CONNECTIONS_PER_NETWORK =
      live(
          "connections-per-network",
          integer(0, 10_000_000),
          "0",
          limits -> limits.client().connections().perNetwork(),
          "Maximum number of open client connections per network of clients, besides"
              + " `connections-per-address`; 0 means no limit. Addresses in `forwarding.trusted`"
              + " have no limit.");
  static final Field<LimitsConfig, Integer> LIMIT_NETWORK_IPV4 =
      live(
          "network-ipv4",
          integer(8, 32),
          "24",
          limits -> limits.client().connections().ipv4Prefix(),
          "Length of the prefix of IPv4 addresses that is a network for"
              + " `connections-per-network`.");
  static final Field<LimitsConfig, Integer> LIMIT_NETWORK_IPV6 =
      live(
          "network-ipv6",
          integer(16, 64),
          "56",
          limits -> limits.client().connections().ipv6Prefix(),
          "Length of the prefix of IPv6 addresses that is a network for"
              + " `connections-per-network`.");
  static final Field<LimitsConfig, Integer> LIMIT_CONNECTIONS_PER_SERVER_NAME =
      live(
          "connections-per-server-name",
          integer(0, 10_000_000),
          "0",
          limits -> limits.client().connections().perServerName(),
          "Maximum number of open TLS and QUIC connections per name that clients ask for in their"
              + " handshakes (SNI); 0 means no limit. Further ones are closed before their"
              + " handshake, over QUIC after it.");
  static final Field<LimitsConfig, Integer> LIMIT_CONNECTIONS_PER_CERTIFICATE =
      live(
          "connections-per-certificate",
          integer(0, 10_000_000),
          "0",
          limits -> limits.client().connections().perCertificate(),
          "Maximum number of open connections per certificate that clients show (`client-auth`); 0"
              + " means no limit. Further ones are closed after their handshake.");

  static final Field<Http2Config, Duration> HTTP2_WINDOW =
      live(
          "window",
          duration("1s", "1h"),
          "30s",
          Http2Config::window,
          "Time window for the limits below that refer to `http2.window`.");
  static final Field<Http2Config, Integer> HTTP2_RESETS =
      live(
          "resets",
          integer(1, 1_000_000),
          "200",
          Http2Config::resets,
          "Maximum number of streams that a client may reset within `http2.window`.");
  static final Field<Http2Config, Integer> HTTP2_RESETS_CAUSED =
      live(
          "resets-caused",
          integer(1, 1_000_000),
          "200",
          Http2Config::resetsCaused,
          "Maximum number of streams that the node resets within `http2.window` because the"
              + " client violates the protocol on them.");
  static final Field<Http2Config, Integer> HTTP2_PINGS =
      live(
          "pings",
          integer(1, 1_000_000),
          "1000",
          Http2Config::pings,
          "Maximum number of PING frames within `http2.window`.");
  static final Field<Http2Config, Integer> HTTP2_SETTINGS =
      live(
          "settings",
          integer(1, 1_000_000),
          "100",
          Http2Config::settings,
          "Maximum number of SETTINGS frames within `http2.window`.");
  static final Field<Http2Config, Integer> HTTP2_PRIORITIES =
      live(
          "priorities",
          integer(1, 1_000_000),
          "1000",
          Http2Config::priorities,
          "Maximum number of PRIORITY, PRIORITY_UPDATE and unknown frames within"
              + " `http2.window`, beyond one for each request. Over HTTP/3, all other frames"
              + " of the control stream, unknown streams and QPACK instructions count as well.");
  static final Field<Http2Config, Integer> HTTP2_CONTINUATIONS =
      live(
          "continuations",
          integer(1, 10_000),
          "16",
          Http2Config::continuations,
          "Maximum number of CONTINUATION frames smaller than half the maximum frame size in"
              + " one header block.");
  static final Field<Http2Config, Integer> HTTP2_EMPTY_FRAMES =
      live(
          "empty-frames",
          integer(1, 10_000),
          "4",
          Http2Config::emptyFrames,
          "Maximum number of consecutive empty DATA frames that do not end the stream.");
  static final Field<Http2Config, Integer> HTTP2_QUEUED_CONTROL_FRAMES =
      live(
          "queued-control-frames",
          integer(16, 1_000_000),
          "1000",
          Http2Config::queuedControlFrames,
          "Maximum number of queued replies to PING, SETTINGS and stream errors for a client"
              + " that does not read them.");

  static final Field<OverloadConfig, Duration> OVERLOAD_DELAY =
      live(
          "delay",
          duration("0s", "1m"),
          "500ms",
          OverloadConfig::delay,
          "Delay of an event loop, averaged over about a second, above which it is overloaded;"
              + " 0s disables the check.");
  static final Field<OverloadConfig, Duration> OVERLOAD_RETRY_AFTER =
      live(
          "retry-after",
          duration("1s", "1h"),
          "5s",
          OverloadConfig::retryAfter,
          "`Retry-After` of rejected requests.");

  static final Field<TimeoutsConfig, Duration> TIMEOUT_TLS_HANDSHAKE =
      live(
          "tls-handshake",
          duration("100ms", "5m"),
          "5s",
          TimeoutsConfig::tlsHandshake,
          "Maximum time for a client's TLS handshake.");
  static final Field<TimeoutsConfig, Duration> TIMEOUT_REQUEST_HEADER =
      live(
          "request-header",
          duration("100ms", "10m"),
          "10s",
          TimeoutsConfig::requestHeader,
          "Maximum time from the first byte of a request to the end of its header section.");
  static final Field<TimeoutsConfig, Duration> TIMEOUT_REQUEST_BODY_IDLE =
      live(
          "request-body-idle",
          duration("100ms", "1h"),
          "30s",
          TimeoutsConfig::requestBodyIdle,
          "Maximum time between two bytes of a request body, while the node is ready to read.");
  static final Field<TimeoutsConfig, Duration> TIMEOUT_KEEP_ALIVE =
      live(
          "keep-alive",
          duration("0s", "1d"),
          "75s",
          TimeoutsConfig::keepAlive,
          "Maximum time that a client connection stays open without a request.");
  static final Field<TimeoutsConfig, Duration> TIMEOUT_NO_PROGRESS =
      live(
          "no-progress",
          duration("1s", "1d"),
          "2m",
          TimeoutsConfig::noProgress,
          "Maximum time in which a client reads no byte of its response before its"
              + " connection is closed; a slow client that makes progress is not affected.");
  static final Field<TimeoutsConfig, Duration> TIMEOUT_LAME_DUCK =
      live(
          "lame-duck",
          duration("0s", "1h"),
          "0s",
          TimeoutsConfig::lameDuck,
          "How long the node continues to accept connections after SIGTERM while"
              + " `/readyz` reports that it is not ready, so that load balancers first stop"
              + " sending requests to it. Then `drain` begins; a second signal begins it at"
              + " once.");
  static final Field<TimeoutsConfig, Duration> TIMEOUT_DRAIN =
      live(
          "drain",
          duration("0s", "1d"),
          "30s",
          TimeoutsConfig::drain,
          "Maximum time that requests in progress continue after SIGTERM.");
  static final Field<TimeoutsConfig, Duration> TIMEOUT_REQUEST_TOTAL =
      live(
          "request-total",
          duration("1s", "365d"),
          "1d",
          TimeoutsConfig::requestTotal,
          "Maximum time from the end of a request's header section to the end of its response,"
              + " regardless of progress; does not apply to tunnels.");

  static final Field<ForwardingConfig, List<String>> FORWARDING_TRUSTED =
      live(
          "trusted",
          ValueType.NETWORKS,
          "",
          ForwardingConfig::trusted,
          "Networks of proxies whose forwarding fields are trusted and extended; fields from"
              + " other senders are replaced.");
  static final Field<ForwardingConfig, Boolean> FORWARDING_X_FORWARDED =
      live(
          "x-forwarded",
          ValueType.BOOLEAN,
          "true",
          ForwardingConfig::xForwarded,
          "Whether `X-Forwarded-For`, `-Proto` and `-Host` are sent to origins.");
  static final Field<ForwardingConfig, Boolean> FORWARDING_FORWARDED =
      live(
          "forwarded",
          ValueType.BOOLEAN,
          "false",
          ForwardingConfig::forwarded,
          "Whether `Forwarded` (RFC 7239) is sent to origins.");
  static final Field<ForwardingConfig, String> FORWARDING_NODE_ID =
      optional(
          "node-id",
          ValueType.PSEUDONYM,
          "`forebay-` and random digits, new at each start",
          false,
          ForwardingConfig::nodeId,
          "Name of this node in `Via`, `Cache-Status`, `Proxy-Status` and `CDN-Loop`; must be"
              + " unique among nodes that send requests to each other.");

  static final Field<ForwardingConfig, Integer> FORWARDING_MAX_HOPS =
      live(
          "max-hops",
          integer(1, 100),
          "10",
          ForwardingConfig::maxHops,
          "Maximum number of CDN nodes that a request may have passed through, according to"
              + " `CDN-Loop`; a request with more is rejected with 508.");

  static final Field<ForwardingConfig, List<String>> FORWARDING_CACHE_TAGS_TO =
      optional(
          "cache-tags-to",
          ValueType.NETWORKS,
          "all clients",
          false,
          ForwardingConfig::cacheTagsTo,
          "Networks whose clients get the fields for tags of responses (`Surrogate-Key`,"
              + " `Cache-Tag`, `xkey` and others), such as those of nodes that have this one as"
              + " their origin; `[]` for nobody. The address of the connection counts.");

  static final Field<PurgeConfig, List<String>> PURGE_FROM =
      live(
          "from",
          ValueType.NETWORKS,
          "",
          PurgeConfig::from,
          "Networks whose clients may purge with a `PURGE`, `BAN` or `PURGEKEYS` request"
              + " on any listener; if empty, such requests receive 405. The client's address is"
              + " that of the peer, of the PROXY protocol or, from a network of"
              + " `forwarding.trusted`, of `X-Forwarded-For` or `Forwarded`.");

  static final Field<StorageClassConfig, String> CLASS_TIER =
      live(
          "tier",
          oneOf("default", "memory", "disk"),
          "default",
          StorageClassConfig::tier,
          "Where objects lie. `memory`: never on a disk of `stores`, not even at a stop, and of"
              + " `store.tiers` only in those on a tmpfs or hugetlbfs; swap and a"
              + " `store.memory-directory` on a disk are outside of this. `disk`: on disks; in memory"
              + " they do not enter the protected segment, and of `store.tiers` they lie in none."
              + " `default`: in memory, then in `store.tiers`, then on a disk as"
              + " `store.disk-admission` says.");
  static final Field<StorageClassConfig, Integer> CLASS_DISK_AFTER =
      optional(
          "disk-after",
          integer(0, 3),
          "0 with `tier: disk`, else as `store.disk-admission` says",
          false,
          StorageClassConfig::diskAfter,
          "Number of repeated requests, as the memory tier counts them, after which an object may"
              + " be written to a disk. Requests count from when the object's region of memory is"
              + " full; entering the protected segment counts as one.");
  static final Field<StorageClassConfig, Long> CLASS_DISK_MIN =
      live(
          "disk-min",
          size("0", "1024TiB"),
          "0",
          StorageClassConfig::diskMin,
          "Size of a body below which an object is not written to a disk.");
  static final Field<StorageClassConfig, Long> CLASS_DISK_MAX =
      optional(
          "disk-max",
          size("1", "1024TiB"),
          "no limit",
          false,
          StorageClassConfig::diskMax,
          "Size of a body above which an object is not written to a disk.");
  static final Field<StorageClassConfig, Long> CLASS_MEMORY_MAX =
      optional(
          "memory-max",
          size("0", "1024TiB"),
          "0 with `tier: disk`, else no limit",
          false,
          StorageClassConfig::memoryMax,
          "Size of a body above which an object does not enter the protected segment of memory.");
  static final Field<StorageClassConfig, Integer> CLASS_QUOTA =
      live(
          "quota",
          percent(1, 100),
          "100%",
          StorageClassConfig::quotaPercent,
          "Share of `store.memory` that the class may have. Above it, its objects are evicted"
              + " before those of other classes; its new objects are stored all the same.");
  static final Field<StorageClassConfig, Integer> CLASS_FLOOR =
      live(
          "floor",
          percent(75),
          "0%",
          StorageClassConfig::floorPercent,
          "Share of the memory tier below which no object of the class is evicted for others. The"
              + " floors and pinned shares of all classes add up to 75% at most.");
  static final Field<StorageClassConfig, Integer> CLASS_PINNED =
      live(
          "pinned",
          percent(75),
          "0%",
          StorageClassConfig::pinnedPercent,
          "Share of the memory tier for objects of the class that are not evicted, whether they are"
              + " requested or not. Above it, the class is treated like others. On disks its objects"
              + " are kept like requested ones. Purges and replacements apply as usual.");
  static final Field<StorageClassConfig, Integer> CLASS_DISK_QUOTA =
      live(
          "disk-quota",
          percent(1, 100),
          "100%",
          StorageClassConfig::diskQuotaPercent,
          "Share of each disk of `stores` that the class may have while the disk is full. At it, new"
              + " objects of the class replace its own oldest ones, and those of other classes stay,"
              + " if classes at their quotas have half of the disk. Else they are written as fast"
              + " as other classes' writes have objects of the class leave.");
  static final Field<StorageClassConfig, Integer> CLASS_DISK_FLOOR =
      live(
          "disk-floor",
          percent(50),
          "0%",
          StorageClassConfig::diskFloorPercent,
          "Share of each disk below which no object of the class leaves the disk for others: such"
              + " objects are written once more when their region is reused, until they are"
              + " expired for longer than `store.disk-keep`. The disk floors of all classes add up"
              + " to 50% at most.");

  static final Section<ServerConfig> TOP =
      new Section<>(
          "",
          Shape.ONCE,
          "At the top level:",
          "",
          List.of(ORIGIN, INCLUDE),
          config -> Map.of("", config));
  static final Section<ListenerConfig> LISTEN =
      new Section<>(
          "listen",
          Shape.LIST,
          "Addresses to listen on: a list, or a single address. A bare address is shorthand"
              + " for an entry with no other keys. Default: `:8080`, unless `tls.listen` is"
              + " given.",
          "address",
          List.of(
              LISTEN_NAME,
              LISTEN_ADDRESS,
              LISTEN_CERTIFICATE,
              LISTEN_KEY,
              LISTEN_DEFAULT,
              LISTEN_ACME,
              LISTEN_H2C,
              LISTEN_PROXY,
              LISTEN_REDIRECT),
          config -> named(config.listeners(), ListenerConfig::name));
  static final Section<TlsConfig> TLS =
      new Section<>(
          "tls",
          Shape.ONCE,
          "TLS for client connections: shorthand for one listener, and the settings common to"
              + " all TLS listeners.",
          "",
          List.of(
              TLS_LISTEN,
              TLS_CERTIFICATE,
              TLS_KEY,
              TLS_DEFAULT,
              TLS_POLICY,
              TLS_CLIENT_HELLO,
              TLS_JA4,
              TLS_EXPIRY_WARNING,
              TLS_OCSP,
              TLS_TICKETS,
              TLS_TICKET_ROTATION,
              TLS_TICKET_FILE,
              ACME_HOSTS,
              ACME_DIRECTORY,
              ACME_EMAIL,
              ACME_AGREE,
              ACME_CA_FILE,
              ACME_CHALLENGES,
              ACME_EAB_KEY_ID,
              ACME_EAB_SECRET,
              ACME_EAB_SECRET_FILE,
              ACME_KEY_TYPE,
              ACME_RENEW_AT,
              ACME_RENEWAL_INFO,
              ACME_ON_DEMAND,
              ACME_ON_DEMAND_PER_HOUR),
          config -> Map.of("", config.tls()));
  static final Section<CertificateConfig> CERTIFICATES =
      new Section<>(
          "certificates",
          Shape.NAMED,
          "Certificates by name, for all TLS listeners: each is used for clients that request"
              + " one of its names (SNI). An exact name takes precedence over a wildcard. A"
              + " reload rereads all files.",
          "",
          List.of(
              CERTIFICATE_FILE,
              CERTIFICATE_KEY,
              CERTIFICATE_SECOND,
              CERTIFICATE_SECOND_KEY,
              CERTIFICATE_HOSTS,
              CERTIFICATE_CLIENT_AUTH,
              CERTIFICATE_CLIENT_CA,
              CERTIFICATE_POLICY),
          config -> named(config.tls().certificates(), CertificateConfig::name));
  static final Section<AdminConfig> ADMIN =
      new Section<>(
          "admin",
          Shape.ONCE,
          "The admin API and `/metrics`.",
          "address",
          List.of(ADMIN_ADDRESS, ADMIN_TOKEN, ADMIN_TOKEN_FILE),
          config -> Map.of("", config.admin()));
  static final Section<ThreadsConfig> THREADS =
      new Section<>(
          "threads",
          Shape.ONCE,
          "Event loops and where they run.",
          "",
          List.of(THREADS_LOOPS, THREADS_PIN, THREADS_TRANSPORT, THREADS_CONNECTIONS),
          config -> Map.of("", config.threads()));
  static final Section<StoreConfig> STORE =
      new Section<>(
          "store",
          Shape.ONCE,
          "Directories and sizes of the store.",
          "",
          List.of(
              STORE_DATA,
              STORE_MEMORY,
              STORE_MEMORY_MIN,
              STORE_MEMORY_DIRECTORY,
              STORE_TIERS,
              STORE_CELLS,
              STORE_PROTECTED_SHARE,
              STORE_TOUCH_THRESHOLD,
              STORE_SMALL_OBJECTS,
              STORE_DISK_ADMISSION,
              STORE_DISK_BYTES_PER_DAY,
              STORE_DISK_KEEP,
              STORE_DISK_IO,
              STORE_SCRUB_RATE,
              STORE_EVACUATE_RATE,
              STORE_SMARTCTL,
              STORE_INDEX_ENTRIES,
              STORE_INDEX_MEMORY,
              STORE_DISK_STOP_LIMIT),
          config -> Map.of("", config.store()));
  static final Section<DiskConfig> STORES =
      new Section<>(
          "stores",
          Shape.NAMED,
          "Devices of the disk tier by name, each an independent store. Without any, the node"
              + " uses only the memory tier. A device is identified by the contents of its"
              + " file: it keeps its objects under another name or path.",
          "",
          List.of(
              DISK_PATH,
              DISK_SIZE,
              DISK_READERS,
              DISK_MAX_ERRORS,
              DISK_SLOW,
              DISK_TRANSIT_BUFFERS,
              DISK_DAILY_WRITES,
              DISK_RATED_WRITES,
              DISK_TRIM),
          config -> named(config.stores(), DiskConfig::name));
  static final Section<StorageClassConfig> STORAGE_CLASSES =
      new Section<>(
          "storage-classes",
          Shape.NAMED,
          "Storage classes by name: in which tiers objects lie, and how much of memory and of"
              + " disks they may take. Routes name them in `storage-class`. A reload changes the rules of stored"
              + " objects too. Objects of a class that was removed are no longer written to disks."
              + " At most 24 classes.",
          "tier",
          List.of(
              CLASS_TIER,
              CLASS_DISK_AFTER,
              CLASS_DISK_MIN,
              CLASS_DISK_MAX,
              CLASS_MEMORY_MAX,
              CLASS_QUOTA,
              CLASS_FLOOR,
              CLASS_PINNED,
              CLASS_DISK_QUOTA,
              CLASS_DISK_FLOOR),
          config -> named(config.storageClasses(), StorageClassConfig::name));
  static final Section<OriginConfig> ORIGINS =
      new Section<>(
          "origins",
          Shape.NAMED,
          "Origins by name. A bare URL is shorthand for an entry with no other keys.",
          "url",
          List.of(
              ORIGIN_URL,
              FILES_DIRECTORY,
              FILES_INDEX,
              FILES_HIDDEN,
              FILES_TYPES,
              FILES_PRECOMPRESSED,
              FILES_CACHE_CONTROL,
              ORIGIN_BALANCE,
              ORIGIN_HOST,
              ORIGIN_PROTOCOL,
              ORIGIN_MAX_CONNECTIONS,
              ORIGIN_MAX_WAITING,
              ORIGIN_ADAPTIVE_MAX,
              ORIGIN_ADAPTIVE_MIN,
              ORIGIN_ADAPTIVE_TOLERANCE,
              ORIGIN_ADAPTIVE_INTERVAL,
              ORIGIN_TRUST,
              ORIGIN_TLS_NAME,
              ORIGIN_TLS_CERTIFICATE,
              ORIGIN_TLS_KEY,
              ORIGIN_TLS_PINS,
              ORIGIN_ALLOW_LOOPBACK_NAMES,
              ORIGIN_ALLOW_PRIVATE_NAMES,
              ORIGIN_CONNECT,
              ORIGIN_OTHER_FAMILY,
              ORIGIN_FIRST_BYTE,
              ORIGIN_IDLE,
              ORIGIN_TOTAL,
              ORIGIN_KEEP_ALIVE,
              ORIGIN_RETRY_ATTEMPTS,
              ORIGIN_RETRY_STATUSES,
              ORIGIN_RETRY_BUDGET,
              ORIGIN_RETRY_HEDGE,
              ORIGIN_RETRY_RESUME,
              ORIGIN_EJECTION_FAILURES,
              ORIGIN_EJECTION_GATEWAY_ERRORS,
              ORIGIN_EJECTION_TIME,
              ORIGIN_EJECTION_MAX_SHARE,
              ORIGIN_EJECTION_PANIC,
              ORIGIN_EJECTION_CIRCUIT,
              ORIGIN_EJECTION_SLOW_FACTOR,
              ORIGIN_EJECTION_SLOW_TIME,
              ORIGIN_EJECTION_SLOW_MIN,
              ORIGIN_SLOW_START,
              PROBE_TYPE,
              PROBE_PATH,
              PROBE_METHOD,
              PROBE_STATUSES,
              PROBE_TEXT,
              PROBE_TEXT_WITHIN,
              PROBE_HOST,
              PROBE_PORT,
              PROBE_TLS_NAME,
              PROBE_INTERVAL,
              PROBE_TIMEOUT,
              PROBE_JITTER,
              PROBE_HEALTHY,
              PROBE_UNHEALTHY,
              PROBE_WINDOW,
              PROBE_INITIAL,
              S3_BUCKET,
              S3_ADDRESSING,
              S3_REGION,
              S3_ACCESS_KEY,
              S3_SECRET_KEY,
              S3_SECRET_KEY_FILE,
              S3_SESSION_TOKEN,
              S3_SESSION_TOKEN_FILE,
              S3_PARAMETERS,
              HMAC_KEY_ID,
              HMAC_KEY,
              HMAC_KEY_FILE,
              ORIGIN_FALLBACK,
              ORIGIN_PROXY_PROTOCOL,
              ORIGIN_SOURCE_ADDRESS,
              ORIGIN_PROXY,
              ORIGIN_PROXY_USER,
              ORIGIN_PROXY_PASSWORD,
              ORIGIN_PROXY_PASSWORD_FILE),
          config -> named(config.origins(), OriginConfig::name));
  static final Section<OriginServerConfig> ORIGIN_SERVERS =
      new Section<>(
          "origins.NAME.servers",
          Shape.LIST_IN_NAMED,
          "Servers among which the requests to an origin are balanced, in place of"
              + " `origins.NAME.url`. A bare URL is shorthand for an entry with no other keys. Every"
              + " address that a server's name resolves to is used. At most 64 servers.",
          "url",
          List.of(SERVER_URL, SERVER_WEIGHT, SERVER_BACKUP, SERVER_MAX_CONNECTIONS),
          ConfigKeys::servers);
  static final Section<StaticField> ORIGIN_HEADERS =
      new Section<>(
          "origins.NAME.headers",
          Shape.LIST_IN_NAMED,
          "Fields that are set on each request to an origin, in place of the client's, such as a"
              + " secret by which the origin knows the node. At most 32.",
          "",
          List.of(HEADER_NAME, HEADER_VALUE, HEADER_VALUE_FILE),
          ConfigKeys::headers);
  static final Field<RouteConfig, String> ROUTE_RULES =
      optional(
          "rules",
          ValueType.RULES,
          "none",
          false,
          route -> written(route.rules().toString()),
          "Rules, in their order: each has a condition (`when`) and actions such as `deny`,"
              + " `redirect`, `origin` and `response-headers`, or names a set of rules (`use`).");
  static final Field<NamedRules, String> ERROR_PAGE =
      optional(
          "page",
          ValueType.PAGE,
          "none",
          false,
          NamedRules::text,
          "The page: a `text` or a `file`, its `type`, and more. It can also stand in place of"
              + " `page`.");
  static final Section<NamedRules> ERROR_PAGES =
      new Section<>(
          "error-pages",
          Shape.NAMED,
          "Pages in place of the node's plain text, for all routes and for requests without a"
              + " route. Each name is a status or several: `404`, `502-504`, `5xx`. Pages of a"
              + " route (`routes[].error-pages`) come before these.",
          "page",
          List.of(ERROR_PAGE),
          config -> named(config.errorPages().texts(), NamedRules::name));
  static final Field<DebugConfig, Secret> DEBUG_SECRET =
      optional(
          "secret",
          ValueType.SECRET_VALUE,
          "none",
          false,
          DebugConfig::secret,
          "What tokens are signed with, at least 16 characters.");
  static final Field<DebugConfig, Path> DEBUG_SECRET_FILE =
      optional(
          "secret-file",
          ValueType.PATH,
          "none",
          false,
          null,
          "File whose first line is the secret; read at start and at each reload.");
  static final Section<DebugConfig> DEBUG =
      new Section<>(
          "debug",
          Shape.ONCE,
          "A request whose `Forebay-Debug` field has a token of `forebay debug-token` gets a"
              + " response with `Forebay-Debug` and `Server-Timing`: how it came about, and how long"
              + " that took. See [DEBUGGING.md](DEBUGGING.md).",
          "",
          List.of(DEBUG_SECRET, DEBUG_SECRET_FILE),
          config -> Map.of("", config.debug()));
  static final Field<RouteConfig, String> ROUTE_ERROR_PAGES =
      optional(
          "error-pages",
          ValueType.PAGES,
          "those at the top level",
          false,
          route -> written(route.rules().presets().pages().toString()),
          "Pages by status (`404`, `502-504`, `5xx`), each a `text` or a `file` with a `type`, and a"
              + " `json` for clients that prefer JSON. `from: [edge, origin]` also replaces what"
              + " the origin answers with that status.");
  static final Field<RouteConfig, String> ROUTE_CORS =
      optional(
          "cors",
          ValueType.CORS,
          "none",
          false,
          route -> {
            CorsPolicy cors = route.rules().presets().cors();
            return cors == null ? null : cors.toString();
          },
          "Which other origins' scripts may read the responses: `origins`, `methods`,"
              + " `request-headers`, `expose-headers`, `max-age` and `credentials`. The node"
              + " answers preflights, and replaces the origin's own `Access-Control-*` fields.");
  static final Field<RouteConfig, String> ROUTE_SECURITY_HEADERS =
      optional(
          "security-headers",
          ValueType.SECURITY_HEADERS,
          "`off`",
          false,
          route -> written(route.rules().presets().securityHeaders().text()),
          "Sets fields that make browsers stricter, where the origin sends none: `on`, `strict`, or"
              + " `preset` and `overwrite`. Over TLS also Strict-Transport-Security, for a year"
              + " unless `hsts` says otherwise.");
  static final Field<NamedRules, String> MATCHER =
      optional(
          "when",
          ValueType.CONDITION,
          "none",
          false,
          NamedRules::text,
          "The condition; it can also stand in place of `when`.");
  static final Field<NamedRules, String> RULE_SET =
      optional(
          "rules",
          ValueType.RULES,
          "none",
          false,
          NamedRules::text,
          "The rules; they can also stand in place of `rules`.");
  static final Section<NamedRules> MATCHERS =
      new Section<>(
          "matchers",
          Shape.NAMED,
          "Conditions by name, which other conditions use with `matches: NAME`.",
          "when",
          List.of(MATCHER),
          config -> named(config.matchers(), NamedRules::name));
  static final Section<NamedRules> RULE_SETS =
      new Section<>(
          "rule-sets",
          Shape.NAMED,
          "Rules by name, which routes include with `use: NAME`.",
          "rules",
          List.of(RULE_SET),
          config -> named(config.ruleSets(), NamedRules::name));
  static final Field<SplitConfig, String> SPLIT_BY =
      required(
          "by",
          ValueType.matching(
              "kind of value",
              "`client`, `cookie NAME` or `header NAME`",
              "client|(header|cookie) [!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}",
              "client",
              "write one of these"),
          false,
          SplitConfig::by,
          "What stays the same of a client: its address (of IPv6 the /64 network), or the value of a"
              + " cookie or a header field.");
  static final Field<SplitConfig, SplitConfig.Shares> SPLIT_GROUPS =
      required(
          "groups",
          ValueType.SHARES,
          false,
          SplitConfig::groups,
          "The groups and their shares of clients. Clients without the value are in the last"
              + " group.");
  static final Field<SplitConfig, String> SPLIT_SALT =
      optional(
          "salt",
          ValueType.NAME,
          "the name",
          false,
          SplitConfig::salt,
          "Another one draws the groups anew. Splits with the same one draw alike.");
  static final Section<SplitConfig> SPLITS =
      new Section<>(
          "splits",
          Shape.NAMED,
          "Groups of clients by name, which conditions of rules use with `split`. See"
              + " [RULES.md](RULES.md#splits).",
          "",
          List.of(SPLIT_BY, SPLIT_GROUPS, SPLIT_SALT),
          config -> named(config.splits(), SplitConfig::name));
  static final Section<RouteConfig> ROUTES =
      new Section<>(
          "routes",
          Shape.LIST,
          "Which requests go to which origin, and how their responses are stored. The most"
              + " specific host takes precedence, then the longest path; the order of the list"
              + " is irrelevant. With one origin and no route, every request goes to that"
              + " origin.",
          "",
          withFeatures(
              List.of(
                  ROUTE_NAME,
                  ROUTE_HOST,
                  ROUTE_PATH,
                  ROUTE_ORIGIN,
                  ROUTE_MEDIA,
                  ROUTE_TARGETED_FIELDS,
                  ROUTE_DEFAULT_TTL,
                  ROUTE_TTL_OVERRIDE,
                  ROUTE_NEGATIVE_TTL,
                  ROUTE_HEURISTIC,
                  ROUTE_HEURISTIC_WITH_COOKIES,
                  ROUTE_HEURISTIC_ERRORS,
                  ROUTE_STORE_BAD_REQUEST,
                  ROUTE_TTL_JITTER,
                  ROUTE_STALE_WHILE_REVALIDATE,
                  ROUTE_STALE_IF_ERROR,
                  ROUTE_KEEP,
                  ROUTE_EARLY_REFRESH,
                  ROUTE_SET_COOKIE,
                  ROUTE_REQUEST_COOKIES_STRIP,
                  ROUTE_REQUEST_COOKIES_KEEP,
                  ROUTE_PASS_COOKIES,
                  ROUTE_RESPONSE_COOKIES_STRIP,
                  ROUTE_RESPONSE_COOKIES_KEEP,
                  ROUTE_CLIENT_DIRECTIVES,
                  ROUTE_CACHE,
                  ROUTE_CLIENT_INVALIDATION,
                  ROUTE_STORE_POST,
                  ROUTE_STORE_CLASS,
                  ROUTE_RANGE_FETCH,
                  ROUTE_RANGE_FAR,
                  ROUTE_RANGE_LIMIT,
                  ROUTE_RANGE_WAIT,
                  ROUTE_SHARE_WAIT,
                  ROUTE_SHARE,
                  ROUTE_HIT_FOR_MISS,
                  KEY_HOST,
                  KEY_PORT,
                  KEY_SCHEME,
                  KEY_FOLD_PATH_CASE,
                  KEY_QUERY,
                  KEY_STRIP,
                  KEY_KEEP,
                  KEY_HEADERS,
                  KEY_IGNORE_HEADERS,
                  KEY_COOKIES,
                  KEY_DEVICE,
                  KEY_LANGUAGES,
                  KEY_ACCEPT_CLASSES,
                  KEY_VARIANTS,
                  KEY_NO_VARY_SEARCH,
                  QUERY_METHOD,
                  UNKEYED_DROP,
                  UNKEYED_KEY,
                  UNKEYED_PASS,
                  ROUTE_UPGRADE,
                  ROUTE_RESPONSE_TRAILERS,
                  ROUTE_VIA,
                  ROUTE_HSTS_MAX_AGE,
                  ROUTE_HSTS_SUBDOMAINS,
                  ROUTE_HSTS_PRELOAD,
                  ROUTE_PROTECTION,
                  ROUTE_RULES,
                  ROUTE_ERROR_PAGES,
                  ROUTE_CORS,
                  ROUTE_SECURITY_HEADERS,
                  ROUTE_LIMIT_BODY,
                  ROUTE_LIMIT_BODY_RATE,
                  ROUTE_BODY_IDLE,
                  ROUTE_REQUEST_TOTAL,
                  ROUTE_NO_PROGRESS,
                  ROUTE_KEEP_ALIVE,
                  ROUTE_FIRST_BYTE,
                  ROUTE_ORIGIN_IDLE,
                  ROUTE_ORIGIN_TOTAL,
                  ROUTE_LOG,
                  ROUTE_LOG_HITS,
                  ROUTE_LOG_HEADERS,
                  ROUTE_LOG_RESPONSE_HEADERS,
                  ROUTE_LOG_DROP)),
          config -> named(config.routes(), RouteConfig::name));
  static final Section<LimitsConfig> LIMITS =
      new Section<>(
          "limits",
          Shape.ONCE,
          "Limits of connections and requests. Requests and connections beyond a limit"
              + " are rejected and counted.",
          "",
          List.of(
              LIMIT_HEADER_BYTES,
              LIMIT_HEADER_COUNT,
              LIMIT_TARGET_BYTES,
              LIMIT_REQUEST_BODY,
              LIMIT_CONNECTIONS,
              LIMIT_REQUESTS_PER_CONNECTION,
              LIMIT_STREAMS_PER_CONNECTION,
              LIMIT_FOLLOWERS_PER_FILL,
              LIMIT_FILLS,
              LIMIT_REFUSED_LOADS,
              LIMIT_RECOVERY_FETCHES,
              LIMIT_PRIVATE_COPIES,
              LIMIT_CONNECTIONS_PER_ADDRESS,
              LIMIT_WAITING_PER_CLIENT,
              LIMIT_FETCHES_PER_CLIENT,
              LIMIT_REQUEST_BODY_RATE,
              LIMIT_CONNECTIONS_PER_NETWORK,
              LIMIT_NETWORK_IPV4,
              LIMIT_NETWORK_IPV6,
              LIMIT_CONNECTIONS_PER_SERVER_NAME,
              LIMIT_CONNECTIONS_PER_CERTIFICATE),
          config -> Map.of("", config.limits()));
  static final Section<Http2Config> HTTP2 =
      new Section<>(
          "http2",
          Shape.ONCE,
          "Limits on HTTP/2 frames that cost the node more than their sender. A"
              + " connection that exceeds one is closed with ENHANCE_YOUR_CALM and counted.",
          "",
          List.of(
              HTTP2_WINDOW,
              HTTP2_RESETS,
              HTTP2_RESETS_CAUSED,
              HTTP2_PINGS,
              HTTP2_SETTINGS,
              HTTP2_PRIORITIES,
              HTTP2_CONTINUATIONS,
              HTTP2_EMPTY_FRAMES,
              HTTP2_QUEUED_CONTROL_FRAMES),
          config -> Map.of("", config.http2()));
  static final Field<GeoConfig, Path> GEO_COUNTRY_FILE =
      optional(
          "country-file",
          ValueType.PATH,
          "none",
          false,
          GeoConfig::countryFile,
          "MMDB file with the countries of addresses, such as GeoLite2-Country, for the condition"
              + " `country` of rules. It is held in memory; a reload reads it again.");
  static final Field<GeoConfig, Path> GEO_ASN_FILE =
      optional(
          "asn-file",
          ValueType.PATH,
          "none",
          false,
          GeoConfig::asnFile,
          "MMDB file with the AS numbers of addresses, such as GeoLite2-ASN, for the condition `asn`"
              + " of rules.");
  static final Field<PluginsConfig, Path> PLUGIN_DIRECTORY =
      optional(
          "directory",
          ValueType.PATH,
          "none: no plugins",
          false,
          PluginsConfig::directory,
          "Directory whose jars (`*.jar`) are plugins; all of them are loaded, and run with all"
              + " rights of the node. Neither it nor a jar may be writable by everybody.");
  static final Field<PluginsConfig, Duration> PLUGIN_BUDGET =
      live(
          "budget",
          duration("1ms", "10s"),
          "50ms",
          PluginsConfig::budget,
          "How long one call of a plugin may take. Calls that take longer are logged and counted;"
              + " after eight within a minute a rule does not call its plugin for a minute, which"
              + " counts as a failure.");
  static final Section<PluginsConfig> PLUGINS =
      new Section<>(
          "plugins",
          Shape.ONCE,
          "Code in jars that rules call with `plugin`. See [PLUGINS.md](PLUGINS.md).",
          "",
          List.of(PLUGIN_DIRECTORY, PLUGIN_BUDGET),
          config -> Map.of("", config.plugins()));
  static final Section<GeoConfig> GEO =
      new Section<>(
          "geo",
          Shape.ONCE,
          "Files that tell where clients are, in MaxMind's format, at most 256 MiB each.",
          "",
          List.of(GEO_COUNTRY_FILE, GEO_ASN_FILE),
          config -> Map.of("", config.geo()));
  static final Section<OverloadConfig> OVERLOAD =
      new Section<>(
          "overload",
          Shape.ONCE,
          "Behaviour while an event loop is overloaded: new connections, and requests that"
              + " need a fetch from an origin, are rejected with 503 and `Retry-After`. Hits,"
              + " and requests that can join a fetch in progress, are still served.",
          "",
          List.of(OVERLOAD_DELAY, OVERLOAD_RETRY_AFTER),
          config -> Map.of("", config.overload()));
  static final Section<TimeoutsConfig> TIMEOUTS =
      new Section<>(
          "timeouts",
          Shape.ONCE,
          "Timeouts for client connections.",
          "",
          List.of(
              TIMEOUT_TLS_HANDSHAKE,
              TIMEOUT_REQUEST_HEADER,
              TIMEOUT_REQUEST_BODY_IDLE,
              TIMEOUT_KEEP_ALIVE,
              TIMEOUT_NO_PROGRESS,
              TIMEOUT_LAME_DUCK,
              TIMEOUT_DRAIN,
              TIMEOUT_REQUEST_TOTAL),
          config -> Map.of("", config.timeouts()));
  static final Section<TunnelsConfig> TUNNELS =
      new Section<>(
          "tunnels",
          Shape.ONCE,
          "Connections upgraded to another protocol, such as WebSocket.",
          "",
          List.of(TUNNEL_LIMIT, TUNNELS_PER_CLIENT, TUNNEL_IDLE),
          config -> Map.of("", config.tunnels()));
  static final Section<Http3Config> HTTP3 =
      new Section<>(
          "http3",
          Shape.ONCE,
          "HTTP/3 over QUIC: off unless listeners are named. It uses TLS 1.3 with the"
              + " listener's certificate; early data is not supported.",
          "listeners",
          List.of(HTTP3_LISTENERS, HTTP3_RETRY_FROM, HTTP3_ALT_SVC_MAX_AGE, HTTP3_ALT_SVC_PORT),
          config -> Map.of("", config.http3()));
  static final Section<ForwardingConfig> FORWARDING =
      new Section<>(
          "forwarding",
          Shape.ONCE,
          "Information about the client sent to origins, and about this node sent to clients"
              + " and origins.",
          "",
          List.of(
              FORWARDING_TRUSTED,
              FORWARDING_X_FORWARDED,
              FORWARDING_FORWARDED,
              FORWARDING_NODE_ID,
              FORWARDING_MAX_HOPS,
              FORWARDING_CACHE_TAGS_TO),
          config -> Map.of("", config.forwarding()));
  static final Section<PurgeConfig> PURGE =
      new Section<>(
          "purge",
          Shape.ONCE,
          "Purges by requests to the listeners, as sent by plugins of content management systems.",
          "from",
          List.of(PURGE_FROM),
          config -> Map.of("", config.purge()));

  /** All sections in the order of the reference and the dump. */
  static final List<Section<?>> SECTIONS =
      List.of(
          TOP,
          LISTEN,
          TLS,
          CERTIFICATES,
          HTTP3,
          ADMIN,
          THREADS,
          STORE,
          STORES,
          STORAGE_CLASSES,
          ORIGINS,
          ORIGIN_SERVERS,
          ORIGIN_HEADERS,
          MATCHERS,
          RULE_SETS,
          ERROR_PAGES,
          SPLITS,
          ROUTES,
          ProtectionKeys.PROFILES,
          ProtectionKeys.RATE_LIMITS,
          ProtectionKeys.FETCH_LIMITS,
          ProtectionKeys.URL_KEYS,
          GEO,
          CompressionKeys.SECTION,
          PLUGINS,
          LIMITS,
          TIMEOUTS,
          HTTP2,
          OVERLOAD,
          TUNNELS,
          FORWARDING,
          PURGE,
          ClusterKeys.SECTION,
          LogKeys.ACCESS_LOG,
          LogKeys.AUDIT,
          DEBUG);

  private ConfigKeys() {}

  private static List<Field<RouteConfig, ?>> withFeatures(List<Field<RouteConfig, ?>> fields) {
    return Stream.of(
            fields,
            CompressionKeys.OF_ROUTE,
            VideoKeys.OF_ROUTE,
            EsiKeys.OF_ROUTE,
            ResponseKeys.OF_ROUTE,
            PacingKeys.OF_ROUTE)
        .<Field<RouteConfig, ?>>flatMap(List::stream)
        .toList();
  }

  private static @Nullable String written(String text) {
    return text.isEmpty() ? null : text;
  }

  private static String words(List<String> names) {
    return names.stream().map(name -> "`" + name + "`").collect(Collectors.joining(", "));
  }

  private static Field<RouteConfig, List<String>> cookies(
      String name, Function<RouteConfig, CookieFilter> filter, boolean keeps, String description) {
    return optional(
        name,
        ValueType.COOKIE_NAMES,
        "none",
        false,
        route -> {
          CookieFilter set = filter.apply(route);
          return set.passesAll() || set.keeps() != keeps
              ? null
              : set.names().stream().sorted().toList();
        },
        description);
  }

  private static ValueType<Integer> sizeAsInteger(String min, String max) {
    ValueType<Long> size = size(min, max);
    return new ValueType<>(
        size.name(),
        size.range(),
        size.pattern(),
        Math.toIntExact(size.placeholder()),
        text -> Math.toIntExact(size.reader().read(text)),
        value -> ValueType.printSize(value));
  }

  /** The servers of the origins whose servers the short form cannot express. */
  private static Map<String, OriginServerConfig> servers(ServerConfig config) {
    Map<String, OriginServerConfig> servers = new LinkedHashMap<>();
    for (OriginConfig origin : config.origins()) {
      for (int i = 0; origin.url() == null && i < origin.servers().size(); i++) {
        servers.put(origin.name() + "." + i, origin.servers().get(i));
      }
    }
    return servers;
  }

  private static Map<String, StaticField> headers(ServerConfig config) {
    Map<String, StaticField> headers = new LinkedHashMap<>();
    for (OriginConfig origin : config.origins()) {
      for (int i = 0; i < origin.signing().fields().size(); i++) {
        headers.put(origin.name() + "." + i, origin.signing().fields().get(i));
      }
    }
    return headers;
  }

  private static <T> @Nullable T ofS3(OriginConfig origin, Function<S3Config, @Nullable T> reader) {
    S3Config s3 = origin.signing().s3();
    return s3 == null ? null : reader.apply(s3);
  }

  private static <T> Function<OriginConfig, @Nullable T> ofFiles(
      Function<FilesConfig, @Nullable T> reader) {
    return origin -> {
      FilesConfig files = origin.files();
      return files == null ? null : reader.apply(files);
    };
  }

  private static <T> @Nullable T ofHmac(OriginConfig origin, Function<HmacConfig, T> reader) {
    HmacConfig hmac = origin.signing().hmac();
    return hmac == null ? null : reader.apply(hmac);
  }

  private static <R> Map<String, R> named(List<R> records, Function<R, String> name) {
    Map<String, R> named = new LinkedHashMap<>();
    for (R record : records) {
      named.put(name.apply(record), record);
    }
    return named;
  }
}
