package io.forebay.server.peer;

import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.storage.purge.PurgePosition;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The nodes that share objects with this one, for its loops. Any thread. */
public final class PeerDirectory {
  private final String cluster;
  private final String self;
  private final int tier;
  private final Supplier<@Nullable PurgePosition> begun;
  private final Supplier<@Nullable PurgePosition> applied;
  private final LongPredicate isCutOff;
  private final Predicate<PurgePosition> isInLog;
  private final boolean keepsCopies;
  private final PeerCounters counters = new PeerCounters();
  private final ConcurrentHashMap<String, PeerHealth> health = new ConcurrentHashMap<>();

  /** URLs that other nodes are being told to forget, by how many loops. */
  private final ConcurrentHashMap<TargetUri, Integer> forgetting = new ConcurrentHashMap<>();

  private volatile Peers peers = Peers.NONE;

  /**
   * The directory of a node.
   *
   * @param self its name
   * @param tier its tier, counted from the clients
   * @param begun up to where purges have begun to take effect here
   * @param applied up to where they are in force here
   * @param keepsCopies whether this node keeps objects that other nodes own after it has sent them
   * @param isCutOff whether this node may lack purges at a time of {@link System#nanoTime}
   * @param isInLog whether the log has by that position all purges that are in force here
   */
  public PeerDirectory(
      String cluster,
      String self,
      int tier,
      Supplier<@Nullable PurgePosition> begun,
      Supplier<@Nullable PurgePosition> applied,
      boolean keepsCopies,
      LongPredicate isCutOff,
      Predicate<PurgePosition> isInLog) {
    this.cluster = cluster;
    this.self = self;
    this.tier = tier;
    this.begun = begun;
    this.applied = applied;
    this.keepsCopies = keepsCopies;
    this.isCutOff = isCutOff;
    this.isInLog = isInLog;
  }

  public String cluster() {
    return cluster;
  }

  public String self() {
    return self;
  }

  public int tier() {
    return tier;
  }

  @Nullable PurgePosition begun() {
    return begun.get();
  }

  public @Nullable PurgePosition applied() {
    return applied.get();
  }

  public boolean isCutOff(long nanoTime) {
    return isCutOff.test(nanoTime);
  }

  /**
   * Whether a node that has applied the log up to there may have what is purged here: this node's
   * own purges wait for the log.
   */
  boolean isAheadOfLog(PurgePosition position) {
    return !isInLog.test(position);
  }

  /** Until {@link #endForgetting}, what other nodes have of a URL may be older than a change. */
  void beginForgetting(TargetUri url) {
    forgetting.merge(url, 1, Integer::sum);
  }

  void endForgetting(TargetUri url) {
    forgetting.computeIfPresent(url, (same, times) -> times == 1 ? null : times - 1);
  }

  /** Whether the URL of a fill's request is one of those. */
  boolean isForgetting(RequestView request) {
    return !forgetting.isEmpty() && forgetting.containsKey(TargetUri.of(request));
  }

  boolean keepsCopies() {
    return keepsCopies;
  }

  public PeerCounters counters() {
    return counters;
  }

  public Peers peers() {
    return peers;
  }

  /** Replaces the list of nodes. */
  public void update(Peers next) {
    peers = next;
    health
        .keySet()
        .removeIf(name ->
            next.group().stream().noneMatch(node -> node.name().equals(name))
                && next.shield().stream().noneMatch(node -> node.name().equals(name)));
  }

  PeerHealth health(String node) {
    return health.computeIfAbsent(node, name -> new PeerHealth());
  }
}
