package io.forebay.server.cluster.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.etcd.EtcdException.Kind;
import io.forebay.server.cluster.peer.ClusterTls;
import io.forebay.server.tls.PemFile;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.EtcdFixture;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** The client with Debian's etcd. */
@Tag("full")
final class EtcdTest {
  @TempDir Path directory;

  @Test
  void writesReadsAndGuards() throws Exception {
    try (EtcdFixture etcd = EtcdFixture.start(directory, 1);
        EtcdClient client = EtcdClients.of(etcd.endpoints())) {
      TxnResult written = client.txn(new Txn().ifAbsent("a/1").put("a/1", "é\n"));
      assertTrue(written.isDone());
      TxnResult again = client.txn(new Txn().ifAbsent("a/1").put("a/1", "x").otherwiseGet("a/1"));
      assertFalse(again.isDone());
      assertEquals(
          new KeyValue("a/1", "é\n", written.revision()), again.read(0).findFirst().orElseThrow());
      long next = client.txn(new Txn().put("a/2", "2").put("a/3", "3")).revision();
      assertEquals(written.revision() + 1, next);
      RangeResult all = client.range(Range.first("a/", 2));
      assertTrue(all.hasMore());
      assertEquals(
          List.of("a/3"),
          client.range(Range.first("a/", 2).after("a/2")).keys().stream()
              .map(KeyValue::key)
              .toList());
      assertEquals(
          2, client.range(new Range("a/", "a/", 10, 0, next)).keys().size(), "since a revision");
      assertEquals(
          1,
          client.range(new Range("a/", "a/", 10, written.revision(), 0)).keys().size(),
          "of then");
      assertTrue(
          client.txn(new Txn().ifRevision("a/1", written.revision()).delete("a/1")).isDone());
      assertEquals(
          Kind.REFUSED,
          assertThrows(EtcdException.class, () -> client.txn(new Txn().put("d", "1").put("d", "2")))
              .kind());
    }
  }

  @Test
  void keysWithALeaseGoWithIt() throws Exception {
    try (EtcdFixture etcd = EtcdFixture.start(directory, 1);
        EtcdClient client = EtcdClients.of(etcd.endpoints())) {
      long lease = client.grant(2);
      client.txn(new Txn().put("alive", "x", lease));
      assertTrue(client.keepAlive(lease));
      Await.until(
          "the lease ends", () -> client.txn(new Txn().get("alive")).read(0).findAny().isEmpty());
      assertFalse(client.keepAlive(lease));
      long other = client.grant(60);
      client.txn(new Txn().put("alive", "x", other));
      client.revoke(other);
      assertTrue(client.txn(new Txn().get("alive")).read(0).findAny().isEmpty());
    }
  }

  @Test
  void aWatchBringsWhatWasAndWhatComes() throws Exception {
    try (EtcdFixture etcd = EtcdFixture.start(directory, 1);
        EtcdClient client = EtcdClients.of(etcd.endpoints())) {
      long first = client.txn(new Txn().put("p/1", "1")).revision();
      client.txn(new Txn().put("q/1", "not watched"));
      try (EtcdWatch watch = client.watch("p/", first)) {
        List<KeyValue> seen = new ArrayList<>();
        Txn many = new Txn();
        for (int i = 0; i < 100; i++) {
          many.put("p/many" + i, "x".repeat(8_000));
        }
        long last = client.txn(many).revision();
        long complete = 0;
        while (complete < last) {
          WatchBatch batch = watch.next();
          seen.addAll(batch.puts());
          complete = Math.max(complete, batch.complete());
        }
        assertEquals(101, seen.size());
        assertEquals(first, seen.getFirst().revision());
        // Another thread ends a read that waits.
        CountDownLatch reading = new CountDownLatch(1);
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread reader =
            Thread.ofVirtual()
                .start(() -> {
                  reading.countDown();
                  try {
                    while (true) {
                      WatchBatch ignored = watch.next();
                    }
                  } catch (EtcdException e) {
                    end.set(e);
                  }
                });
        reading.await();
        watch.close();
        reader.join();
        assertInstanceOf(EtcdException.class, end.get());
      }
      long newest = client.txn(new Txn().put("p/2", "2")).revision();
      etcd.compact(newest);
      try (EtcdWatch watch = client.watch("p/", first)) {
        EtcdException late =
            assertThrows(
                EtcdException.class,
                () -> {
                  while (true) {
                    WatchBatch ignored = watch.next();
                  }
                });
        assertEquals(Kind.COMPACTED, late.kind());
      }
      assertEquals(
          Kind.COMPACTED,
          assertThrows(EtcdException.class, () -> client.range(new Range("p/", "p/", 10, first, 0)))
              .kind());
    }
  }

  @Test
  void theDeathOfTheLeaderIsPassedOver() throws Exception {
    try (EtcdFixture etcd = EtcdFixture.start(directory, 3)) {
      int leader = etcd.leader();
      List<URI> endpoints = new ArrayList<>(etcd.endpoints());
      endpoints.add(0, endpoints.remove(leader));
      try (EtcdClient client = EtcdClients.of(endpoints)) {
        long before = client.txn(new Txn().put("k", "1")).revision();
        etcd.kill(leader);
        Await.until("a write succeeds", () -> client.txn(new Txn().put("k", "2")).isDone());
        assertEquals("2", client.txn(new Txn().get("k")).read(0).findFirst().orElseThrow().value());
        assertTrue(client.txn(new Txn().get("k")).revision() > before);
        etcd.restart(leader);
        Await.until(
            "the member is back",
            () -> {
              try (EtcdClient one = EtcdClients.of(List.of(endpoints.getFirst()))) {
                return one.txn(new Txn().get("k")).read(0).findFirst().isPresent();
              }
            });
      }
    }
  }

  @Test
  void aMemberWithoutQuorumRefuses() throws Exception {
    try (EtcdFixture etcd = EtcdFixture.start(directory, 3);
        EtcdClient client = EtcdClients.of(etcd.endpoints());
        EtcdWatch watch = client.watch("p/", 1)) {
      int leader = etcd.leader();
      etcd.kill(leader);
      etcd.kill((leader + 1) % 3);
      // It ends by itself where its member is cut off, and with its member where that was killed.
      assertThrows(
          EtcdException.class,
          () -> {
            while (true) {
              WatchBatch ignored = watch.next();
            }
          });
      assertEquals(
          Kind.UNAVAILABLE,
          assertThrows(EtcdException.class, () -> client.txn(new Txn().get("k"))).kind());
    }
  }

  @Test
  void usersOverMutualTls() throws Exception {
    Certificates certificates = Certificates.in(directory);
    certificates.issue(
        "server", builder -> builder.ecp256().addExtendedKeyUsageClientAuth(), "127.0.0.1");
    // The gateway refuses certificates with a common name where it knows users.
    certificates.issue(
        "node", builder -> builder.ecp256().subject("O=nodes").addExtendedKeyUsageClientAuth());
    try (EtcdFixture etcd =
        EtcdFixture.startSecured(
            directory.resolve("etcd"),
            "--cert-file=" + certificates.pem("server"),
            "--key-file=" + certificates.key("server"),
            "--trusted-ca-file=" + certificates.authorityPem(),
            "--client-cert-auth")) {
      SSLContext tls =
          ClusterTls.toServers(
              PemFile.certificates(certificates.authorityPem()),
              PemFile.certificates(certificates.pem("node")),
              PemFile.privateKey(certificates.key("node")));
      try (EtcdClient open = secured(etcd, tls, null);
          HttpClient http = HttpClient.newBuilder().sslContext(tls).build()) {
        Await.until("the member leads", () -> open.txn(new Txn().put("f/k", "1")).isDone());
        for (Map.Entry<String, Map<String, ?>> call :
            List.<Map.Entry<String, Map<String, ?>>>of(
                Map.entry("/v3/auth/user/add", Map.of("name", "root", "password", "r")),
                Map.entry("/v3/auth/role/add", Map.of("name", "root")),
                Map.entry("/v3/auth/user/grant", Map.of("user", "root", "role", "root")),
                Map.entry("/v3/auth/user/add", Map.of("name", "node", "password", "n")),
                Map.entry("/v3/auth/role/add", Map.of("name", "node")),
                Map.entry(
                    "/v3/auth/role/grant",
                    Map.of(
                        "name",
                        "node",
                        "perm",
                        Map.of(
                            "permType",
                            "READWRITE",
                            "key",
                            EtcdJson.base64("f/"),
                            "range_end",
                            EtcdJson.base64("f0")))),
                Map.entry("/v3/auth/user/grant", Map.of("user", "node", "role", "node")),
                Map.entry("/v3/auth/enable", Map.of()))) {
          String json = JsonMapper.shared().writeValueAsString(call.getValue());
          HttpResponse<String> answer =
              http.send(
                  HttpRequest.newBuilder(etcd.endpoints().getFirst().resolve(call.getKey()))
                      .POST(HttpRequest.BodyPublishers.ofString(json))
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
          assertEquals(200, answer.statusCode(), call + ": " + answer.body());
        }
      }
      try (EtcdClient without = secured(etcd, certificates.clientContext(), null)) {
        assertEquals(
            Kind.UNAVAILABLE,
            assertThrows(EtcdException.class, () -> without.txn(new Txn().get("f/k"))).kind(),
            "no certificate");
      }
      try (EtcdClient nobody = secured(etcd, tls, null);
          EtcdClient node = secured(etcd, tls, "n");
          EtcdClient wrong = secured(etcd, tls, "x")) {
        assertEquals(
            Kind.REFUSED,
            assertThrows(EtcdException.class, () -> nobody.txn(new Txn().get("f/k"))).kind());
        assertEquals(
            Kind.REFUSED,
            assertThrows(EtcdException.class, () -> wrong.txn(new Txn().get("f/k"))).kind());
        assertEquals("1", node.txn(new Txn().get("f/k")).read(0).findFirst().orElseThrow().value());
        long lease = node.grant(10);
        long revision = node.txn(new Txn().put("f/l", "1", lease)).revision();
        assertTrue(node.keepAlive(lease));
        try (EtcdWatch watch = node.watch("f/", revision)) {
          WatchBatch batch = watch.next();
          while (batch.puts().isEmpty()) {
            batch = watch.next();
          }
          assertEquals("f/l", batch.puts().getFirst().key());
        }
        assertEquals(
            Kind.REFUSED,
            assertThrows(EtcdException.class, () -> node.txn(new Txn().put("g", "1"))).kind());
      }
    }
  }

  private static EtcdClient secured(EtcdFixture etcd, SSLContext tls, @Nullable String password) {
    return new EtcdClient(
        new EtcdSettings(
            etcd.endpoints(),
            tls,
            password == null ? null : "node",
            password,
            Duration.ofSeconds(10),
            Duration.ofSeconds(10)));
  }
}
