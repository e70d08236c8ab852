package io.forebay.server.cluster.purge;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.etcd.Range;
import io.forebay.server.cluster.etcd.RangeResult;
import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.etcd.TxnResult;
import io.forebay.server.cluster.member.ClusterKeyspace;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * Deletes old purges from the log, 1/256 of it in each step, and raises the floor in the same
 * transaction. The node with the first name among those that are alive does this. If two nodes do
 * it at once, the conditions of their transactions keep the log right. One thread at a time.
 */
public final class PurgeCollector {
  private static final int PARTS = 256;
  private static final int MAX_PAGES = 64;

  /** Deletions in one transaction; with their conditions fewer than etcd accepts. */
  private static final int MAX_DELETED = 100;

  /** Transactions in one step. */
  private static final int MAX_ROUNDS = 20;

  private final EtcdClient etcd;
  private final ClusterKeyspace keys;
  private final int keepInPart;
  private final Duration keepFor;
  private final Clock clock;
  private int part;

  /**
   * A collector.
   *
   * @param keep purges in the whole log
   * @param firstPart the part of the log to begin with; nodes begin with different ones
   */
  public PurgeCollector(
      EtcdClient etcd,
      ClusterKeyspace keys,
      int keep,
      Duration keepFor,
      Clock clock,
      int firstPart) {
    this.etcd = etcd;
    this.keys = keys;
    this.keepInPart = Math.max(1, keep / PARTS);
    this.keepFor = keepFor;
    this.clock = clock;
    this.part = Math.floorMod(firstPart, PARTS);
  }

  /** Reads the next part; gives the number of purges that it has deleted. */
  public int step() throws EtcdException, InterruptedException {
    String prefix = keys.purges() + HexFormat.of().toHexDigits((byte) part) + "/";
    part = (part + 1) % PARTS;
    List<KeyValue> all = new ArrayList<>();
    Range range = Range.first(prefix, PurgeLog.PAGE);
    for (int page = 0; page < MAX_PAGES; page++) {
      RangeResult found = etcd.range(range);
      all.addAll(found.keys());
      if (!found.hasMore() || found.keys().isEmpty()) {
        break;
      }
      range = range.after(found.keys().getLast().key());
    }
    all.sort(Comparator.comparingLong(KeyValue::revision));
    Instant oldest = clock.instant().minus(keepFor);
    int surplus = all.size() - keepInPart;
    List<KeyValue> old = new ArrayList<>();
    for (int i = 0; i < all.size() && old.size() < MAX_DELETED * MAX_ROUNDS; i++) {
      if (i < surplus || isBefore(all.get(i), oldest)) {
        old.add(all.get(i));
      }
    }
    int deleted = 0;
    while (deleted < old.size()) {
      List<KeyValue> some = old.subList(deleted, Math.min(old.size(), deleted + MAX_DELETED));
      if (!delete(some)) {
        break;
      }
      deleted += some.size();
    }
    return deleted;
  }

  private static boolean isBefore(KeyValue kv, Instant oldest) {
    PurgeEntry entry = PurgeEntry.read(kv.value());
    Instant at = entry == null ? null : entry.at();
    return at != null && at.isBefore(oldest);
  }

  private boolean delete(List<KeyValue> old) throws EtcdException, InterruptedException {
    KeyValue floor = etcd.txn(new Txn().get(keys.floor())).read(0).findFirst().orElse(null);
    long highest = old.stream().mapToLong(KeyValue::revision).max().orElse(0);
    if (floor != null && floor.value().matches("[0-9]{1,18}")) {
      highest = Math.max(highest, Long.parseLong(floor.value()));
    }
    Txn txn =
        new Txn()
            .ifRevision(keys.floor(), floor == null ? 0 : floor.revision())
            .put(keys.floor(), Long.toString(highest));
    for (KeyValue kv : old) {
      txn.ifRevision(kv.key(), kv.revision()).delete(kv.key());
    }
    TxnResult done = etcd.txn(txn);
    return done.isDone();
  }
}
