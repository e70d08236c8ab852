package io.forebay.server.origin;

import io.forebay.server.config.AdaptiveLimitConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.origin.drain.Drains;
import io.forebay.server.origin.files.FileReaders;
import io.forebay.server.origin.group.Origins;
import io.forebay.server.origin.health.OriginHealth;
import io.forebay.server.origin.limit.LimitStatus;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The state of each origin that all event loops share: the number of its connections, so that the
 * limit applies to all loops together, that of its requests if it has an adaptive limit, the health
 * of its endpoints, which servers are drained, and the log of its failures. One instance per node.
 */
public final class OriginConnections implements AutoCloseable {
  private final ConcurrentHashMap<String, OriginConnectionPermits> byOrigin =
      new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, OriginWatch> watches = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, OriginHealth> health = new ConcurrentHashMap<>();
  private final LongSupplier clockNanos;
  private final Consumer<String> log;
  private final ConcurrentHashMap<String, RequestPermits> requests = new ConcurrentHashMap<>();
  private final FileReaders files = new FileReaders();
  private volatile Drains drains = Drains.NONE;

  public OriginConnections() {
    this(System::nanoTime, LoggerFactory.getLogger(OriginWatch.class)::warn);
  }

  OriginConnections(LongSupplier clockNanos, Consumer<String> log) {
    this.clockNanos = clockNanos;
    this.log = log;
  }

  OriginConnectionPermits permits(String origin) {
    return byOrigin.computeIfAbsent(origin, name -> new OriginConnectionPermits());
  }

  /** What is logged of an origin. */
  OriginWatch watch(String origin) {
    return watches.computeIfAbsent(origin, name -> new OriginWatch(clockNanos, log));
  }

  /** Which endpoints of an origin are ejected. */
  OriginHealth health(String origin) {
    return health.computeIfAbsent(
        origin, name -> new OriginHealth(clockNanos, System::currentTimeMillis, log));
  }

  /** The permits for requests to an origin; null if it has no adaptive limit. */
  @Nullable RequestPermits requests(OriginConfig origin) {
    AdaptiveLimitConfig config = origin.protection().adaptive();
    if (!config.isOn()) {
      return null;
    }
    RequestPermits permits =
        requests.computeIfAbsent(origin.name(), name -> new RequestPermits(config, clockNanos));
    permits.configure(config);
    return permits;
  }

  /** The adaptive limit of an origin, if it has one and was asked since the start. */
  @Nullable LimitStatus limit(OriginConfig origin) {
    RequestPermits permits =
        origin.protection().adaptive().isOn() ? requests.get(origin.name()) : null;
    return permits == null ? null : permits.limit().status(origin.name());
  }

  /** The adaptive limits of those origins that have one. */
  public List<LimitStatus> limits(Origins origins) {
    return origins.all().stream()
        .map(origin -> limit(origin.config()))
        .filter(Objects::nonNull)
        .toList();
  }

  /** The servers that operators took out of service. */
  Drains drains() {
    return drains;
  }

  /**
   * Replaces them; loops look when they are told to, see {@link PooledOriginClient#applyDrains}.
   */
  void drains(Drains next) {
    drains = next;
  }

  /** Who reads the files of origins that are directories. */
  FileReaders files() {
    return files;
  }

  /**
   * Starts what the origins need besides loops. Not called on a loop, whose CPU threads would
   * inherit.
   */
  public void prepare(Origins origins) {
    if (origins.hasDirectory()) {
      files.prepare();
    }
  }

  @Override
  public void close() {
    files.close();
  }

  /** Connections, or files, open or being opened of an origin now. */
  public int open(String origin) {
    OriginConnectionPermits permits = byOrigin.get(origin);
    return permits == null ? files.of(origin).open() : permits.open();
  }

  /** The same, to the server of that URL. */
  int open(String origin, String url) {
    OriginConnectionPermits permits = byOrigin.get(origin);
    return permits == null ? 0 : permits.open(url);
  }
}
