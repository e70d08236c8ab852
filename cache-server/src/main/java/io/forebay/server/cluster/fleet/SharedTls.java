package io.forebay.server.cluster.fleet;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.etcd.TxnResult;
import io.forebay.server.cluster.member.ClusterKeyspace;
import io.forebay.server.cluster.member.FleetConfigState;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Shares ticket keys and answers to ACME validations (http-01), so that nodes decrypt each other's
 * session tickets and answer each other's validations. The first node that finds ticket keys
 * missing or old makes one, in a transaction with the condition that the keys have not changed.
 *
 * <p>A node measures the age of a key that it has seen appear. It uses the time in etcd only for
 * keys that it found at its start, so a wrong clock costs one key, and not a key a second. Confined
 * to the agent's thread.
 */
final class SharedTls {
  private static final int OLD_KEYS = 2;
  private static final int MAX_KEYS = 8;
  private static final int MAX_CHALLENGES = 1_000;
  private static final int MAX_TOKEN = 400;

  private final EtcdClient etcd;
  private final ClusterKeyspace keys;
  private final String node;
  private final FleetTls tls;
  private final RandomGenerator random;
  private final Clock clock;
  private final LongSupplier nanoTime;

  /** Of the ticket keys; -1 before the first look. */
  private long seenRevision = -1;

  private long seenNanos;
  private boolean haveAppeared;

  SharedTls(
      EtcdClient etcd,
      ClusterKeyspace keys,
      String node,
      FleetTls tls,
      RandomGenerator random,
      Clock clock,
      LongSupplier nanoTime) {
    this.etcd = etcd;
    this.keys = keys;
    this.node = node;
    this.tls = tls;
    this.random = random;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  void step(FleetConfigState state) throws EtcdException, InterruptedException {
    KeyValue tickets = null;
    KeyValue own = null;
    Map<String, String> others = new HashMap<>();
    for (KeyValue kv : state.shared()) {
      if (kv.key().equals(keys.tickets())) {
        tickets = kv;
      } else if (kv.key().equals(keys.challenges(node))) {
        own = kv;
      } else if (kv.key().startsWith(keys.challenges())) {
        others.putAll(challenges(kv.value()));
      }
    }
    tls.challenges(others);
    publish(own);
    shareTickets(tickets);
  }

  // --- challenges -------------------------------------------------------------------------------

  private void publish(@Nullable KeyValue written) throws EtcdException, InterruptedException {
    Map<String, String> expected = tls.ownChallenges();
    if (expected.equals(written == null ? Map.of() : challenges(written.value()))) {
      return;
    }
    Txn txn = new Txn();
    if (expected.isEmpty()) {
      txn.delete(keys.challenges(node));
    } else {
      ObjectNode json = Json.object().put("v", 1);
      ObjectNode answers = json.putObject("answers");
      expected.forEach(answers::put);
      txn.put(keys.challenges(node), FleetJson.text(json));
    }
    TxnResult ignored = etcd.txn(txn);
  }

  /** A value that cannot be read counts as no answer. */
  private static Map<String, String> challenges(String json) {
    Map<String, String> answers = new HashMap<>();
    ObjectNode object = object(json);
    if (object != null && object.path("answers") instanceof ObjectNode given) {
      for (String token : given.propertyNames()) {
        String answer = Json.text(given, token, MAX_TOKEN, new InputProblems());
        if (answer != null && token.length() <= MAX_TOKEN && answers.size() < MAX_CHALLENGES) {
          answers.put(token, answer);
        }
      }
    }
    return answers;
  }

  // --- tickets ----------------------------------------------------------------------------------

  private void shareTickets(@Nullable KeyValue written) throws EtcdException, InterruptedException {
    see(written);
    Duration rotation = tls.ticketRotation();
    if (rotation.isZero()) {
      return;
    }
    ObjectNode object = written == null ? null : object(written.value());
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

  private static @Nullable ObjectNode object(String json) {
    try {
      return Json.object(json.getBytes(StandardCharsets.UTF_8));
    } catch (AdminError e) {
      return null;
    }
  }
}
