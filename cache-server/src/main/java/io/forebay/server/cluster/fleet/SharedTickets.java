package io.forebay.server.cluster.fleet;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.etcd.TxnResult;
import io.forebay.server.cluster.member.ClusterKeyspace;
import io.forebay.server.cluster.member.FleetConfigState;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Shares ticket keys, so that nodes decrypt each other's session tickets. The first node that finds
 * them missing or old makes one, in a transaction with the condition that the keys have not
 * changed.
 *
 * <p>A node measures the age of a key that it has seen appear. It uses the time in etcd only for
 * keys that it found at its start, so a wrong clock costs one key, and not a key a second. Confined
 * to the agent's thread.
 */
final class SharedTickets {
  private static final int OLD_KEYS = 2;
  private static final int MAX_KEYS = 8;

  private final EtcdClient etcd;
  private final ClusterKeyspace keys;
  private final FleetTls tls;
  private final RandomGenerator random;
  private final Clock clock;
  private final LongSupplier nanoTime;

  /** Of the ticket keys; -1 before the first look. */
  private long seenRevision = -1;

  private long seenNanos;
  private boolean haveAppeared;

  SharedTickets(
      EtcdClient etcd,
      ClusterKeyspace keys,
      FleetTls tls,
      RandomGenerator random,
      Clock clock,
      LongSupplier nanoTime) {
    this.etcd = etcd;
    this.keys = keys;
    this.tls = tls;
    this.random = random;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  void step(FleetConfigState state) throws EtcdException, InterruptedException {
    KeyValue written =
        state.shared().stream()
            .filter(kv -> kv.key().equals(keys.tickets()))
            .findFirst()
            .orElse(null);
    see(written);
    Duration rotation = tls.ticketRotation();
    if (rotation.isZero()) {
      return;
    }
    ObjectNode object = written == null ? null : FleetJson.object(written.value());
    List<byte[]> known = object == null ? List.of() : ticketKeys(object);
    long madeAt = object == null ? 0 : object.path("at").asLong(0);
    long now = clock.millis();
    if (!known.isEmpty()) {
      tls.ticketKeys(known);
      if (ageMillis(madeAt, now) < rotation.toMillis()) {
        return;
      }
    }
    byte[] made = new byte[tls.ticketKeyBytes()];
    random.nextBytes(made);
    List<byte[]> next = new ArrayList<>(List.of(made));
    next.addAll(known.subList(0, Math.min(OLD_KEYS, known.size())));
    ObjectNode json = Json.object().put("v", 1).put("at", now);
    ArrayNode list = json.putArray("keys");
    next.forEach(key -> list.add(Base64.getEncoder().encodeToString(key)));
    // The next heartbeat reads the result.
    TxnResult ignored =
        etcd.txn(
            new Txn()
                .ifRevision(keys.tickets(), written == null ? 0 : written.revision())
                .put(keys.tickets(), FleetJson.text(json)));
  }

  /** Of keys; one that a wrong clock has made in the future is old, too: it would stay for ever. */
  private long ageMillis(long madeAt, long now) {
    return haveAppeared
        ? TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - seenNanos)
        : Math.abs(now - madeAt);
  }

  private void see(@Nullable KeyValue written) {
    long revision = written == null ? 0 : written.revision();
    if (revision != seenRevision) {
      haveAppeared = seenRevision >= 0;
      seenRevision = revision;
      seenNanos = nanoTime.getAsLong();
    }
  }

  private List<byte[]> ticketKeys(ObjectNode object) {
    List<byte[]> read = new ArrayList<>();
    InputProblems problems = new InputProblems();
    for (String text : Json.texts(object, "keys", 100, problems)) {
      try {
        byte[] key = Base64.getDecoder().decode(text);
        if (key.length == tls.ticketKeyBytes() && read.size() < MAX_KEYS) {
          read.add(key);
        }
      } catch (IllegalArgumentException e) {
        problems.add("no base64");
      }
    }
    return problems.isEmpty() ? read : List.of();
  }
}
