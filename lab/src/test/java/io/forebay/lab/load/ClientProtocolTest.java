package io.forebay.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.load.LoadPlan.ObjectClass;
import io.forebay.lab.load.LoadPlan.Protocol;
import io.forebay.lab.result.LoadTotals;
import io.forebay.testing.Certificates;
import io.forebay.testing.ScriptedOrigin;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS, HTTP/2 and HTTP/3, against other implementations of them. */
class ClientProtocolTest {
  @TempDir static Path directory;
  private static Certificates certificates;

  @BeforeAll
  static void issue() throws Exception {
    certificates = Certificates.in(directory);
  }

  private static String trust() throws IOException {
    return Files.readString(certificates.authorityPem());
  }

  private static BodyServer start(Protocol protocol, boolean isTls) throws Exception {
    return protocol == Protocol.HTTP3
        ? BodyServer.http3(certificates)
        : BodyServer.http2(certificates, isTls);
  }

  private static LoadTotals run(Protocol protocol, Plans plans) throws Exception {
    return plans.protocol(protocol, trust()).run().totals();
  }

  @Test
  void bodiesOfHttp2AndHttp3AreCounted() throws Exception {
    for (Protocol protocol : Set.of(Protocol.HTTP2, Protocol.HTTP3)) {
      for (boolean isTls : protocol == Protocol.HTTP3 ? Set.of(true) : Set.of(true, false)) {
        try (BodyServer server = start(protocol, isTls)) {
          LoadTotals totals =
              run(
                  protocol,
                  Plans.to(server.url())
                      .connections(2)
                      .streams(20)
                      .objects(
                          new ObjectClass("large", 300_000, 1, 100, "/o/{bytes}/{n}"),
                          new ObjectClass("none", 0, 1, 100, "/o/{bytes}/{n}")));

          assertEquals(Map.of(), totals.errors(), protocol + " " + isTls);
          assertEquals(10, totals.lastByte().count(), protocol + " " + isTls);
          assertEquals(2, totals.connections());
          assertEquals(2, server.connections.get());
          assertEquals(10, server.paths.size());
          String host = server.url().substring(server.url().indexOf("//") + 2);
          assertTrue(
              server.paths.stream().allMatch(path -> path.matches(host + "/o/(300000|0)/[0-9]+")),
              server.paths.toString());
        }
      }
    }
  }

  @Test
  @Tag("full")
  @Tag("slow")
  void errorsOfStreamsAreToldByKindAndTheConnectionIsKept() throws Exception {
    for (Protocol protocol : Set.of(Protocol.HTTP2, Protocol.HTTP3)) {
      try (BodyServer server = start(protocol, true)) {
        for (Map.Entry<String, String> row :
            Map.of("/503", "status", "/403", "status", "/reset", "reset", "/o/4/x", "short")
                .entrySet()) {
          server.connections.set(0);
          LoadTotals totals =
              run(
                  protocol,
                  Plans.to(server.url())
                      .streams(2)
                      .objects(new ObjectClass("x", 5, 1, 1, row.getKey())));

          assertEquals(Map.of(row.getValue(), 10L), totals.errors(), protocol + row.getKey());
          assertEquals(1, server.connections.get(), protocol + row.getKey());
        }
      }
    }
  }

  @Test
  @Tag("slow")
  void streamsWithoutAnAnswerTimeOut() throws Exception {
    for (Protocol protocol : Set.of(Protocol.HTTP2, Protocol.HTTP3)) {
      try (BodyServer server = start(protocol, true)) {
        LoadTotals totals =
            run(
                protocol,
                Plans.to(server.url())
                    .streams(20)
                    .timeoutMillis(300)
                    .objects(new ObjectClass("x", 5, 1, 1, "/never")));

        // The servers allow eight streams at a time.
        assertEquals(
            10, totals.errors().values().stream().mapToLong(Long::longValue).sum(), protocol + "");
        assertTrue(Set.of("timeout", "late").containsAll(totals.errors().keySet()));
        assertTrue(totals.errors().getOrDefault("timeout", 0L) >= 8, totals.toString());
      }
    }
  }

  @Test
  @Tag("slow")
  void sessionsAreResumedAsOftenAsAskedFor() throws Exception {
    try (ScriptedOrigin origin =
        ScriptedOrigin.startTls(
            Certificates.serverContext(certificates.ecdsa("origin", "127.0.0.1")))) {
      origin.serve(connection -> {
        try (connection) {
          while (true) {
            connection.head();
            connection.respond("hello");
          }
        } catch (SocketException gone) {
          // The client has closed.
        }
      });
      Plans plans =
          Plans.to(origin.url())
              .protocol(Protocol.HTTP1, trust())
              .connections(2)
              .bursts(1)
              .rate(0.4, 25);
      LoadTotals all = plans.resumed(1).run().totals();
      LoadTotals none = plans.resumed(0).run().totals();

      for (LoadTotals totals : new LoadTotals[] {all, none}) {
        assertEquals(Map.of(), totals.errors());
        assertEquals(10, totals.lastByte().count());
      }
      // What was open when the load began was not resumed and does not count.
      assertTrue(all.resumed() >= 4, all.toString());
      assertEquals(0, none.resumed());
    }
  }

  @Test
  void aServerThatIsNotTrustedIsAnError() throws Exception {
    try (BodyServer server = BodyServer.http2(certificates, true)) {
      LoadTotals totals =
          Plans.to(server.url()).protocol(Protocol.HTTP2, null).timeoutMillis(3_000).run().totals();

      assertEquals(0, totals.requests());
      assertTrue(totals.errors().getOrDefault("tls", 0L) >= 1, totals.toString());
    }
  }
}
