package io.forebay.server.cluster.purge;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.EtcdException.Kind;
import io.forebay.server.cluster.etcd.EtcdWatch;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.etcd.Range;
import io.forebay.server.cluster.etcd.RangeResult;
import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.etcd.TxnResult;
import io.forebay.server.cluster.member.ClusterKeyspace;
import io.forebay.server.cluster.member.LogHead;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.storage.purge.PurgePosition;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The log of the cluster's purges in etcd. Any thread that may block. */
public final class PurgeLog {
  /**
   * Orders in one transaction; with the reads of members fewer operations than {@link
   * Txn#MAX_OPERATIONS}.
   */
  private static final int MAX_ORDERS = 100;

  /** Bytes of one transaction. etcd accepts requests of 1.5 MiB, and base64 adds a third. */
  private static final int MAX_BYTES = 512 << 10;

  /**
   * Entries in a page. With the longest purges a page in base64 is below the bound of an answer.
   */
  static final int PAGE = 120;

  /** Bytes of missed purges that are read at most; more are a gap. */
  private static final long MAX_MISSED_BYTES = 64L << 20;

  private final EtcdClient etcd;
  private final ClusterKeyspace keys;
  private final Membership membership;
  private final Clock clock;

  public PurgeLog(EtcdClient etcd, ClusterKeyspace keys, Membership membership, Clock clock) {
    this.etcd = etcd;
    this.keys = keys;
    this.membership = membership;
    this.clock = clock;
  }

  /**
   * The outcome of a write to the log.
   *
   * @param revision at which the log has all orders
   * @param members the nodes of the cluster at that revision
   */
  public record Published(long revision, List<Member> members) {}

  /**
   * Writes orders to the log. After a failure the log may have some of them, which purges more than
   * was acknowledged. The caller may write the same orders again.
   *
   * @param applied the position of this node: a log that has not come so far was set back
   */
  public Published publish(List<PurgeOrder> orders, PurgePosition applied)
      throws EtcdException, InterruptedException {
    Map<String, String> entries = new LinkedHashMap<>();
    for (PurgeOrder order : orders) {
      entries.put(
          keys.purges() + PurgeEntry.key(order),
          new PurgeEntry(order, membership.self().name(), clock.instant()).json());
    }
    Published published = null;
    Iterator<Map.Entry<String, String>> left = entries.entrySet().iterator();
    while (left.hasNext()) {
      published = publishSome(left, applied);
    }
    if (published == null) {
      throw new IllegalArgumentException("there is nothing to purge");
    }
    return published;
  }

  private Published publishSome(Iterator<Map.Entry<String, String>> left, PurgePosition applied)
      throws EtcdException, InterruptedException {
    Txn txn = new Txn().ifRevisionAtLeast(keys.last(), applied.revision());
    int bytes = 0;
    for (int i = 0; i < MAX_ORDERS && bytes < MAX_BYTES && left.hasNext(); i++) {
      Map.Entry<String, String> entry = left.next();
      txn.put(entry.getKey(), entry.getValue());
      bytes += entry.getValue().getBytes(StandardCharsets.UTF_8).length;
    }
    TxnResult done =
        etcd.txnPatiently(txn.put(keys.last(), "").getAll(keys.members()).getAll(keys.alive()));
    if (!done.isDone()) {
      throw new EtcdException(
          Kind.REFUSED,
          "the log was set back below revision " + applied.revision() + ", which is applied here");
    }
    return new Published(
        done.revision(), membership.members(done.reads().get(0), done.reads().get(1)));
  }

  /** Names the log if it has no name yet. */
  void create() throws EtcdException, InterruptedException {
    TxnResult ignored = etcd.txn(new Txn().ifAbsent(keys.epoch()).put(keys.epoch(), newEpoch()));
  }

  /**
   * Gives a new name to a log that was set back, unless another node has done so. A node that is
   * down now finds the new name when it is back, at any revision.
   */
  void rename(LogHead setBack) throws EtcdException, InterruptedException {
    TxnResult ignored =
        etcd.txn(
            new Txn()
                .ifRevision(keys.epoch(), setBack.epochRevision())
                .put(keys.epoch(), newEpoch()));
  }

  private static String newEpoch() {
    byte[] epoch = new byte[16];
    new SecureRandom().nextBytes(epoch);
    return HexFormat.of().formatHex(epoch);
  }

  EtcdWatch watch(long from) throws EtcdException, InterruptedException {
    return etcd.watch(keys.purges(), from);
  }

  /**
   * The purges of a range of revisions that are still in the log, in order; null where there are
   * too many of them, or they do not fit into memory.
   */
  @Nullable List<KeyValue> missed(long from, long at, int most)
      throws EtcdException, InterruptedException {
    List<KeyValue> missed = new ArrayList<>();
    long bytes = 0;
    for (int page = 0; page < 256; page++) {
      String prefix = keys.purges() + HexFormat.of().toHexDigits((byte) page) + "/";
      Range range = new Range(prefix, prefix, PAGE, at, from);
      RangeResult found;
      do {
        found = etcd.range(range);
        for (KeyValue kv : found.keys()) {
          missed.add(kv);
          bytes += kv.value().length();
          range = range.after(kv.key());
        }
        if (missed.size() > most || bytes > MAX_MISSED_BYTES) {
          return null;
        }
      } while (found.hasMore() && !found.keys().isEmpty());
    }
    missed.sort(Comparator.comparingLong(KeyValue::revision));
    return missed;
  }
}
