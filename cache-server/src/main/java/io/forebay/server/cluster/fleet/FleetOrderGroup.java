package io.forebay.server.cluster.fleet;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.EtcdException.Kind;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.etcd.Range;
import io.forebay.server.cluster.etcd.RangeResult;
import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.etcd.TxnResult;
import io.forebay.server.cluster.member.ClusterKeyspace;
import io.forebay.server.cluster.member.FleetConfigState;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import io.forebay.server.text.Printable;
import io.forebay.server.tls.acme.AcmeOrderGroup;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The nodes of a cluster that order certificates of one authority together. What the heartbeat has
 * read of {@code shared/} says which orders are under way, and whether certificates have changed;
 * etcd is asked only where they have.
 *
 * <pre>
 *   claim    shared/orders/A/NAME   if absent, and shared/certificates as last read; with the
 *                                   lease of the node, so etcd deletes it when the node dies
 *   publish  certificates/A/NAME    if as last read; encrypted; with a lease that ends with it
 *            shared/certificates    in the same transaction
 * </pre>
 *
 * <p>So a node that claims a name knows all certificates of its authority at that moment.
 */
final class FleetOrderGroup implements AcmeOrderGroup {
  private static final Logger LOG = LoggerFactory.getLogger(FleetOrderGroup.class);

  /** Claims of one node at a time: each is a key that all heartbeats read. */
  private static final int MAX_CLAIMS = 50;

  private static final int PAGE = 20;
  private static final int MAX_SEALED = 1 << 16;
  private static final int MAX_NODE = 200;
  private static final long MIN_LEASE_SECONDS = 60;

  private static final Changes NOTHING = new Changes(false, List.of());

  private final EtcdClient etcd;
  private final ClusterKeyspace keys;
  private final String authority;
  private final Membership membership;
  private final CertificateCipher cipher;
  private final Clock clock;
  private final LongSupplier nanoTime;

  /** Revision of the newest certificate that was read; -1 before the first read. */
  private long seen = -1;

  /**
   * When the latest write of this node had ended: what was read before is too old. Revisions do not
   * tell, since those of an etcd that was emptied begin again.
   */
  private long writtenNanos;

  private boolean hasWritten;

  /** Whether a claim has failed: until the next read others would, too, one request each. */
  private boolean isBehind;

  /** Claims by the latest read, by name. */
  private final Map<String, Holder> claims = new HashMap<>();

  /**
   * A node that has claimed a name.
   *
   * @param lease of that node
   * @param revision of the key
   */
  private record Holder(long lease, long revision) {}

  FleetOrderGroup(
      EtcdClient etcd,
      ClusterKeyspace keys,
      String authority,
      Membership membership,
      CertificateCipher cipher,
      Clock clock,
      LongSupplier nanoTime) {
    this.etcd = etcd;
    this.keys = keys;
    this.authority = authority;
    this.membership = membership;
    this.cipher = cipher;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  @Override
  public Changes changes() throws IOException {
    FleetConfigState state = membership.config();
    if (state == null || !membership.isConfigCurrent(nanoTime.getAsLong())) {
      throw new IOException("etcd does not answer");
    }
    if (hasWritten && state.readNanos() - writtenNanos < 0) {
      return NOTHING;
    }
    long newest = 0;
    isBehind = false;
    claims.clear();
    for (KeyValue kv : state.shared()) {
      if (kv.key().equals(keys.newestCertificate())) {
        newest = kv.revision();
      } else if (kv.key().startsWith(keys.orders(authority))) {
        ObjectNode value = FleetJson.object(kv.value());
        long lease = value == null ? 0 : FleetJson.number(value, "lease");
        claims.put(
            kv.key().substring(keys.orders(authority).length()), new Holder(lease, kv.revision()));
      }
    }
    if (newest == seen) {
      return NOTHING;
    }
    // An etcd that was restored or emptied begins again.
    boolean isComplete = seen < 0 || newest < seen;
    List<SharedCertificate> changed = new ArrayList<>();
    Range range =
        new Range(
            keys.certificates(authority),
            keys.certificates(authority),
            PAGE,
            0,
            isComplete ? 0 : seen + 1);
    RangeResult page;
    do {
      Range current = range;
      page = ask(() -> etcd.range(current));
      page.keys().forEach(kv -> changed.add(certificate(kv)));
      range = page.keys().isEmpty() ? range : range.after(page.keys().getLast().key());
    } while (page.hasMore() && !page.keys().isEmpty());
    seen = newest;
    return new Changes(isComplete, changed);
  }

  @Override
  public void rewind() {
    seen = -1;
  }

  private SharedCertificate certificate(KeyValue kv) {
    String name = kv.key().substring(keys.certificates(authority).length());
    ObjectNode value = FleetJson.object(kv.value());
    if (value == null) {
      return new SharedCertificate(name, 0, kv.revision(), "", false, null);
    }
    InputProblems problems = new InputProblems();
    long begin = FleetJson.number(value, "begin");
    String node = Json.text(value, "node", MAX_NODE, problems);
    String sealed = Json.text(value, "sealed", MAX_SEALED, problems);
    String by = node == null ? "" : node;
    return new SharedCertificate(
        name,
        begin,
        kv.revision(),
        by,
        by.equals(membership.self().name()),
        sealed == null ? null : cipher.open(context(kv.key(), begin, by), sealed));
  }

  /** Binds a value to its cluster, authority and name, and what is readable of it. */
  private static String context(String key, long beginMillis, String node) {
    return key + "\n" + beginMillis + "\n" + node;
  }

  @Override
  public Set<String> claimed() {
    long lease = membership.lease();
    Set<String> claimed = new HashSet<>();
    claims.forEach((name, holder) -> {
      if (lease != 0 && holder.lease() == lease) {
        claimed.add(name);
      }
    });
    return claimed;
  }

  @Override
  public boolean claim(String name) throws IOException {
    Holder holder = claims.get(name);
    long lease = membership.lease();
    if (holder != null || lease == 0) {
      return holder != null && lease != 0 && holder.lease() == lease;
    }
    if (isBehind || claimed().size() >= MAX_CLAIMS) {
      return false;
    }
    String key = keys.orders(authority) + name;
    ObjectNode value =
        Json.object()
            .put("v", 1)
            .put("node", membership.self().name())
            .put("lease", lease)
            .put("at", clock.instant().toString());
    TxnResult done =
        ask(() ->
            etcd.txn(
                new Txn()
                    .ifRevision(key, 0)
                    .ifRevision(keys.newestCertificate(), Math.max(seen, 0))
                    .put(key, FleetJson.text(value), lease)));
    onWritten();
    isBehind = !done.isDone();
    if (done.isDone()) {
      claims.put(name, new Holder(lease, done.revision()));
      LOG.info("acme {}: this node orders the certificate for the cluster", name);
    }
    return done.isDone();
  }

  @Override
  public void release(String name) throws IOException {
    Holder holder = claims.get(name);
    if (holder != null && holder.lease() == membership.lease()) {
      String key = keys.orders(authority) + name;
      TxnResult ignored =
          ask(() -> etcd.txn(new Txn().ifRevision(key, holder.revision()).delete(key)));
      onWritten();
      claims.remove(name);
    }
  }

  @Override
  public long publish(String name, long beginMillis, long endMillis, String pem, long replaced)
      throws IOException {
    String key = keys.certificates(authority) + name;
    String node = membership.self().name();
    String value =
        FleetJson.text(
            Json.object()
                .put("v", 1)
                .put("node", node)
                .put("begin", beginMillis)
                .put("sealed", cipher.seal(context(key, beginMillis, node), pem)));
    long seconds = Math.max(MIN_LEASE_SECONDS, (endMillis - clock.millis()) / 1000);
    long lease = ask(() -> etcd.grant(seconds));
    Txn txn =
        new Txn()
            .ifRevision(key, replaced)
            .put(key, value, lease)
            .put(keys.newestCertificate(), name)
            .otherwiseGet(key);
    TxnResult done;
    try {
      done = ask(() -> etcd.txn(txn));
    } catch (IOException e) {
      if (e.getCause() instanceof EtcdException failure && failure.kind() == Kind.REFUSED) {
        revoke(lease);
      }
      // A transaction that nobody answered may have taken effect: its lease stays.
      throw e;
    }
    onWritten();
    if (done.isDone()) {
      return done.revision();
    }
    // Sent twice, the transaction finds what it has written the first time. No two seals are alike.
    long found =
        done.read(0)
            .filter(kv -> kv.value().equals(value))
            .mapToLong(KeyValue::revision)
            .findFirst()
            .orElse(0);
    if (found == 0) {
      revoke(lease);
    }
    return found;
  }

  private void revoke(long lease) {
    try {
      etcd.revoke(lease);
    } catch (EtcdException e) {
      LOG.debug("a lease ends by itself: {}", Printable.line(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void onWritten() {
    writtenNanos = nanoTime.getAsLong();
    hasWritten = true;
  }

  private interface Question<T> {
    T ask() throws EtcdException, InterruptedException;
  }

  private static <T> T ask(Question<T> question) throws IOException {
    try {
      return question.ask();
    } catch (EtcdException e) {
      throw new IOException(e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the node stops", e);
    }
  }
}
