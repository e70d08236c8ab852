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

import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.UnkeyedFields;
import io.forebay.core.route.CookieFilter;
import io.forebay.core.route.CookieSettings.SetCookie;
import io.forebay.core.route.NegativeTtl;
import io.forebay.core.route.RouteSettings.ClientDirectives;
import io.forebay.server.config.Section.Shape;
import io.forebay.server.config.ServerConfig.AccessLogConfig;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.AdminConfig;
import io.forebay.server.config.ServerConfig.DiskConfig;
import io.forebay.server.config.ServerConfig.ForwardingConfig;
import io.forebay.server.config.ServerConfig.Http2Config;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OverloadConfig;
import io.forebay.server.config.ServerConfig.RouteConfig;
import io.forebay.server.config.ServerConfig.StoreConfig;
import io.forebay.server.config.ServerConfig.ThreadsConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.config.ServerConfig.TunnelsConfig;
import io.forebay.server.config.TlsConfig.CertificateConfig;
import io.forebay.server.config.TlsConfig.ClientAuth;
import io.forebay.server.config.TlsConfig.Policy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The table of all keys. The loader, the reference in {@code docs/CONFIG.md}, the JSON Schema, the
 * dump and the comparison of two configurations are all made from it, so that none can know a key
 * that another does not.
 */
final class ConfigKeys {
  static final Field<ServerConfig, String> ORIGIN =
      optional(
          "origin",
          ValueType.ORIGIN_URL,
          "none",
          false,
          null,
          "Short for one origin named `default`; where no routes are given, every request for any"
              + " host goes to it.");

  static final Field<ListenerConfig, String> LISTEN_NAME =
      optional(
          "name",
          ValueType.NAME,
          "`http` or `https`, then `http-2`, …",
          true,
          ListenerConfig::name,
          "Name of the listener in metrics and logs.");
  static final Field<ListenerConfig, Address> LISTEN_ADDRESS =
      required("address", ValueType.ADDRESS, true, ListenerConfig::address, "Where to listen.");
  static final Field<ListenerConfig, Path> LISTEN_CERTIFICATE =
      optional(
          "tls.certificate",
          ValueType.PATH,
          "none: plain text",
          false,
          ListenerConfig::certificate,
          "PEM file with the certificate and its chain; makes it a TLS listener. It is for all who ask"
              + " for no name that one of `certificates` is for.");
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
          "Whether every connection begins with a header of the PROXY protocol, version 1 or 2, that says"
              + " who the client is. Taken from the networks of `forwarding.trusted` and by"
              + " Unix-domain sockets; others are closed.");
  static final Field<ListenerConfig, String> LISTEN_DEFAULT =
      optional(
          "tls.default",
          ValueType.NAME,
          "none",
          false,
          ListenerConfig::defaultCertificate,
          "Instead of a certificate of its own: which of `certificates` is for those who ask for no"
              + " name that is there.");
  static final Field<ListenerConfig, Boolean> LISTEN_H2C =
      atStart(
          "h2c",
          ValueType.BOOLEAN,
          "false",
          ListenerConfig::h2c,
          "Whether clients of a plain text listener may speak HTTP/2 by prior knowledge (RFC 9113"
              + " §3.3); HTTP/1.1 is spoken as well.");

  static final Field<TlsConfig, Address> TLS_LISTEN =
      optional(
          "listen",
          ValueType.ADDRESS,
          "none",
          true,
          null,
          "Short for one more listener, with TLS; added to those of `listen`.");
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
          "Instead of these two: which of `certificates` that listener has.");
  static final Field<TlsConfig, Policy> TLS_POLICY =
      live(
          "policy",
          ValueType.constant(Policy.class, Policy.INTERMEDIATE),
          "intermediate",
          TlsConfig::policy,
          "Versions, ciphers and groups, after Mozilla's recommendations of these names: `modern` is TLS"
              + " 1.3 alone, `intermediate` also TLS 1.2 with forward secrecy and AEAD.");
  static final Field<TlsConfig, Integer> TLS_CLIENT_HELLO =
      live(
          "client-hello",
          sizeAsInteger("4KiB", "64KiB"),
          "16KiB",
          TlsConfig::clientHelloBytes,
          "Longest ClientHello that is read; a longer one ends the connection.");
  static final Field<TlsConfig, Duration> TLS_EXPIRY_WARNING =
      live(
          "expiry-warning",
          duration("0s", "365d"),
          "14d",
          TlsConfig::expiryWarning,
          "How long before a certificate ends the log says so, once a day.");
  static final Field<TlsConfig, Boolean> TLS_OCSP =
      live(
          "ocsp",
          ValueType.BOOLEAN,
          "true",
          TlsConfig::ocsp,
          "Whether the answers of the OCSP responders that certificates name are fetched, checked and"
              + " stapled to handshakes.");
  static final Field<TlsConfig, Boolean> TLS_TICKETS =
      live(
          "tickets",
          ValueType.BOOLEAN,
          "true",
          tls -> tls.tickets().enabled(),
          "Whether clients get session tickets, to come back by without a whole handshake.");
  static final Field<TlsConfig, Duration> TLS_TICKET_ROTATION =
      live(
          "ticket-rotation",
          duration("1m", "7d"),
          "8h",
          tls -> tls.tickets().rotation(),
          "How long a key encrypts tickets; it opens them for twice as long afterwards. A key that is"
              + " read from a file stays for as long as it stands there.");
  static final Field<TlsConfig, Path> TLS_TICKET_FILE =
      optional(
          "ticket-file",
          ValueType.PATH,
          "none: keys of this node alone, in memory",
          false,
          tls -> tls.tickets().file(),
          "File of the keys that nodes share: a line each, 48 random bytes in base64; the first one"
              + " encrypts, all of them open. It is looked at every minute.");

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
          "PEM file with its private key.");
  static final Field<CertificateConfig, Path> CERTIFICATE_SECOND =
      optional(
          "second.certificate",
          ValueType.PATH,
          "none",
          false,
          CertificateConfig::secondCertificate,
          "A second certificate for the same names with the other kind of key: clients that can get the"
              + " ECDSA one, the others RSA.");
  static final Field<CertificateConfig, Path> CERTIFICATE_SECOND_KEY =
      optional(
          "second.key",
          ValueType.PATH,
          "none",
          false,
          CertificateConfig::secondKey,
          "Its private key.");
  static final Field<CertificateConfig, List<String>> CERTIFICATE_HOSTS =
      live(
          "hosts",
          ValueType.SERVER_NAMES,
          "",
          CertificateConfig::hosts,
          "Names that it is shown for; empty: the DNS names in the certificate. `*.example.com` is every"
              + " name with one label more.");
  static final Field<CertificateConfig, ClientAuth> CERTIFICATE_CLIENT_AUTH =
      live(
          "client-auth",
          ValueType.constant(ClientAuth.class),
          "off",
          CertificateConfig::clientAuth,
          "Whether clients are asked for a certificate, and whether they must have one. What they show"
              + " goes to origins as `Client-Cert` (RFC 9440).");
  static final Field<CertificateConfig, Path> CERTIFICATE_CLIENT_CA =
      optional(
          "client-ca",
          ValueType.PATH,
          "none",
          false,
          CertificateConfig::clientCa,
          "PEM file of the authorities that clients' certificates must come from; required where they"
              + " are asked for.");
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
          "Where the admin API and the metrics are. A Unix-domain socket has mode 0600; anything but that and loopback needs a token.");
  static final Field<AdminConfig, String> ADMIN_TOKEN =
      optional(
          "token",
          ValueType.TOKEN,
          "none",
          false,
          AdminConfig::token,
          "What callers must send as `Authorization: Bearer TOKEN`.");
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
          "Event loops; 0 means one for each CPU the process may use.");
  static final Field<ThreadsConfig, String> THREADS_PIN =
      atStart(
          "pin",
          ValueType.PIN,
          "auto",
          ThreadsConfig::pin,
          "Whether loops are pinned to CPUs, and to which.");
  static final Field<ThreadsConfig, String> THREADS_TRANSPORT =
      atStart(
          "transport",
          oneOf("auto", "epoll", "nio"),
          "auto",
          ThreadsConfig::transport,
          "How sockets are driven; `auto` takes epoll where there is one.");

  static final Field<StoreConfig, Path> STORE_DATA =
      optional(
          "data",
          ValueType.PATH,
          "`/var/lib/forebay` where that can be written, else `$XDG_STATE_HOME/forebay`, else"
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
          "Size of the memory tier, or its share of the memory of the control group, or of the"
              + " machine where none limits it: then less, if index, heap and direct memory would"
              + " not fit beside it.");
  static final Field<StoreConfig, Path> STORE_MEMORY_DIRECTORY =
      optional(
          "memory-directory",
          ValueType.PATH,
          "a directory of random name under `/dev/shm`, or memory that does not outlive the process",
          true,
          StoreConfig::memoryDirectory,
          "Directory on a tmpfs, hugetlbfs or DAX mount for the memory tier; if it has no room,"
              + " the node does not start. A tmpfs mounted with `huge=within_size` gives it pages of"
              + " 2 MiB, with which lookups in a large cache cost less. On a disk it works, with a"
              + " warning: requests may wait for that disk.");

  static final Field<StoreConfig, String> STORE_PROTECTED_SHARE =
      atStart(
          "protected-share",
          ValueType.SHARE,
          "auto",
          StoreConfig::protectedShare,
          "Share of the memory tier for what was asked for again; `auto` follows the traffic.");
  static final Field<StoreConfig, String> STORE_TOUCH_THRESHOLD =
      atStart(
          "touch-threshold",
          oneOf("auto", "1", "2"),
          "auto",
          StoreConfig::touchThreshold,
          "How often something has to be asked for again to count among that; `auto` follows the"
              + " traffic.");
  static final Field<StoreConfig, String> STORE_DISK_ADMISSION =
      atStart(
          "disk-admission",
          oneOf("always", "second-hit"),
          "always",
          StoreConfig::diskAdmission,
          "What of that which leaves memory is written to a disk: everything, or what was asked for"
              + " again.");
  static final Field<StoreConfig, Long> STORE_DISK_BYTES_PER_DAY =
      atStart(
          "disk-bytes-per-day",
          size("0", "1024TiB"),
          "0",
          StoreConfig::diskBytesPerDay,
          "Bound of what is written to all disks together a day; 0 means none.");
  static final Field<StoreConfig, Duration> STORE_DISK_KEEP =
      atStart(
          "disk-keep",
          duration("0s", "365d"),
          "24h",
          StoreConfig::diskKeep,
          "How long after its expiry an object on a disk still counts, so that the origin can"
              + " confirm it instead of sending it again; later it is a miss that reads no disk.");
  static final Field<StoreConfig, Duration> STORE_DISK_STOP_LIMIT =
      atStart(
          "disk-stop-limit",
          duration("0s", "1h"),
          "10s",
          StoreConfig::diskStopLimit,
          "How long a stop goes on copying to the disks what only memory holds; what is left is"
              + " logged.");

  static final Field<StoreConfig, String> STORE_DISK_IO =
      atStart(
          "disk-io",
          oneOf("buffered", "direct"),
          "buffered",
          StoreConfig::diskIo,
          "How disks are read and written: through the page cache, or past it (`O_DIRECT`), which"
              + " leaves the page cache to others; where a file system cannot do that it is"
              + " buffered, with a line in the log.");
  static final Field<StoreConfig, Long> STORE_SCRUB_RATE =
      atStart(
          "scrub-rate",
          size("0", "64GiB"),
          "4MiB",
          StoreConfig::scrubRate,
          "Bytes per second that the scrub reads from each disk, while no request waits for that"
              + " disk, and from the memory tier. It finds damaged records before a request does; 0"
              + " disables it.");
  static final Field<StoreConfig, Integer> STORE_INDEX_ENTRIES =
      atStart(
          "index-entries",
          integer(0, 2_000_000_000),
          "0",
          StoreConfig::indexEntries,
          "Bound of the index, of about 112 bytes of memory an entry: an object takes one, and one"
              + " more for each MiB of its body. 0 means one for each 4 KiB of the memory tier and"
              + " each 64 KiB of the disks, more if an earlier run needed more, and at most an"
              + " eighth of the machine's memory. When it is full, the oldest objects leave although"
              + " there is room; a warning and `forebay_index_bound_regions_total` say so.");

  static final Field<DiskConfig, Path> DISK_PATH =
      required(
          "path",
          ValueType.PATH,
          true,
          DiskConfig::path,
          "Directory on the device; the store's one file and its lock lie in it. Only its last name"
              + " is made where it is missing: what is above it must exist, so that a disk that is"
              + " not mounted is an error.");
  static final Field<DiskConfig, Long> DISK_SIZE =
      required(
          "size",
          size("2MiB", "1024TiB"),
          true,
          DiskConfig::bytes,
          "What the store takes of it, with real blocks, at start.");
  static final Field<DiskConfig, Integer> DISK_READERS =
      atStart("readers", integer(1, 256), "4", DiskConfig::readers, "Reads at the same time.");
  static final Field<DiskConfig, Integer> DISK_MAX_ERRORS =
      atStart(
          "max-errors",
          integer(1, 1_000_000),
          "5",
          DiskConfig::maxErrors,
          "After so many errors (operations that fail or are slow, and records whose checksum does"
              + " not match; each batch that is written takes one off) it is fenced: what is on it"
              + " counts as missing, and nothing is asked of it until `forebay store online`.");
  static final Field<DiskConfig, Duration> DISK_SLOW =
      atStart(
          "slow",
          duration("10ms", "10m"),
          "10s",
          DiskConfig::slow,
          "An operation that takes longer is an error; one that takes twice as long fences.");

  static final Field<OriginConfig, String> ORIGIN_URL =
      required(
          "url",
          ValueType.ORIGIN_URL,
          false,
          OriginConfig::url,
          "Where the origin is; the default port of the scheme is filled in.");
  static final Field<OriginConfig, String> ORIGIN_HOST =
      optional(
          "host",
          ValueType.TEXT,
          "the client's",
          false,
          OriginConfig::host,
          "`Host` field to send to the origin.");
  static final Field<OriginConfig, Integer> ORIGIN_MAX_CONNECTIONS =
      live(
          "max-connections",
          integer(1, 100_000),
          "256",
          OriginConfig::maxConnections,
          "Connections to this origin at most, over all loops.");
  static final Field<OriginConfig, Path> ORIGIN_TRUST =
      optional(
          "trust",
          ValueType.PATH,
          "the platform's",
          false,
          OriginConfig::trust,
          "PEM file of the certificates that an https origin's chain must end in.");
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
          "Whether the origin's name may resolve to an address of a private range (10/8,"
              + " 100.64/10, 172.16/12, 192.168/16, fc00::/7).");
  static final Field<OriginConfig, Duration> ORIGIN_CONNECT =
      live(
          "timeouts.connect",
          duration("1ms", "5m"),
          "3s",
          OriginConfig::connectTimeout,
          "For a connection to be made, TLS handshake included.");
  static final Field<OriginConfig, Duration> ORIGIN_FIRST_BYTE =
      live(
          "timeouts.first-byte",
          duration("1ms", "1h"),
          "30s",
          OriginConfig::firstByteTimeout,
          "From the request sent to the first byte of the answer.");
  static final Field<OriginConfig, Duration> ORIGIN_IDLE =
      live(
          "timeouts.idle",
          duration("1ms", "1h"),
          "30s",
          OriginConfig::idleTimeout,
          "Between two bytes of an answer, while the node is willing to read.");
  static final Field<OriginConfig, Duration> ORIGIN_TOTAL =
      live(
          "timeouts.total",
          duration("1ms", "7d"),
          "1h",
          OriginConfig::totalTimeout,
          "For a whole exchange with the origin.");
  static final Field<OriginConfig, Duration> ORIGIN_KEEP_ALIVE =
      live(
          "keep-alive",
          duration("0s", "1h"),
          "30s",
          OriginConfig::keepAlive,
          "How long an idle connection is kept for reuse; 0s closes it at once.");

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
          "Hosts it takes. `*.example.com` takes every name below `example.com`, not itself;"
              + " without a port every port.");
  static final Field<RouteConfig, String> ROUTE_PATH =
      live(
          "match.path",
          ValueType.PATH_PREFIX,
          "/",
          RouteConfig::pathPrefix,
          "What the path must begin with: `/a` takes `/a` and what is below `/a/`, `/a/` only"
              + " what is below.");
  static final Field<RouteConfig, String> ROUTE_ORIGIN =
      optional(
          "origin",
          ValueType.NAME,
          "the only origin, where there is one",
          false,
          RouteConfig::origin,
          "Name of the origin.");
  static final Field<RouteConfig, List<String>> ROUTE_TARGETED_FIELDS =
      live(
          "targeted-fields",
          ValueType.FIELD_NAMES,
          "forebay-cache-control,cdn-cache-control,surrogate-control",
          route -> route.settings().freshness().targetedFields(),
          "Fields that go before `Cache-Control` and `Expires` (RFC 9213): the first that is valid and"
              + " not empty decides alone. `Forebay-Cache-Control` and `Surrogate-Control` end here if"
              + " they are listed.");
  static final Field<RouteConfig, Duration> ROUTE_DEFAULT_TTL =
      optional(
          "default-ttl",
          duration("0s", "3650d"),
          "none: the heuristic of RFC 9111",
          false,
          route -> route.settings().freshness().defaultTtl(),
          "Freshness of an answer that gives none itself.");
  static final Field<RouteConfig, Duration> ROUTE_TTL_OVERRIDE =
      optional(
          "ttl-override",
          duration("0s", "3650d"),
          "none",
          false,
          route -> route.settings().freshness().ttlOverride(),
          "Freshness of an answer whatever time it gives itself, errors apart; `no-store`, `private`"
              + " and the like still count.");
  static final Field<RouteConfig, NegativeTtl> ROUTE_NEGATIVE_TTL =
      live(
          "negative-ttl",
          ValueType.NEGATIVE_TTL,
          "",
          route -> route.settings().freshness().negativeTtl(),
          "Freshness of errors that give none themselves, by status; without it they are not stored."
              + " `4xx` and `5xx` leave out the statuses that depend on the client (401, 402, 403, 405,"
              + " 406, 407, 414, 451): these need their own number.");
  static final Field<RouteConfig, Boolean> ROUTE_HEURISTIC =
      live(
          "heuristic",
          ValueType.BOOLEAN,
          "true",
          route -> route.settings().freshness().heuristic(),
          "Whether an answer that gives no freshness gets a tenth of its age since `Last-Modified`, at"
              + " most a day (RFC 9111 §4.2.2).");
  static final Field<RouteConfig, Boolean> ROUTE_HEURISTIC_WITH_COOKIES =
      live(
          "heuristic-with-cookies",
          ValueType.BOOLEAN,
          "false",
          route -> route.settings().freshness().heuristicWithCookies(),
          "Whether that is done for answers to requests with `Cookie`, too. Otherwise they count as"
              + " without a lifetime, unless `key.cookies` puts the cookies into the key.");
  static final Field<RouteConfig, Integer> ROUTE_TTL_JITTER =
      live(
          "ttl-jitter",
          percent(50),
          "0%",
          route -> route.settings().freshness().jitterPercent(),
          "By how much of its lifetime at most an object expires early, so that what came together"
              + " does not expire together; never later than the origin said.");
  static final Field<RouteConfig, Duration> ROUTE_STALE_WHILE_REVALIDATE =
      live(
          "stale-while-revalidate",
          duration("0s", "3650d"),
          "0s",
          route -> route.settings().stale().whileRevalidate(),
          "How long past its freshness an object is served while a new one is fetched, where the"
              + " origin does not say. An object without a lifetime above 0 (`max-age=0`, `Expires: 0`,"
              + " a malformed time) is never served stale by this.");
  static final Field<RouteConfig, Duration> ROUTE_STALE_IF_ERROR =
      live(
          "stale-if-error",
          duration("0s", "3650d"),
          "0s",
          route -> route.settings().stale().ifError(),
          "How long past its freshness an object is served while the origin fails (no connection, no"
              + " answer in time, 500, 502, 503, 504), where the origin does not say. An object"
              + " without a lifetime above 0 is never served stale by this.");
  static final Field<RouteConfig, Duration> ROUTE_KEEP =
      optional(
          "keep",
          duration("0s", "3650d"),
          "as long as memory has room for it; on disks `store.disk-keep`",
          false,
          route -> route.settings().stale().keep(),
          "How long past its freshness, and the longer of the two times above, an object can still be"
              + " confirmed by its origin instead of being fetched whole.");
  static final Field<RouteConfig, Integer> ROUTE_EARLY_REFRESH =
      live(
          "early-refresh",
          percent(50),
          "0%",
          route -> route.settings().stale().earlyRefreshPercent(),
          "In which last part of its lifetime a popular object may be fetched anew while it is fresh:"
              + " each request begins that by a chance that grows towards the end. 0% is never.");
  static final Field<RouteConfig, SetCookie> ROUTE_SET_COOKIE =
      live(
          "set-cookie",
          ValueType.constant(SetCookie.class),
          "refuse",
          route -> route.settings().cookies().setCookie(),
          "What becomes of an answer with `Set-Cookie`: not stored, stored as it is, or stored"
              + " without the field.");
  static final Field<RouteConfig, List<String>> ROUTE_REQUEST_COOKIES_STRIP =
      cookies(
          "request-cookies.strip",
          route -> route.settings().cookies().request(),
          false,
          "Cookies that are taken out of requests, before anything else is done with them.");
  static final Field<RouteConfig, List<String>> ROUTE_REQUEST_COOKIES_KEEP =
      cookies(
          "request-cookies.keep",
          route -> route.settings().cookies().request(),
          true,
          "The only cookies that stay in requests; `[]` takes out all.");
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
          "The only cookies that answers may set; the `Set-Cookie` of others is dropped.");
  static final Field<RouteConfig, ClientDirectives> ROUTE_CLIENT_DIRECTIVES =
      live(
          "client-directives",
          ValueType.constant(ClientDirectives.class),
          "ignore",
          route -> route.settings().clientDirectives(),
          "Whether `Cache-Control` of a request (no-cache, max-age, …) has a say.");
  static final Field<RouteConfig, Boolean> ROUTE_CACHE =
      live(
          "cache",
          ValueType.BOOLEAN,
          "true",
          route -> !route.settings().passthrough(),
          "Whether anything of this route is stored; false passes every request through.");

  static final Field<RouteConfig, Boolean> ROUTE_CLIENT_INVALIDATION =
      live(
          "client-invalidation",
          ValueType.BOOLEAN,
          "true",
          route -> route.settings().clientInvalidation(),
          "Whether a client's request with an unsafe or unknown method (POST, PUT, DELETE, …) that is"
              + " answered with 2xx or 3xx removes what is stored for its URL, for `Location` and"
              + " `Content-Location` of the same origin, and for groups that the answer names (RFC 9111"
              + " §4.4, RFC 9875). Without it only purges do.");

  static final Field<RouteConfig, String> ROUTE_RANGE_FETCH =
      live(
          "range-fetch",
          oneOf("whole", "far", "slices"),
          "far",
          route -> route.ranges().fetch().name().toLowerCase(Locale.ROOT),
          "What is fetched for a range of which nothing is stored: the whole body; for a far range,"
              + " or one counted from the end, its slices only; or the slices of every range.");
  static final Field<RouteConfig, Long> ROUTE_RANGE_FAR =
      live(
          "range-far",
          size("0", "16TiB"),
          "8MiB",
          route -> route.ranges().farBytes(),
          "A range is far that begins so far behind what has come of a body, or behind the beginning"
              + " of one of which nothing is stored: it is not waited for but fetched by slice.");
  static final Field<RouteConfig, Integer> ROUTE_RANGE_LIMIT =
      live(
          "range-limit",
          integer(1, 1000),
          "16",
          route -> route.ranges().maxRanges(),
          "Ranges in one request; one that asks for more is answered with the whole body.");
  static final Field<RouteConfig, Duration> ROUTE_RANGE_WAIT =
      live(
          "range-wait",
          duration("0s", "1h"),
          "2s",
          route -> route.ranges().patience(),
          "How long a range that needs the length of a body waits for that to be known, while the"
              + " body is being fetched; then the answer is the whole body.");
  static final Field<RouteConfig, Duration> ROUTE_SHARE_WAIT =
      live(
          "share-wait",
          duration("0s", "1h"),
          "15s",
          route -> route.sharing().patience(),
          "How long a request waits for the answer that another one has asked the origin for; then"
              + " it is passed to the origin by itself.");
  static final Field<RouteConfig, Duration> ROUTE_HSTS_MAX_AGE =
      optional(
          "hsts.max-age",
          duration("0s", "3650d"),
          "none",
          false,
          route -> route.hsts().maxAge(),
          "Answers over TLS say `Strict-Transport-Security` with this time (RFC 6797), in place of what"
              + " the origin says; 0s takes back what was said before.");
  static final Field<RouteConfig, Boolean> ROUTE_HSTS_SUBDOMAINS =
      live(
          "hsts.subdomains",
          ValueType.BOOLEAN,
          "false",
          route -> route.hsts().subdomains(),
          "Whether it is said for all names below the host, too.");
  static final Field<RouteConfig, Boolean> ROUTE_HSTS_PRELOAD =
      live(
          "hsts.preload",
          ValueType.BOOLEAN,
          "false",
          route -> route.hsts().preload(),
          "Whether browsers may build it in.");
  static final Field<RouteConfig, Duration> ROUTE_HIT_FOR_MISS =
      live(
          "hit-for-miss",
          duration("0s", "1d"),
          "60s",
          route -> route.sharing().hitForMiss(),
          "How long an answer that can't be shared keeps requests for its URL from waiting for one"
              + " another.");

  static final Field<RouteConfig, String> KEY_HOST =
      optional(
          "key.host",
          ValueType.HOST,
          "the host that is asked for",
          false,
          route -> route.key().host(),
          "A fixed name in place of the host, so that several hosts share what is stored. A fill"
              + " sends it as `Host`, unless the origin has one of its own.");
  static final Field<RouteConfig, Boolean> KEY_PORT =
      live(
          "key.port",
          ValueType.BOOLEAN,
          "true",
          route -> route.key().port(),
          "Whether ports are told apart. If not, a fill names none.");
  static final Field<RouteConfig, Boolean> KEY_SCHEME =
      live(
          "key.scheme",
          ValueType.BOOLEAN,
          "true",
          route -> route.key().scheme(),
          "Whether http and https are told apart. If not, a fill tells the origin `https`.");
  static final Field<RouteConfig, Boolean> KEY_FOLD_PATH_CASE =
      live(
          "key.fold-path-case",
          ValueType.BOOLEAN,
          "false",
          route -> route.key().foldPathCase(),
          "Whether A–Z in a path are read as a–z. If so, a fill asks for the path in lower case.");
  static final Field<RouteConfig, String> KEY_QUERY =
      live(
          "key.query",
          oneOf("as-is", "sort", "ignore"),
          "as-is",
          route -> route.key().query(),
          "Whether queries that differ in the order of their parameters, or at all, are the same."
              + " A fill asks with the sorted query, or without one.");
  static final Field<RouteConfig, List<String>> KEY_STRIP =
      live(
          "key.strip",
          ValueType.PARAMETERS,
          "",
          route -> route.key().strip(),
          "Parameters of the query that do not count. A fill leaves them out, too.");
  static final Field<RouteConfig, List<String>> KEY_KEEP =
      live(
          "key.keep",
          ValueType.PARAMETERS,
          "",
          route -> route.key().keep(),
          "If any are given, the only parameters that count. A fill leaves all others out, too.");
  static final Field<RouteConfig, List<String>> KEY_HEADERS =
      live(
          "key.headers",
          ValueType.FIELD_NAMES,
          "",
          route -> route.key().headers(),
          "Request fields whose values are in the key, whatever `Vary` says.");
  static final Field<RouteConfig, List<String>> KEY_IGNORE_HEADERS =
      live(
          "key.ignore-headers",
          ValueType.FIELD_NAMES,
          "",
          route -> route.key().ignoreHeaders(),
          "Request fields that a fill does not send, so that answers can't depend on them, whatever"
              + " `Vary` says.");
  static final Field<RouteConfig, List<String>> UNKEYED_DROP =
      live(
          "unkeyed-fields.drop",
          ValueType.FIELD_PATTERNS,
          "",
          route -> route.key().unkeyed().drop(),
          "Request fields that the origin does not get, besides those that it never gets by default."
              + " These override the URL, host, scheme or method of a request: "
              + words(UnkeyedFields.OVERRIDES)
              + ". For requests that may be answered from the store also the client's address: "
              + words(UnkeyedFields.ADDRESSES)
              + ". And every field with a character in its name other than letters, digits and `-`,"
              + " since CGI reads `Client_Cert` as `Client-Cert`. `X-Forwarded-For`, `-Proto` and"
              + " `-Host` follow `forwarding`.");
  static final Field<RouteConfig, List<String>> UNKEYED_KEY =
      live(
          "unkeyed-fields.key",
          ValueType.FIELD_NAMES,
          "",
          route -> route.key().unkeyed().key(),
          "Fields of these lists that the origin gets and that are in the key, as with `key.headers`.");
  static final Field<RouteConfig, List<String>> UNKEYED_PASS =
      live(
          "unkeyed-fields.pass",
          ValueType.FIELD_PATTERNS,
          "",
          route -> route.key().unkeyed().pass(),
          "Fields of these lists that the origin gets though they are not in the key: only where a"
              + " proxy in front sets them, or answers do not depend on them or name them in `Vary`. A"
              + " name with `_` has to be given in full, and cannot be one that stands for a field in"
              + " these lists or of the node's own.");
  static final Field<RouteConfig, List<String>> KEY_COOKIES =
      live(
          "key.cookies",
          ValueType.COOKIE_NAMES,
          "",
          route -> route.key().cookies(),
          "Cookies whose values are in the key. If any are given a fill sends no others, and `Vary:"
              + " Cookie` does not keep an answer from being stored.");
  static final Field<RouteConfig, Boolean> KEY_DEVICE =
      live(
          "key.device",
          ValueType.BOOLEAN,
          "false",
          route -> route.key().device(),
          "Whether the kind of device is in the key: desktop, mobile, tablet or bot, by `User-Agent`"
              + " and `Sec-CH-UA-Mobile`. A fill sends a `User-Agent` of that kind instead of the"
              + " client's, and the kind as `Forebay-Device`; `Vary: User-Agent` does not keep an"
              + " answer from being stored.");
  static final Field<RouteConfig, List<String>> KEY_LANGUAGES =
      live(
          "key.languages",
          ValueType.LANGUAGES,
          "",
          route -> route.key().languages(),
          "If any are given, the one that serves a client's `Accept-Language` best (RFC 4647 §3.4)"
              + " is in the key, the first where none fits. A fill sends it instead of the client's"
              + " list.");
  static final Field<RouteConfig, Integer> KEY_VARIANTS =
      live(
          "key.variants",
          integer(1, KeyRecipe.MAX_VARIANTS),
          Integer.toString(KeyRecipe.DEFAULT_VARIANTS),
          route -> route.key().variants(),
          "How many answers that `Vary` tells apart are kept under one key. One more takes the"
              + " place of the one that was asked for longest ago.");

  static final Field<RouteConfig, Boolean> KEY_NO_VARY_SEARCH =
      live(
          "key.no-vary-search",
          ValueType.BOOLEAN,
          "false",
          route -> route.key().noVarySearch(),
          "Whether an answer's `No-Vary-Search` says which parameters of a query do not count. A"
              + " request may then take one look-up more. A purge of a URL takes all answers with"
              + " that field for its path.");
  static final Field<RouteConfig, String> QUERY_METHOD =
      live(
          "query-method",
          oneOf("pass", "cache"),
          "pass",
          route -> route.key().queryMethod(),
          "What becomes of QUERY (RFC 10008): passed, or answered from the cache by URL, type and"
              + " content. Content of more than 64 KiB is passed.");

  static final Field<RouteConfig, List<String>> ROUTE_UPGRADE =
      live(
          "upgrade",
          ValueType.PROTOCOLS,
          "",
          route -> route.forwarding().upgrade(),
          "Protocols that a client may change to on its connection, such as `websocket`; offers of"
              + " others are ignored.");
  static final Field<RouteConfig, List<String>> ROUTE_RESPONSE_TRAILERS =
      live(
          "response-trailers",
          ValueType.TRAILERS,
          "",
          route -> route.forwarding().responseTrailers(),
          "Fields that are let through where they follow the body of an answer that is passed on;"
              + " others are dropped.");

  static final Field<TunnelsConfig, Integer> TUNNEL_LIMIT =
      live(
          "limit",
          integer(1, 1_000_000),
          "1024",
          TunnelsConfig::limit,
          "Tunnels open at once; further offers are answered with 503.");
  static final Field<TunnelsConfig, Integer> TUNNELS_PER_CLIENT =
      live(
          "per-client",
          integer(0, 1_000_000),
          "256",
          TunnelsConfig::perClient,
          "Tunnels open at once of one client, or one /64 of IPv6; further offers are answered with"
              + " 429. 0 means no bound. Those of `forwarding.trusted` have none.");
  static final Field<TunnelsConfig, Duration> TUNNEL_IDLE =
      live(
          "idle-timeout",
          duration("100ms", "1d"),
          "5m",
          TunnelsConfig::idleTimeout,
          "How long nothing may move in either direction.");

  static final Field<Http3Config, List<String>> HTTP3_LISTENERS =
      atStart(
          "listeners",
          ValueType.LISTENERS,
          "",
          Http3Config::listeners,
          "TLS listeners, by name, that speak HTTP/3 as well, on the UDP port of the same number."
              + " None: HTTP/3 is off. Hosts with `client-auth` are served over TCP alone.");
  static final Field<Http3Config, Integer> HTTP3_RETRY_FROM =
      atStart(
          "retry-from",
          integer(0, 1_000_000),
          "64",
          Http3Config::retryFrom,
          "Handshakes under way in the node from which new clients have to show first that they are"
              + " at the address they claim (QUIC Retry), which takes a round trip more. 0: always.");
  static final Field<Http3Config, Duration> HTTP3_ALT_SVC_MAX_AGE =
      atStart(
          "alt-svc-max-age",
          duration("0s", "365d"),
          "1d",
          Http3Config::altSvcMaxAge,
          "How long clients may remember from `Alt-Svc`, which answers of these listeners over"
              + " HTTP/1.1 and HTTP/2 then have, that HTTP/3 is to be had. 0: they are not told.");
  static final Field<Http3Config, Integer> HTTP3_ALT_SVC_PORT =
      atStart(
          "alt-svc-port",
          integer(0, 65_535),
          "0",
          Http3Config::altSvcPort,
          "The UDP port that clients are told, where it is another one outside than here. 0: the"
              + " listener's own.");

  static final Field<LimitsConfig, Integer> LIMIT_HEADER_BYTES =
      live(
          "header-bytes",
          sizeAsInteger("1KiB", "1MiB"),
          "32KiB",
          LimitsConfig::headerBytes,
          "All header fields of a request or an answer together.");
  static final Field<LimitsConfig, Integer> LIMIT_HEADER_COUNT =
      live(
          "header-count",
          integer(8, 10_000),
          "128",
          LimitsConfig::headerCount,
          "Header field lines of a request or an answer.");
  static final Field<LimitsConfig, Integer> LIMIT_TARGET_BYTES =
      live(
          "target-bytes",
          sizeAsInteger("256", "64KiB"),
          "8KiB",
          LimitsConfig::targetBytes,
          "Path and query of a request.");
  static final Field<LimitsConfig, Long> LIMIT_REQUEST_BODY =
      live(
          "request-body",
          size("0", "16TiB"),
          "1GiB",
          LimitsConfig::requestBodyBytes,
          "Body of a request; it is streamed, never held.");
  static final Field<LimitsConfig, Integer> LIMIT_CONNECTIONS =
      live(
          "connections",
          integer(1, 10_000_000),
          "50000",
          LimitsConfig::connections,
          "Client connections open at once.");
  static final Field<LimitsConfig, Integer> LIMIT_REQUESTS_PER_CONNECTION =
      live(
          "requests-per-connection",
          integer(1, Integer.MAX_VALUE),
          "1000000",
          LimitsConfig::requestsPerConnection,
          "Requests after which a client connection is closed.");
  static final Field<LimitsConfig, Integer> LIMIT_STREAMS_PER_CONNECTION =
      live(
          "streams-per-connection",
          integer(1, 10_000),
          "128",
          LimitsConfig::streamsPerConnection,
          "HTTP/2 streams open at once on a connection.");
  static final Field<LimitsConfig, Integer> LIMIT_FOLLOWERS_PER_FILL =
      live(
          "followers-per-fill",
          integer(1, 10_000_000),
          "10000",
          LimitsConfig::followersPerFill,
          "Clients that wait for, or follow, one fetch.");
  static final Field<LimitsConfig, Integer> LIMIT_FILLS =
      live(
          "fills",
          integer(1, 1_000_000),
          "2048",
          LimitsConfig::fills,
          "Fetches into the store under way at once.");
  static final Field<LimitsConfig, Integer> LIMIT_REFUSED_LOADS =
      live(
          "refused-loads",
          integer(1, 1_000_000),
          "256",
          LimitsConfig::refusedLoads,
          "Requests that may fetch from an origin at once because a slow or busy disk refuses to"
              + " load the stored object. Beyond it such requests get 503.");
  static final Field<LimitsConfig, Long> LIMIT_PRIVATE_COPIES =
      live(
          "private-copies",
          size("1MiB", "1TiB"),
          "64MiB",
          LimitsConfig::privateCopyBytes,
          "Memory for bytes that slow clients have not taken yet.");
  static final Field<LimitsConfig, Integer> LIMIT_CONNECTIONS_PER_ADDRESS =
      live(
          "connections-per-address",
          integer(0, 10_000_000),
          "4096",
          limits -> limits.client().connectionsPerAddress(),
          "Client connections open at once from one address, or from one /64 of IPv6; 0 means no"
              + " bound. Those of `forwarding.trusted` have none.");
  static final Field<LimitsConfig, Integer> LIMIT_WAITING_PER_CLIENT =
      live(
          "waiting-per-client",
          integer(0, 10_000_000),
          "4096",
          limits -> limits.client().waiting(),
          "Requests of one client, or one /64 of IPv6, that are not hits and in progress at once,"
              + " those that follow a fetch of others included; further ones get 429. 0 means no"
              + " bound. The client is the one that `forwarding.trusted` proxies name; they have no"
              + " bound themselves.");
  static final Field<LimitsConfig, Integer> LIMIT_FETCHES_PER_CLIENT =
      live(
          "fetches-per-client",
          integer(0, 10_000_000),
          "128",
          limits -> limits.client().fetches(),
          "The same for what an origin is asked for: fetches, those whose client has left included,"
              + " refreshes, which do not begin beyond it, and offers to change the protocol until"
              + " they are accepted. Keep it below `origins.NAME.max-connections`.");
  static final Field<LimitsConfig, Integer> LIMIT_REQUEST_BODY_RATE =
      live(
          "request-body-rate",
          sizeAsInteger("0", "1GiB"),
          "512",
          limits -> limits.client().requestBodyRate(),
          "Bytes a second that a request body must bring, on average over"
              + " `timeouts.request-body-idle` and while the node is willing to read; 0 means none.");

  static final Field<Http2Config, Duration> HTTP2_WINDOW =
      live(
          "window",
          duration("1s", "1h"),
          "30s",
          Http2Config::window,
          "The time in which those of the following are counted that say so.");
  static final Field<Http2Config, Integer> HTTP2_RESETS =
      live(
          "resets",
          integer(1, 1_000_000),
          "200",
          Http2Config::resets,
          "Streams that a client may reset within `http2.window`.");
  static final Field<Http2Config, Integer> HTTP2_RESETS_CAUSED =
      live(
          "resets-caused",
          integer(1, 1_000_000),
          "200",
          Http2Config::resetsCaused,
          "Streams that a client may have the node reset within `http2.window`, by breaking the"
              + " protocol on them.");
  static final Field<Http2Config, Integer> HTTP2_PINGS =
      live(
          "pings",
          integer(1, 1_000_000),
          "1000",
          Http2Config::pings,
          "PING frames within `http2.window`.");
  static final Field<Http2Config, Integer> HTTP2_SETTINGS =
      live(
          "settings",
          integer(1, 1_000_000),
          "100",
          Http2Config::settings,
          "SETTINGS frames within `http2.window`.");
  static final Field<Http2Config, Integer> HTTP2_PRIORITIES =
      live(
          "priorities",
          integer(1, 1_000_000),
          "1000",
          Http2Config::priorities,
          "PRIORITY, PRIORITY_UPDATE and unknown frames within `http2.window`, beyond one for each request; over HTTP/3 also all other frames of the control stream, unknown streams, and QPACK instructions.");
  static final Field<Http2Config, Integer> HTTP2_CONTINUATIONS =
      live(
          "continuations",
          integer(1, 10_000),
          "16",
          Http2Config::continuations,
          "CONTINUATION frames of less than half of the largest size in one header block.");
  static final Field<Http2Config, Integer> HTTP2_EMPTY_FRAMES =
      live(
          "empty-frames",
          integer(1, 10_000),
          "4",
          Http2Config::emptyFrames,
          "DATA frames in a row that bring nothing and end nothing.");
  static final Field<Http2Config, Integer> HTTP2_QUEUED_CONTROL_FRAMES =
      live(
          "queued-control-frames",
          integer(16, 1_000_000),
          "1000",
          Http2Config::queuedControlFrames,
          "Answers to PING, SETTINGS and broken streams that wait for a client that does not read"
              + " them.");

  static final Field<OverloadConfig, Duration> OVERLOAD_DELAY =
      live(
          "delay",
          duration("0s", "1m"),
          "500ms",
          OverloadConfig::delay,
          "How late an event loop comes to its work, averaged over about a second, for it to"
              + " be overloaded; 0s means never.");
  static final Field<OverloadConfig, Duration> OVERLOAD_RETRY_AFTER =
      live(
          "retry-after",
          duration("1s", "1h"),
          "5s",
          OverloadConfig::retryAfter,
          "`Retry-After` of whatever is turned away.");

  static final Field<TimeoutsConfig, Duration> TIMEOUT_TLS_HANDSHAKE =
      live(
          "tls-handshake",
          duration("100ms", "5m"),
          "5s",
          TimeoutsConfig::tlsHandshake,
          "For a client's TLS handshake.");
  static final Field<TimeoutsConfig, Duration> TIMEOUT_REQUEST_HEADER =
      live(
          "request-header",
          duration("100ms", "10m"),
          "10s",
          TimeoutsConfig::requestHeader,
          "From the first byte of a request to the end of its header.");
  static final Field<TimeoutsConfig, Duration> TIMEOUT_REQUEST_BODY_IDLE =
      live(
          "request-body-idle",
          duration("100ms", "1h"),
          "30s",
          TimeoutsConfig::requestBodyIdle,
          "Between two bytes of a request body, while the node is willing to read.");
  static final Field<TimeoutsConfig, Duration> TIMEOUT_KEEP_ALIVE =
      live(
          "keep-alive",
          duration("0s", "1d"),
          "75s",
          TimeoutsConfig::keepAlive,
          "How long a client connection stays open without a request.");
  static final Field<TimeoutsConfig, Duration> TIMEOUT_NO_PROGRESS =
      live(
          "no-progress",
          duration("1s", "1d"),
          "2m",
          TimeoutsConfig::noProgress,
          "After which a client that takes not one byte of its answer is closed; a slow one that"
              + " moves is not.");
  static final Field<TimeoutsConfig, Duration> TIMEOUT_DRAIN =
      live(
          "drain",
          duration("0s", "1d"),
          "30s",
          TimeoutsConfig::drain,
          "How long requests under way may go on after SIGTERM.");
  static final Field<TimeoutsConfig, Duration> TIMEOUT_REQUEST_TOTAL =
      live(
          "request-total",
          duration("1s", "365d"),
          "1d",
          TimeoutsConfig::requestTotal,
          "For a request from the end of its header to the end of its answer, however well it"
              + " moves; tunnels have none.");

  static final Field<ForwardingConfig, List<String>> FORWARDING_TRUSTED =
      live(
          "trusted",
          ValueType.NETWORKS,
          "",
          ForwardingConfig::trusted,
          "Networks of proxies whose forwarding fields are believed and appended to; from anyone"
              + " else they are replaced.");
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
          "Name of this node in `Via`, `Cache-Status`, `Proxy-Status` and `CDN-Loop`; must be unique among nodes"
              + " that ask each other.");

  static final Field<ForwardingConfig, Integer> FORWARDING_MAX_HOPS =
      live(
          "max-hops",
          integer(1, 100),
          "10",
          ForwardingConfig::maxHops,
          "Nodes of any CDN that a request may have been through, as its `CDN-Loop` tells; one more"
              + " is answered with 508.");

  static final Field<AccessLogConfig, String> ACCESS_LOG_OUTPUT =
      atStart(
          "output",
          ValueType.LOG_OUTPUT,
          "off",
          AccessLogConfig::output,
          "Where the JSON access log goes. A file is opened again on SIGUSR1.");
  static final Field<AccessLogConfig, Integer> ACCESS_LOG_QUEUE =
      atStart(
          "queue",
          integer(64, 1_048_576),
          "8192",
          AccessLogConfig::queueLines,
          "Lines held, over all loops, while the writer is behind; more are dropped and counted."
              + " Each takes about 3 KiB.");

  static final Section<ServerConfig> TOP =
      new Section<>(
          "", Shape.ONCE, "At the top level:", "", List.of(ORIGIN), config -> Map.of("", config));
  static final Section<ListenerConfig> LISTEN =
      new Section<>(
          "listen",
          Shape.LIST,
          "Addresses to listen on: a list, or one address in short. A bare address stands for an"
              + " entry with nothing else. Default: `:8080`, unless `tls.listen` is given.",
          "address",
          List.of(
              LISTEN_NAME,
              LISTEN_ADDRESS,
              LISTEN_CERTIFICATE,
              LISTEN_KEY,
              LISTEN_DEFAULT,
              LISTEN_H2C,
              LISTEN_PROXY),
          config -> named(config.listeners(), ListenerConfig::name));
  static final Section<TlsConfig> TLS =
      new Section<>(
          "tls",
          Shape.ONCE,
          "TLS towards clients: one listener in short, and what all of them have in common.",
          "",
          List.of(
              TLS_LISTEN,
              TLS_CERTIFICATE,
              TLS_KEY,
              TLS_DEFAULT,
              TLS_POLICY,
              TLS_CLIENT_HELLO,
              TLS_EXPIRY_WARNING,
              TLS_OCSP,
              TLS_TICKETS,
              TLS_TICKET_ROTATION,
              TLS_TICKET_FILE),
          config -> Map.of("", config.tls()));
  static final Section<CertificateConfig> CERTIFICATES =
      new Section<>(
          "certificates",
          Shape.NAMED,
          "Certificates by name, for all TLS listeners: each is shown to clients that ask for one of its"
              + " names (SNI). An exact name wins over a wildcard. A reload reads all files again.",
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
          List.of(THREADS_LOOPS, THREADS_PIN, THREADS_TRANSPORT),
          config -> Map.of("", config.threads()));
  static final Section<StoreConfig> STORE =
      new Section<>(
          "store",
          Shape.ONCE,
          "The store's places and sizes.",
          "",
          List.of(
              STORE_DATA,
              STORE_MEMORY,
              STORE_MEMORY_DIRECTORY,
              STORE_PROTECTED_SHARE,
              STORE_TOUCH_THRESHOLD,
              STORE_DISK_ADMISSION,
              STORE_DISK_BYTES_PER_DAY,
              STORE_DISK_KEEP,
              STORE_DISK_IO,
              STORE_SCRUB_RATE,
              STORE_INDEX_ENTRIES,
              STORE_DISK_STOP_LIMIT),
          config -> Map.of("", config.store()));
  static final Section<DiskConfig> STORES =
      new Section<>(
          "stores",
          Shape.NAMED,
          "Devices of the disk tier by name, each an independent store. Without one there is the"
              + " memory tier alone. A device is known by what its file says: it keeps what it holds"
              + " under another name or path.",
          "",
          List.of(DISK_PATH, DISK_SIZE, DISK_READERS, DISK_MAX_ERRORS, DISK_SLOW),
          config -> named(config.stores(), DiskConfig::name));
  static final Section<OriginConfig> ORIGINS =
      new Section<>(
          "origins",
          Shape.NAMED,
          "Origins by name. A bare URL stands for an entry with nothing else.",
          "url",
          List.of(
              ORIGIN_URL,
              ORIGIN_HOST,
              ORIGIN_MAX_CONNECTIONS,
              ORIGIN_TRUST,
              ORIGIN_ALLOW_LOOPBACK_NAMES,
              ORIGIN_ALLOW_PRIVATE_NAMES,
              ORIGIN_CONNECT,
              ORIGIN_FIRST_BYTE,
              ORIGIN_IDLE,
              ORIGIN_TOTAL,
              ORIGIN_KEEP_ALIVE),
          config -> named(config.origins(), OriginConfig::name));
  static final Section<RouteConfig> ROUTES =
      new Section<>(
          "routes",
          Shape.LIST,
          "Which requests go to which origin, and how their answers are kept. The most specific"
              + " host wins, then the longest path; the order of the list means nothing. Where there"
              + " is one origin and no route, every request goes to it.",
          "",
          List.of(
              ROUTE_NAME,
              ROUTE_HOST,
              ROUTE_PATH,
              ROUTE_ORIGIN,
              ROUTE_TARGETED_FIELDS,
              ROUTE_DEFAULT_TTL,
              ROUTE_TTL_OVERRIDE,
              ROUTE_NEGATIVE_TTL,
              ROUTE_HEURISTIC,
              ROUTE_HEURISTIC_WITH_COOKIES,
              ROUTE_TTL_JITTER,
              ROUTE_STALE_WHILE_REVALIDATE,
              ROUTE_STALE_IF_ERROR,
              ROUTE_KEEP,
              ROUTE_EARLY_REFRESH,
              ROUTE_SET_COOKIE,
              ROUTE_REQUEST_COOKIES_STRIP,
              ROUTE_REQUEST_COOKIES_KEEP,
              ROUTE_RESPONSE_COOKIES_STRIP,
              ROUTE_RESPONSE_COOKIES_KEEP,
              ROUTE_CLIENT_DIRECTIVES,
              ROUTE_CACHE,
              ROUTE_CLIENT_INVALIDATION,
              ROUTE_RANGE_FETCH,
              ROUTE_RANGE_FAR,
              ROUTE_RANGE_LIMIT,
              ROUTE_RANGE_WAIT,
              ROUTE_SHARE_WAIT,
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
              KEY_VARIANTS,
              KEY_NO_VARY_SEARCH,
              QUERY_METHOD,
              UNKEYED_DROP,
              UNKEYED_KEY,
              UNKEYED_PASS,
              ROUTE_UPGRADE,
              ROUTE_RESPONSE_TRAILERS,
              ROUTE_HSTS_MAX_AGE,
              ROUTE_HSTS_SUBDOMAINS,
              ROUTE_HSTS_PRELOAD),
          config -> named(config.routes(), RouteConfig::name));
  static final Section<LimitsConfig> LIMITS =
      new Section<>(
          "limits",
          Shape.ONCE,
          "Bounds; passing one sheds load and is counted.",
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
              LIMIT_PRIVATE_COPIES,
              LIMIT_CONNECTIONS_PER_ADDRESS,
              LIMIT_WAITING_PER_CLIENT,
              LIMIT_FETCHES_PER_CLIENT,
              LIMIT_REQUEST_BODY_RATE),
          config -> Map.of("", config.limits()));
  static final Section<Http2Config> HTTP2 =
      new Section<>(
          "http2",
          Shape.ONCE,
          "Frames of HTTP/2 that cost the node more than whoever sends them. One more than allowed"
              + " ends the connection with ENHANCE_YOUR_CALM and is counted.",
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
  static final Section<OverloadConfig> OVERLOAD =
      new Section<>(
          "overload",
          Shape.ONCE,
          "When an event loop cannot keep up: new connections and what has to be asked of an origin"
              + " are turned away with 503 and `Retry-After`; hits, and who can join a fetch under way,"
              + " go on.",
          "",
          List.of(OVERLOAD_DELAY, OVERLOAD_RETRY_AFTER),
          config -> Map.of("", config.overload()));
  static final Section<TimeoutsConfig> TIMEOUTS =
      new Section<>(
          "timeouts",
          Shape.ONCE,
          "Time bounds towards clients.",
          "",
          List.of(
              TIMEOUT_TLS_HANDSHAKE,
              TIMEOUT_REQUEST_HEADER,
              TIMEOUT_REQUEST_BODY_IDLE,
              TIMEOUT_KEEP_ALIVE,
              TIMEOUT_NO_PROGRESS,
              TIMEOUT_DRAIN,
              TIMEOUT_REQUEST_TOTAL),
          config -> Map.of("", config.timeouts()));
  static final Section<TunnelsConfig> TUNNELS =
      new Section<>(
          "tunnels",
          Shape.ONCE,
          "Connections that have changed to another protocol, such as WebSocket.",
          "",
          List.of(TUNNEL_LIMIT, TUNNELS_PER_CLIENT, TUNNEL_IDLE),
          config -> Map.of("", config.tunnels()));
  static final Section<Http3Config> HTTP3 =
      new Section<>(
          "http3",
          Shape.ONCE,
          "HTTP/3, over QUIC: off unless listeners are named. Its TLS is 1.3, with the listener's"
              + " certificate; there is no early data.",
          "listeners",
          List.of(HTTP3_LISTENERS, HTTP3_RETRY_FROM, HTTP3_ALT_SVC_MAX_AGE, HTTP3_ALT_SVC_PORT),
          config -> Map.of("", config.http3()));
  static final Section<ForwardingConfig> FORWARDING =
      new Section<>(
          "forwarding",
          Shape.ONCE,
          "What is said of the client towards origins, and of this node towards everyone.",
          "",
          List.of(
              FORWARDING_TRUSTED,
              FORWARDING_X_FORWARDED,
              FORWARDING_FORWARDED,
              FORWARDING_NODE_ID,
              FORWARDING_MAX_HOPS),
          config -> Map.of("", config.forwarding()));
  static final Section<AccessLogConfig> ACCESS_LOG =
      new Section<>(
          "access-log",
          Shape.ONCE,
          "One JSON line a request.",
          "output",
          List.of(ACCESS_LOG_OUTPUT, ACCESS_LOG_QUEUE),
          config -> Map.of("", config.accessLog()));

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
          ORIGINS,
          ROUTES,
          LIMITS,
          TIMEOUTS,
          HTTP2,
          OVERLOAD,
          TUNNELS,
          FORWARDING,
          ACCESS_LOG);

  private ConfigKeys() {}

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

  private static <R> Map<String, R> named(List<R> records, Function<R, String> name) {
    Map<String, R> named = new LinkedHashMap<>();
    for (R record : records) {
      named.put(name.apply(record), record);
    }
    return named;
  }
}
