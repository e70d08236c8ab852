package io.forebay.server.cluster.fleet;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.etcd.TxnResult;
import io.forebay.server.cluster.fleet.FleetTls.Challenges;
import io.forebay.server.cluster.member.ClusterKeyspace;
import io.forebay.server.cluster.member.FleetConfigState;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.config.ClusterConfig.CutOff;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import io.forebay.server.text.Printable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Shares answers to ACME validations: a validation may reach any node, so each gives those of all,
 * and the node that ordered waits until all do.
 *
 * <pre>
 *   edge-1 ── its answers ─▶ shared/acme/edge-1, revision 70
 *                                   │ read with each heartbeat
 *   edge-2, edge-3: give them ──▶ answering/edge-2, answering/edge-3: 70
 *                                   │ read while edge-1 waits
 *   edge-1: confirmed, once no node that may be asked is below 70
 * </pre>
 *
 * <p>A node confirms a revision only where it gives all answers up to it, and in a transaction with
 * the condition that the newest of them is still in etcd: what was read of an etcd that was
 * restored meanwhile confirms nothing. A confirmation ends with the lease of its node, and with the
 * next start of that node ({@link Membership#keepAlive}). Confined to the agent's thread.
 */
final class SharedChallenges {
  private static final int MAX_CHALLENGES = 1_000;
  private static final int MAX_TOKEN = 400;

  /** So many nodes confirm each second at most: a larger cluster takes turns. */
  private static final int NODES_A_SECOND = 100;

  /** What is published and not confirmed; no order waits for older ones. */
  private static final int MAX_PUBLISHED = 20;

  private final EtcdClient etcd;
  private final ClusterKeyspace keys;
  private final Membership membership;
  private final FleetTls tls;
  private final LongSupplier nanoTime;

  /** What this node has written as confirmed; null where etcd may have lost it. */
  private @Nullable Confirmation confirmed;

  /** The highest revision of etcd that was seen: below it, etcd has been restored. */
  private long seen;

  /** When the latest write of the own answers had ended: what was read before lacks them. */
  private long writtenNanos;

  private boolean hasWritten;

  /**
   * What this node has published, by revision, in an unbroken series: from the newest that all
   * nodes have, or from the first, to what etcd has now.
   */
  private final TreeMap<Long, Challenges> published = new TreeMap<>();

  /** Revision of what all nodes have; 0 for none. */
  private long everywhere;

  private long lookedNanos;
  private boolean hasLooked;

  /** A node confirms up to a revision, for as long as a lease lasts. */
  private record Confirmation(long revision, long lease, long nanos) {}

  /** The answers of the other nodes, as one read has them. */
  private static final class Others {
    final Map<String, String> tokens = new HashMap<>();
    final Map<String, String> hashes = new HashMap<>();
    @Nullable KeyValue newest;

    /** Whether nothing was left out: what cannot be read, is too much, or is of two nodes. */
    boolean areComplete = true;

    void add(KeyValue kv) {
      KeyValue last = newest;
      newest = last == null || last.revision() < kv.revision() ? kv : last;
      ObjectNode object = FleetJson.object(kv.value());
      if (object == null) {
        areComplete = false;
        return;
      }
      areComplete &= texts(object, "answers", tokens);
      areComplete &= texts(object, "hashes", hashes);
    }

    Challenges all() {
      return new Challenges(tokens, hashes);
    }
  }

  SharedChallenges(
      EtcdClient etcd,
      ClusterKeyspace keys,
      Membership membership,
      FleetTls tls,
      LongSupplier nanoTime) {
    this.etcd = etcd;
    this.keys = keys;
    this.membership = membership;
    this.tls = tls;
    this.nanoTime = nanoTime;
  }

  void step(FleetConfigState state) throws EtcdException, InterruptedException {
    KeyValue own = null;
    Others others = new Others();
    for (KeyValue kv : state.shared()) {
      if (kv.key().equals(keys.challenges(membership.self().name()))) {
        own = kv;
      } else if (kv.key().startsWith(keys.challenges())) {
        others.add(kv);
      }
    }
    if (state.revision() < seen) {
      confirmed = null;
    }
    seen = state.revision();
    boolean areGiven = tls.challenges(others.all());
    publish(own, state.readNanos());
    KeyValue newest = others.newest;
    if (newest != null && areGiven && others.areComplete) {
      confirm(newest);
    }
    look();
  }

  /** How long a node waits between two confirmations, and between two looks at those of others. */
  static long pauseNanos(int nodes) {
    return TimeUnit.SECONDS.toNanos(nodes / NODES_A_SECOND);
  }

  private boolean isPaused(long sinceNanos) {
    return nanoTime.getAsLong() - sinceNanos < pauseNanos(membership.known().size());
  }

  // --- the answers of other nodes ---------------------------------------------------------------

  private void confirm(KeyValue newest) throws EtcdException, InterruptedException {
    Confirmation last = confirmed;
    long lease = membership.lease();
    boolean isKnown = last != null && last.lease() == lease && last.revision() >= newest.revision();
    if (isKnown || lease == 0 || (last != null && isPaused(last.nanos()))) {
      return;
    }
    TxnResult done =
        etcd.txn(
            new Txn()
                .ifRevisionAtLeast(newest.key(), newest.revision())
                .put(
                    keys.answering(membership.self().name()),
                    Long.toString(newest.revision()),
                    lease));
    if (done.isDone()) {
      confirmed = new Confirmation(newest.revision(), lease, nanoTime.getAsLong());
    }
  }

  // --- the answers of this node -----------------------------------------------------------------

  private void publish(@Nullable KeyValue written, long readNanos)
      throws EtcdException, InterruptedException {
    if (hasWritten && readNanos - writtenNanos < 0) {
      return;
    }
    long revision = written == null ? 0 : written.revision();
    if (!published.isEmpty() && published.lastKey() != revision) {
      // etcd was emptied or restored: nodes may have dropped what they had confirmed.
      forget();
    }
    Challenges expected = tls.ownChallenges();
    if (expected.equals(written == null ? Challenges.NONE : challenges(written.value()))) {
      if (written != null && !expected.equals(Challenges.NONE)) {
        add(revision, expected);
      }
      return;
    }
    String key = keys.challenges(membership.self().name());
    boolean isOver = expected.equals(Challenges.NONE);
    TxnResult done;
    try {
      done =
          etcd.txn(
              isOver ? new Txn().delete(key) : new Txn().put(key, FleetJson.text(json(expected))));
    } finally {
      writtenNanos = nanoTime.getAsLong();
      hasWritten = true;
    }
    if (isOver) {
      forget();
    } else {
      add(done.revision(), expected);
    }
  }

  private void add(long revision, Challenges expected) {
    published.put(revision, expected);
    if (published.size() > MAX_PUBLISHED) {
      published.pollFirstEntry();
    }
  }

  private void forget() {
    published.clear();
    everywhere = 0;
    tls.confirmed(Challenges.NONE, List.of());
  }

  /** Looks who has confirmed, while something waits for it. */
  private void look() throws EtcdException, InterruptedException {
    if (published.isEmpty()
        || published.lastKey() == everywhere
        || (hasLooked && isPaused(lookedNanos))) {
      return;
    }
    lookedNanos = nanoTime.getAsLong();
    hasLooked = true;
    TxnResult read = etcd.txn(new Txn().getNames(keys.alive()).getAll(keys.answering()));
    Map<String, Long> answering = new HashMap<>();
    read.read(1)
        .forEach(kv ->
            answering.put(kv.key().substring(keys.answering().length()), revision(kv.value())));
    long latest = published.lastKey();
    long least = latest;
    List<String> behind = new ArrayList<>();
    for (String node : reachable(read.read(0).toList())) {
      long has = answering.getOrDefault(node, 0L);
      if (has < latest) {
        behind.add(Printable.json(node));
      }
      least = Math.min(least, has);
    }
    Map.Entry<Long, Challenges> newest = published.floorEntry(least);
    if (newest != null) {
      everywhere = newest.getKey();
      published.headMap(everywhere).clear();
    }
    tls.confirmed(newest == null ? Challenges.NONE : newest.getValue(), behind);
  }

  /**
   * The other nodes that a validation may reach: those that are alive, and those that serve while
   * they are cut off. All others are not ready.
   */
  private Set<String> reachable(List<KeyValue> alive) {
    Set<String> nodes = new TreeSet<>();
    for (KeyValue kv : alive) {
      nodes.add(kv.key().substring(keys.alive().length()));
    }
    for (Member member : membership.known()) {
      if (member.cutOff() == CutOff.SERVE) {
        nodes.add(member.name());
      }
    }
    nodes.remove(membership.self().name());
    return nodes;
  }

  private static long revision(String text) {
    return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : 0;
  }

  // --- JSON -------------------------------------------------------------------------------------

  private static ObjectNode json(Challenges expected) {
    ObjectNode json = Json.object().put("v", 1);
    ObjectNode answers = json.putObject("answers");
    expected.tokens().forEach(answers::put);
    ObjectNode hashes = json.putObject("hashes");
    expected.hashes().forEach(hashes::put);
    return json;
  }

  /** A value that cannot be read counts as no answer. */
  private static Challenges challenges(String json) {
    Others read = new Others();
    read.add(new KeyValue("", json, 0));
    return read.all();
  }

  /** Adds the texts of a field; false where one was left out. */
  private static boolean texts(ObjectNode object, String field, Map<String, String> texts) {
    boolean areAll = true;
    if (object.path(field) instanceof ObjectNode given) {
      int count = 0;
      for (String name : given.propertyNames()) {
        String text = Json.text(given, name, MAX_TOKEN, new InputProblems());
        if (text == null || name.length() > MAX_TOKEN || count++ >= MAX_CHALLENGES) {
          areAll = false;
          continue;
        }
        String before = texts.put(name, text);
        areAll &= before == null || before.equals(text);
      }
    }
    return areAll;
  }
}
