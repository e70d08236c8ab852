package io.forebay.server.config;

import io.forebay.core.key.KeyRecipe;
import io.forebay.core.route.RangeSettings;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.SharingSettings;
import io.forebay.server.pacing.Pacing;
import io.forebay.server.page.ErrorPages;
import io.forebay.server.rule.RouteRules;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The complete configuration of a node with effective values: file, environment, flags and defaults
 * are merged. Immutable; an exchange keeps its configuration for its whole life.
 */
public record ServerConfig(
    List<ListenerConfig> listeners,
    AdminConfig admin,
    ThreadsConfig threads,
    StoreConfig store,
    List<DiskConfig> stores,
    List<OriginConfig> origins,
    List<RouteConfig> routes,
    LimitsConfig limits,
    TimeoutsConfig timeouts,
    TunnelsConfig tunnels,
    ForwardingConfig forwarding,
    AccessLogConfig accessLog,
    Http2Config http2,
    OverloadConfig overload,
    TlsConfig tls,
    Http3Config http3,
    PurgeConfig purge,
    List<StorageClassConfig> storageClasses,
    List<ProtectionProfile> protections,
    List<NamedRules> matchers,
    List<NamedRules> ruleSets,
    DefaultPages errorPages,
    DebugConfig debug,
    List<SplitConfig> splits,
    GeoConfig geo,
    CompressionConfig compression,
    PluginsConfig plugins,
    @Nullable ClusterConfig cluster,
    AuditConfig audit) {

  /** A matcher or a set of rules as it was written; the routes have what it was compiled to. */
  public record NamedRules(String name, String text) {}

  /** What tokens of clients that debug are signed with; null where none debugs. */
  public record DebugConfig(@Nullable Secret secret) {
    public static final DebugConfig OFF = new DebugConfig(null);
  }

  /**
   * The error pages of all routes.
   *
   * @param texts as they were written, by status
   */
  public record DefaultPages(ErrorPages pages, List<NamedRules> texts) {
    public static final DefaultPages NONE = new DefaultPages(ErrorPages.NONE, List.of());
  }

  /**
   * {@code host:port}; the host may be a name or a literal, {@code *} or empty means every address.
   * A Unix-domain socket has {@code unix:} and its file for a host, and port 0.
   */
  public record Address(String host, int port) {

    private static final String UNIX = "unix:";

    public static Address unix(Path file) {
      return new Address(UNIX + file, 0);
    }

    /** The file of a Unix-domain socket, or null. */
    public @Nullable Path unixFile() {
      return host.startsWith(UNIX) ? Path.of(host.substring(UNIX.length())) : null;
    }
  }

  /**
   * One listening address.
   *
   * @param certificate PEM chain of its own, or null
   * @param defaultCertificate the certificate by name that clients get who ask for none that is
   *     there, or null where it has its own or is plain text
   * @param h2c whether a plain text client may speak HTTP/2 from its first byte on
   * @param proxyProtocol whether every connection begins with a header of the PROXY protocol
   * @param acme whether it is TLS with the certificates by ACME, whether or not it has another one
   * @param httpsRedirect port of https to which plain text requests are redirected, or null
   */
  public record ListenerConfig(
      String name,
      Address address,
      @Nullable Path certificate,
      @Nullable Path key,
      @Nullable String defaultCertificate,
      boolean h2c,
      boolean proxyProtocol,
      boolean acme,
      @Nullable Integer httpsRedirect) {

    /** Without certificates by ACME. */
    public ListenerConfig(
        String name,
        Address address,
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable String defaultCertificate,
        boolean h2c,
        boolean proxyProtocol) {
      this(name, address, certificate, key, defaultCertificate, h2c, proxyProtocol, false, null);
    }

    /** Plain text, or TLS with a certificate of its own. */
    public ListenerConfig(
        String name, Address address, @Nullable Path certificate, @Nullable Path key) {
      this(name, address, certificate, key, null, false, false);
    }

    ListenerConfig named(String newName) {
      return new ListenerConfig(
          newName,
          address,
          certificate,
          key,
          defaultCertificate,
          h2c,
          proxyProtocol,
          acme,
          httpsRedirect);
    }

    public boolean isTls() {
      return certificate != null || defaultCertificate != null || acme;
    }
  }

  /** The admin API; {@code token} null means loopback only and no token asked. */
  public record AdminConfig(Address address, @Nullable String token) {
    /** Without the token. */
    @Override
    public String toString() {
      return "AdminConfig[address=" + address + ", token=" + (token == null ? null : "***") + "]";
    }
  }

  /**
   * Event loops and where they run.
   *
   * @param loops number of event loops; 0 means one a CPU the process may use
   * @param pin {@code auto}, {@code off} or a list of CPUs such as {@code 0,2}
   * @param transport {@code auto}, {@code epoll} or {@code nio}
   * @param connections {@code spread} over all loops, or {@code by-cpu}: to the loop on the CPU
   *     that received them
   */
  public record ThreadsConfig(int loops, String pin, String transport, String connections) {

    /** Connections are spread over all loops. */
    public ThreadsConfig(int loops, String pin, String transport) {
      this(loops, pin, transport, "spread");
    }
  }

  /**
   * The store's places and sizes.
   *
   * @param data directory of journal, identity and lock
   * @param memory size of the memory tier
   * @param memoryMin to which it may be reduced while memory is short; a share is one of the tier
   * @param memoryDirectory tmpfs directory named by the operator, or null for the default place
   * @param tiers between memory and disks, in this order
   * @param protectedShare {@code auto}, or 0 to 0.95
   * @param touchThreshold {@code auto}, 1 or 2
   * @param smallObjects {@code auto}, {@code off}, or the length up to which objects are favoured
   * @param diskAdmission {@code always} or {@code second-hit}
   * @param diskBytesPerDay bound of what is written to the disks a day; 0 means none
   * @param diskKeep how long after its expiry an object on a disk still counts
   * @param diskIo {@code buffered} or {@code direct}
   * @param scrubRate bytes a second read from each disk to see whether they are what was written
   * @param evacuateRate bytes a second at which a disk is evacuated; 0: no bound
   * @param smartctl the program that asks drives; null: they are not asked
   * @param indexEntries bound of the index; 0: from the sizes of memory and disks
   * @param indexMemoryPercent at most so much of memory is the index's while its bound is not set
   * @param diskStopLimit how long a stop goes on copying what only memory holds
   */
  public record StoreConfig(
      Path data,
      MemorySize memory,
      MemorySize memoryMin,
      @Nullable Path memoryDirectory,
      List<TierConfig> tiers,
      String cells,
      String protectedShare,
      String touchThreshold,
      String smallObjects,
      String diskAdmission,
      long diskBytesPerDay,
      Duration diskKeep,
      String diskIo,
      long scrubRate,
      long evacuateRate,
      @Nullable Path smartctl,
      int indexEntries,
      int indexMemoryPercent,
      Duration diskStopLimit) {}

  /** A byte-addressable tier between memory and disks. */
  public record TierConfig(Path path, long bytes) {}

  /**
   * One device of the disk tier.
   *
   * @param transitBytes bound of its transit buffers; -1: by the memory of the machine
   * @param dailyWrites bound of what is written to it a day
   * @param ratedWrites bytes that its maker says can be written to it; 0 means not known
   * @param trim whether the device is told which regions are free
   */
  public record DiskConfig(
      String name,
      Path path,
      long bytes,
      int readers,
      int maxErrors,
      Duration slow,
      long transitBytes,
      DailyWrites dailyWrites,
      long ratedWrites,
      boolean trim) {}

  /**
   * A storage class.
   *
   * @param tier {@code default}, {@code memory} or {@code disk}
   * @param diskAfter requests after which an object may be written to a disk; null: by the tier
   * @param diskMin bodies that are smaller are not written to a disk
   * @param diskMax bodies that are larger are not written to a disk; null: no bound
   * @param memoryMax bodies that are larger do not enter the protected segment of memory; null: by
   *     the tier
   * @param quotaPercent of the memory tier that it has while others need space
   * @param floorPercent of the memory tier below which nothing of it is evicted
   * @param pinnedPercent of the memory tier for what is not evicted
   * @param diskQuotaPercent of each disk that it has while others need space
   * @param diskFloorPercent of each disk below which nothing of it leaves the disk
   */
  public record StorageClassConfig(
      String name,
      String tier,
      @Nullable Integer diskAfter,
      long diskMin,
      @Nullable Long diskMax,
      @Nullable Long memoryMax,
      int quotaPercent,
      int floorPercent,
      int pinnedPercent,
      int diskQuotaPercent,
      int diskFloorPercent) {}

  /** What is spoken with an origin. */
  public enum OriginProtocol {
    HTTP1,
    /** HTTP/2 where TLS negotiates it, else HTTP/1.1. */
    AUTO,
    HTTP2
  }

  /** How the requests to an origin are balanced among its endpoints. */
  public enum Balance {
    PEAK_EWMA,
    ROUND_ROBIN,
    RANDOM,
    LEAST_REQUESTS,
    CONSISTENT
  }

  /**
   * When a request to an origin is sent again to another endpoint.
   *
   * @param attempts how often at most
   * @param statuses responses after which it is, as well as after failures
   * @param budget how many requests at most, in percent
   * @param isHedged whether it also is when the response is late
   * @param isResumed whether the rest of a body that breaks off is asked for
   */
  public record RetryConfig(
      int attempts, List<Integer> statuses, int budget, boolean isHedged, boolean isResumed) {}

  /**
   * When an endpoint of an origin gets no requests for some time.
   *
   * @param failures in a row after which it is ejected; 0 for never
   * @param gatewayErrors responses 502, 503 and 504 in a row after which it is; 0 for never
   * @param time of the first ejection; further ones take longer
   * @param maxShare of the endpoints that are ejected at most, in percent
   * @param panicThreshold if a smaller share is left, in percent, all are used
   * @param slow when an endpoint is ejected because of its latency
   */
  public record EjectionConfig(
      int failures,
      int gatewayErrors,
      Duration time,
      int maxShare,
      int panicThreshold,
      SlowConfig slow) {

    EjectionConfig ofAll() {
      return new EjectionConfig(failures, gatewayErrors, time, 100, panicThreshold, slow);
    }
  }

  /**
   * When an endpoint counts as slow.
   *
   * @param factor its latency is so many times the median of the others'; 0 for never
   * @param time for so long
   * @param min and at least this
   */
  public record SlowConfig(int factor, Duration time, Duration min) {
    /** The default: no endpoint does. */
    public static final SlowConfig OFF =
        new SlowConfig(0, Duration.ofSeconds(30), Duration.ofMillis(100));
  }

  /**
   * A server of an origin.
   *
   * @param url {@code http://host:port[/base]}, the same with {@code https}, {@code
   *     http+srv://name[/base]} and {@code https+srv://name[/base]}, or {@code unix:file[:/base]}
   * @param weight its share of the requests, relative to the other servers'
   * @param isBackup whether it gets requests only while no other server can be used
   * @param maxConnections to it from this node; 0 for no limit besides the origin's
   */
  public record OriginServerConfig(String url, int weight, boolean isBackup, int maxConnections) {

    /** A server with the default settings. */
    public static OriginServerConfig of(String url) {
      return new OriginServerConfig(url, 1, false, 0);
    }

    /** How many connections there may be. */
    public int connectionLimit() {
      return maxConnections == 0 ? Integer.MAX_VALUE : maxConnections;
    }

    /** Whether the URL has an SRV name. */
    public boolean isService() {
      return url.startsWith("http+srv:") || url.startsWith("https+srv:");
    }
  }

  /**
   * An origin.
   *
   * @param servers at least one, and at least one that is no backup; none with {@code files}
   * @param slowStart how long an address that is new or recovered takes to come to its weight; zero
   *     for no time
   * @param host Host field sent, or null for the client's
   * @param protocol what is spoken with it
   * @param maxConnections to this origin from this node
   * @param trust PEM file of certificates trusted for https, or null for the platform's
   * @param allowLoopbackNames whether the name may resolve to a loopback address; {@code localhost}
   *     always may
   * @param allowPrivateNames whether the name may resolve to an address of a private range
   * @param signing what requests get before they are sent
   * @param fallback names of the origins that get requests which this one cannot answer, in order
   * @param protection what keeps requests from piling up before it
   * @param files the directory that answers in place of servers, of which there are none then; or
   *     null
   */
  public record OriginConfig(
      String name,
      List<OriginServerConfig> servers,
      Balance balance,
      RetryConfig retry,
      EjectionConfig ejection,
      ProbeConfig probe,
      Duration slowStart,
      @Nullable String host,
      OriginProtocol protocol,
      int maxConnections,
      @Nullable Path trust,
      boolean allowLoopbackNames,
      boolean allowPrivateNames,
      Duration connectTimeout,
      Duration firstByteTimeout,
      Duration idleTimeout,
      Duration totalTimeout,
      Duration keepAlive,
      SigningConfig signing,
      List<String> fallback,
      OriginTlsConfig tls,
      EgressConfig egress,
      ProtectionConfig protection,
      @Nullable FilesConfig files) {

    /** With servers. */
    public OriginConfig(
        String name,
        List<OriginServerConfig> servers,
        Balance balance,
        RetryConfig retry,
        EjectionConfig ejection,
        ProbeConfig probe,
        Duration slowStart,
        @Nullable String host,
        OriginProtocol protocol,
        int maxConnections,
        @Nullable Path trust,
        boolean allowLoopbackNames,
        boolean allowPrivateNames,
        Duration connectTimeout,
        Duration firstByteTimeout,
        Duration idleTimeout,
        Duration totalTimeout,
        Duration keepAlive,
        SigningConfig signing,
        List<String> fallback,
        OriginTlsConfig tls,
        EgressConfig egress,
        ProtectionConfig protection) {
      this(
          name,
          servers,
          balance,
          retry,
          ejection,
          probe,
          slowStart,
          host,
          protocol,
          maxConnections,
          trust,
          allowLoopbackNames,
          allowPrivateNames,
          connectTimeout,
          firstByteTimeout,
          idleTimeout,
          totalTimeout,
          keepAlive,
          signing,
          fallback,
          tls,
          egress,
          protection,
          null);
    }

    /**
     * As configured; where other origins stand in, or requests fail at once then, every endpoint
     * may be ejected.
     */
    public EjectionConfig ejectionInForce() {
      return fallback.isEmpty() && !protection.isCircuit() ? ejection : ejection.ofAll();
    }

    /** What answers, for people: the URLs of the servers, or the directory. */
    public String source() {
      return files != null
          ? "file:" + files.directory()
          : servers.stream()
              .map(server -> server.url() + (server.isBackup() ? " (backup)" : ""))
              .collect(Collectors.joining(", "));
    }

    /** The URL of the only server, or null where the short form cannot express the servers. */
    public @Nullable String url() {
      if (servers.isEmpty()) {
        return null;
      }
      String url = servers.getFirst().url();
      return servers.equals(List.of(OriginServerConfig.of(url))) ? url : null;
    }
  }

  /**
   * A route: which requests it takes and the settings they get.
   *
   * @param host {@code *}, a name, or {@code *.name}, the last two also with {@code :port}
   * @param protection name of the profile that its clients are judged by, or null
   * @param pacing how fast its responses are sent; null for at full speed
   */
  public record RouteConfig(
      String name,
      String host,
      String pathPrefix,
      String origin,
      RouteSettings settings,
      RangeSettings ranges,
      SharingSettings sharing,
      KeyConfig key,
      RouteForwardingConfig forwarding,
      HstsConfig hsts,
      @Nullable String protection,
      RouteRules rules,
      CompressionConfig.OfRoute compression,
      RouteLimits limits,
      VideoConfig video,
      RouteLog log,
      EsiConfig esi,
      RouteResponseConfig responses,
      @Nullable Pacing pacing) {}

  /**
   * What becomes of request fields that may change an answer and are not in the key.
   *
   * @param drop lower-case names of further fields that the origin does not get; a star at the end
   *     stands for whatever follows
   * @param key lower-case names of fields that are not dropped but in the key
   * @param pass lower-case names of fields that are not dropped, likewise with a star
   */
  public record UnkeyedConfig(List<String> drop, List<String> key, List<String> pass) {

    /** The default lists alone. */
    public static final UnkeyedConfig DEFAULT = new UnkeyedConfig(List.of(), List.of(), List.of());
  }

  /**
   * How a route makes keys.
   *
   * @param host a fixed name, or null for the host that was asked for
   * @param foldPathCase whether A–Z in paths are read as a–z
   * @param query what is done with its parameters, in the words of the configuration
   * @param strip parameters that are left out; a star at the end stands for whatever follows
   * @param keep if not empty, the only parameters that are not
   * @param headers lower-case names of fields whose values are in the key
   * @param ignoreHeaders lower-case names of fields that a fill does not send
   * @param cookies names of cookies that are in the key
   * @param languages lower-case tags, the first the default
   * @param variants how many responses told apart by Vary are kept under one key
   * @param noVarySearch whether responses may say what of a query matters
   * @param queryMethod whether QUERY is passed or cached, in the words of the configuration
   * @param unkeyed how fields that are not in the key are handled
   * @param acceptClasses image formats that Accept is reduced to where responses vary by it
   */
  public record KeyConfig(
      @Nullable String host,
      boolean port,
      boolean scheme,
      boolean foldPathCase,
      String query,
      List<String> strip,
      List<String> keep,
      List<String> headers,
      List<String> ignoreHeaders,
      List<String> cookies,
      boolean device,
      List<String> languages,
      int variants,
      boolean noVarySearch,
      String queryMethod,
      UnkeyedConfig unkeyed,
      List<String> acceptClasses) {

    /** The whole URL and nothing else. */
    public static final KeyConfig DEFAULT =
        new KeyConfig(
            null,
            true,
            true,
            false,
            "as-is",
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            false,
            List.of(),
            KeyRecipe.DEFAULT_VARIANTS,
            false,
            "pass",
            UnkeyedConfig.DEFAULT,
            List.of());
  }

  /**
   * What a route lets through beyond requests and responses.
   *
   * @param upgrade protocols that clients may change to
   * @param responseTrailers fields that may follow a body
   * @param via whether requests to the origin have Via
   */
  public record RouteForwardingConfig(
      List<String> upgrade, List<String> responseTrailers, boolean via) {
    public static final RouteForwardingConfig NONE =
        new RouteForwardingConfig(List.of(), List.of(), true);
  }

  /** Bounds (I5); each printed at start and counted when hit. */
  public record LimitsConfig(
      int headerBytes,
      int headerCount,
      int targetBytes,
      long requestBodyBytes,
      int connections,
      int requestsPerConnection,
      int streamsPerConnection,
      int followersPerFill,
      int fills,
      int refusedLoads,
      int recoveryFetches,
      long privateCopyBytes,
      ClientLimits client) {}

  /**
   * What one client may take from the others.
   *
   * @param connectionsPerAddress open at once; 0 means no bound
   * @param waiting requests that wait for a fetch at once; 0 means no bound
   * @param fetches requests that an origin is asked for at once; 0 means no bound
   * @param requestBodyRate bytes a second that a request body has to bring; 0 means none
   * @param connections of clients by other keys than their addresses
   */
  public record ClientLimits(
      int connectionsPerAddress,
      int waiting,
      int fetches,
      int requestBodyRate,
      ConnectionLimits connections) {

    /** With limits of connections by address alone. */
    public ClientLimits(int connectionsPerAddress, int waiting, int fetches, int requestBodyRate) {
      this(connectionsPerAddress, waiting, fetches, requestBodyRate, ConnectionLimits.NONE);
    }
  }

  /**
   * Limits on HTTP/2 frames that cost the node more than their sender. A connection that exceeds
   * one is closed.
   *
   * @param window the time in which those frames are counted that are bound by time
   * @param resets streams that the client may reset in it
   * @param resetsCaused streams that the client may have us reset in it
   * @param pings PING frames in it
   * @param settings SETTINGS frames in it
   * @param priorities PRIORITY and PRIORITY_UPDATE frames in it, beyond one a request
   * @param continuations small CONTINUATION frames in one header block
   * @param emptyFrames empty DATA frames in a row
   * @param queuedControlFrames answers that wait for a client that does not read
   */
  public record Http2Config(
      Duration window,
      int resets,
      int resetsCaused,
      int pings,
      int settings,
      int priorities,
      int continuations,
      int emptyFrames,
      int queuedControlFrames) {}

  /**
   * When a loop sheds what is dear.
   *
   * @param delay average delay of a loop's tasks from which it is overloaded; zero disables this
   * @param retryAfter Retry-After of rejected requests
   */
  public record OverloadConfig(Duration delay, Duration retryAfter) {}

  /**
   * Connections that changed their protocol.
   *
   * @param limit open at once, in the whole node
   * @param idleTimeout how long nothing may move in either direction
   */
  public record TunnelsConfig(int limit, int perClient, Duration idleTimeout) {}

  /** Time bounds towards clients. */
  public record TimeoutsConfig(
      Duration tlsHandshake,
      Duration requestHeader,
      Duration requestBodyIdle,
      Duration keepAlive,
      Duration noProgress,
      Duration drain,
      Duration requestTotal,
      Duration lameDuck) {

    /** Without a time between the signal to stop and the drain. */
    public TimeoutsConfig(
        Duration tlsHandshake,
        Duration requestHeader,
        Duration requestBodyIdle,
        Duration keepAlive,
        Duration noProgress,
        Duration drain,
        Duration requestTotal) {
      this(
          tlsHandshake,
          requestHeader,
          requestBodyIdle,
          keepAlive,
          noProgress,
          drain,
          requestTotal,
          Duration.ZERO);
    }
  }

  /**
   * What is said of the client towards origins, and of this node towards everyone.
   *
   * @param trusted networks in CIDR form whose forwarding fields are appended to; from anyone else
   *     they are replaced
   * @param xForwarded whether X-Forwarded-For, -Proto and -Host are sent to origins
   * @param forwarded whether Forwarded (RFC 7239) is sent
   * @param nodeId name in Via, Cache-Status, Proxy-Status and CDN-Loop
   * @param maxHops how many nodes a request may have been through, by its CDN-Loop
   * @param cacheTagsTo networks in CIDR form whose clients get the fields for tags, or null for all
   */
  public record ForwardingConfig(
      List<String> trusted,
      boolean xForwarded,
      boolean forwarded,
      String nodeId,
      int maxHops,
      @Nullable List<String> cacheTagsTo) {}

  /**
   * Purges by requests to the listeners.
   *
   * @param from networks in CIDR form whose clients may purge; empty: none
   */
  public record PurgeConfig(List<String> from) {
    public static final PurgeConfig OFF = new PurgeConfig(List.of());

    public boolean isOn() {
      return !from.isEmpty();
    }
  }

  /**
   * The access log.
   *
   * @param output {@code off}, {@code stdout}, a file path or a receiver of syslog
   * @param queueLines maximum lines queued while the writer is behind; further ones are dropped and
   *     counted
   * @param ringBytes of the request ring of each event loop; 0 for none
   */
  public record AccessLogConfig(
      String output,
      int queueLines,
      LogConfig.Lines lines,
      LogConfig.Rotation rotation,
      LogConfig.Syslog syslog,
      LogSampling sampling,
      long ringBytes) {

    /** Lines of JSON, all of them, into files that nobody rotates; no request ring. */
    public AccessLogConfig(String output, int queueLines) {
      this(
          output,
          queueLines,
          LogConfig.Lines.DEFAULT,
          LogConfig.Rotation.OFF,
          LogConfig.Syslog.DEFAULT,
          LogSampling.NONE,
          0);
    }
  }
}
