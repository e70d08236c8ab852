package io.forebay.server.cluster.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.etcd.EtcdException.Kind;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the client makes of answers, right and wrong, of members that a test scripts. */
final class EtcdClientTest {
  private static final String TXN = "/v3/kv/txn";
  private static final String WATCH = "/v3/watch";
  private static final String DONE =
      "{\"header\":{\"cluster_id\":\"7\",\"revision\":\"12\"},\"succeeded\":true}";
  private static final String NO_LEADER =
      "{\"error\":\"etcdserver: no leader\",\"code\":14,\"message\":\"etcdserver: no leader\"}";

  private PathOrigin first;
  private PathOrigin second;
  private final CountDownLatch over = new CountDownLatch(1);

  @BeforeEach
  void start() throws IOException {
    first = PathOrigin.start();
    second = PathOrigin.start();
  }

  @AfterEach
  void stop() throws IOException {
    over.countDown();
    first.close();
    second.close();
  }

  private EtcdClient client(String user, PathOrigin... members) {
    return new EtcdClient(
        new EtcdSettings(
            List.of(members).stream().map(member -> URI.create(member.url())).toList(),
            null,
            user.isEmpty() ? null : user,
            user.isEmpty() ? null : "secret",
            Duration.ofSeconds(20),
            Duration.ZERO));
  }

  private static EtcdException fails(EtcdClient client) {
    return assertThrows(EtcdException.class, () -> client.txn(new Txn().get("k")));
  }

  @Test
  void goesOnToTheNextMemberWhereOneHasNoLeader() throws Exception {
    first.on(TXN, exchange -> exchange.respond(503, "", NO_LEADER));
    second.on(TXN, exchange -> exchange.respond(200, "", DONE));

    try (EtcdClient client = client("", first, second)) {
      assertEquals(12, client.txn(new Txn().put("k", "v")).revision());
      assertEquals(12, client.txn(new Txn().put("k", "v")).revision());
    }

    assertEquals(1, first.count(TXN), "the client stays with the member that answers");
    assertEquals("true", second.requests(TXN).getFirst().field("grpc-metadata-hasleader"));
  }

  @Test
  void goesOnToTheNextMemberWhereOneIsDown() throws Exception {
    second.on(TXN, exchange -> exchange.respond(200, "", DONE));
    EtcdSettings settings =
        new EtcdSettings(
            List.of(URI.create("http://127.0.0.1:" + Ports.free()), URI.create(second.url())),
            null,
            null,
            null,
            Duration.ofSeconds(20),
            Duration.ZERO);

    try (EtcdClient client = new EtcdClient(settings)) {
      assertTrue(client.txn(new Txn().put("k", "v")).isDone());
    }
  }

  @Test
  void givesUpOnAMemberThatDoesNotAnswerInTime() throws Exception {
    first.on(TXN, exchange -> over.await());
    EtcdSettings settings =
        new EtcdSettings(
            List.of(URI.create(first.url())),
            null,
            null,
            null,
            Duration.ofMillis(50),
            Duration.ZERO);

    try (EtcdClient client = new EtcdClient(settings)) {
      EtcdException failure = fails(client);
      assertEquals(Kind.UNAVAILABLE, failure.kind());
      assertTrue(failure.toString().contains("no answer within 50 ms"), failure.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{",
        "{}{}",
        "<html>",
        "{\"header\":{\"revision\":\"many\"}}",
        "{\"header\":{\"revision\":\"1\"},\"responses\":[{\"response_range\":{\"kvs\":[{\"key\":\"%\"}]}}]}"
      })
  void takesNoAnswerThatIsNotEtcds(String answer) throws Exception {
    first.on(TXN, exchange -> exchange.respond(200, "", answer));

    try (EtcdClient client = client("", first)) {
      assertEquals(Kind.UNAVAILABLE, fails(client).kind());
    }
  }

  @Test
  void boundsAnswers() throws Exception {
    first.on(TXN, exchange -> exchange.respond(200, "", " ".repeat(EtcdJson.MAX_BYTES + 1)));

    try (EtcdClient client = client("", first)) {
      assertEquals(Kind.UNAVAILABLE, fails(client).kind());
    }
  }

  @Test
  void tellsWhatWasRefusedFromWhatIsNotKnown() throws Exception {
    first.on(
        TXN,
        exchange ->
            exchange.respond(
                400, "", "{\"error\":\"etcdserver: too many operations\",\"code\":3}"));
    first.on(
        "/v3/kv/range",
        exchange ->
            exchange.respond(
                400, "", "{\"error\":\"mvcc: required revision has been compacted\",\"code\":11}"));

    try (EtcdClient client = client("", first)) {
      EtcdException refused = fails(client);
      assertEquals(Kind.REFUSED, refused.kind());
      assertTrue(refused.toString().contains("too many operations"), refused.toString());
      assertEquals(
          Kind.COMPACTED,
          assertThrows(EtcdException.class, () -> client.range(Range.first("k", 1))).kind());
    }
    assertEquals(1, first.count(TXN), "what was refused is not sent again");
  }

  @Test
  void getsANewTokenWhereTheOldOneIsNoLongerKnown() throws Exception {
    AtomicInteger tokens = new AtomicInteger();
    first.on(
        "/v3/auth/authenticate",
        exchange -> exchange.respond(200, "", "{\"token\":\"t" + tokens.incrementAndGet() + "\"}"));
    first.on(
        TXN,
        exchange -> {
          if (exchange.request().field("authorization").equals("t1")) {
            exchange.respond(401, "", "{\"error\":\"etcdserver: invalid auth token\",\"code\":16}");
          } else {
            exchange.respond(200, "", DONE);
          }
        });

    try (EtcdClient client = client("node", first)) {
      // The first token is new, so it is not suspected to be old.
      assertEquals(Kind.REFUSED, fails(client).kind());
      assertTrue(client.txn(new Txn().put("k", "v")).isDone());
      assertTrue(client.txn(new Txn().put("k", "v")).isDone());
    }
    assertEquals(2, tokens.get());
  }

  @Test
  void saysThatAUserIsRefused() throws Exception {
    first.on(
        "/v3/auth/authenticate",
        exchange ->
            exchange.respond(
                400, "", "{\"error\":\"authentication failed, invalid password\",\"code\":3}"));

    try (EtcdClient client = client("node", first)) {
      EtcdException refused = fails(client);
      assertEquals(Kind.REFUSED, refused.kind());
      assertFalse(refused.toString().contains("secret"), refused.toString());
    }
  }

  private EtcdWatch watch(EtcdClient client, String lines) throws Exception {
    first.on(WATCH, exchange -> exchange.respond(200, "", lines));
    return client.watch("p/", 5);
  }

  private static String event(String type, String key, long revision) {
    return "{\"type\":\"%s\",\"kv\":{\"key\":\"%s\",\"value\":\"%s\",\"mod_revision\":\"%d\"}}"
        .formatted(type, EtcdJson.base64(key), EtcdJson.base64("v" + revision), revision);
  }

  private static String events(String more, String... events) {
    return "{\"result\":{" + more + "\"events\":[" + String.join(",", events) + "]}}\n";
  }

  @Test
  void readsTheEventsOfAWatch() throws Exception {
    try (EtcdClient client = client("", first);
        EtcdWatch watch =
            watch(
                client,
                "{\"result\":{\"created\":true}}\n\n"
                    + events("", event("PUT", "a", 5), event("DELETE", "b", 6))
                    + events("\"fragment\":true,", event("PUT", "c", 7), event("PUT", "d", 8))
                    + events("", event("PUT", "e", 8)))) {
      assertEquals(new WatchBatch(List.of(), 0), watch.next());
      assertEquals(new WatchBatch(List.of(new KeyValue("a", "v5", 5)), 6), watch.next());
      WatchBatch fragment = watch.next();
      assertEquals(2, fragment.puts().size());
      assertEquals(7, fragment.complete(), "revision 8 may go on in the next message");
      assertEquals(8, watch.next().complete());
      assertEquals(
          Kind.UNAVAILABLE, assertThrows(EtcdException.class, watch::next).kind(), "its end");
    }
  }

  @Test
  void tellsAWatchThatIsTooLateFromOneThatEnds() throws Exception {
    try (EtcdClient client = client("", first)) {
      try (EtcdWatch watch =
          watch(client, "{\"result\":{\"canceled\":true,\"compact_revision\":\"40\"}}\n")) {
        EtcdException late = assertThrows(EtcdException.class, watch::next);
        assertEquals(Kind.COMPACTED, late.kind());
        assertTrue(late.toString().contains("40"), late.toString());
      }
      try (EtcdWatch watch =
          watch(
              client,
              "{\"error\":{\"grpc_code\":14,\"http_code\":503,\"message\":\"no leader\"}}\n")) {
        EtcdException ended = assertThrows(EtcdException.class, watch::next);
        assertEquals(Kind.UNAVAILABLE, ended.kind());
        assertTrue(ended.toString().contains("no leader"), ended.toString());
      }
    }
  }

  @Test
  void boundsTheMessagesOfAWatch() throws Exception {
    try (EtcdClient client = client("", first);
        EtcdWatch watch = watch(client, " ".repeat(EtcdJson.MAX_BYTES + 100_000))) {
      EtcdException ended = assertThrows(EtcdException.class, watch::next);
      assertTrue(ended.toString().contains("longer than"), ended.toString());
    }
  }
}
