package io.forebay.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.lab.load.LoadPlan.ObjectClass;
import io.forebay.lab.load.LoadPlan.Phase;
import io.forebay.lab.load.LoadPlan.Popularity;
import io.forebay.lab.load.LoadPlan.Protocol;
import io.forebay.lab.result.Latency;
import io.forebay.lab.result.LoadTotals;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All generators against nginx. */
@Tag("full")
class NginxLoadTest {
  private static final int LARGE = 2_000_000;
  @TempDir static Path directory;
  private static Process nginx;
  private static int plain;
  private static int tls;
  private static String trust;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(Programs.isThere("nginx"), "nginx is not installed: apt-get install nginx-light");
    Certificates certificates = Certificates.in(directory);
    certificates.ecdsa("server", "127.0.0.1");
    trust = Files.readString(certificates.authorityPem());
    plain = Ports.free();
    tls = Ports.free();
    Path files = Files.createDirectories(directory.resolve("files"));
    for (int i = 0; i < 4; i++) {
      Files.write(files.resolve("one-" + i), new byte[1]);
      Files.write(files.resolve("large-" + i), new byte[LARGE]);
    }
    Path configuration = directory.resolve("nginx.conf");
    Files.writeString(
        configuration,
        """
        user root; daemon off; pid %1$s/pid; error_log stderr; worker_processes 1;
        events { worker_connections 1000; }
        http {
          access_log off; keepalive_requests 1000000; sendfile on;
          client_body_temp_path %1$s/t1; proxy_temp_path %1$s/t2; fastcgi_temp_path %1$s/t3;
          uwsgi_temp_path %1$s/t4; scgi_temp_path %1$s/t5;
          server {
            listen 127.0.0.1:%2$d; listen 127.0.0.1:%3$d ssl http2; root %1$s/files;
            ssl_certificate %1$s/server.pem; ssl_certificate_key %1$s/server.key;
            ssl_session_tickets on; ssl_protocols TLSv1.2 TLSv1.3;
            location /bad { return 503; }
          }
        }
        """
            .formatted(directory, plain, tls));
    nginx =
        new ProcessBuilder("nginx", "-c", configuration.toString(), "-p", directory.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("nginx.log").toFile())
            .start();
    Await.until(
        "nginx: " + directory.resolve("nginx.log"),
        () -> Ports.isListening(plain) && Ports.isListening(tls));
  }

  @AfterAll
  static void stop() throws Exception {
    if (nginx != null) {
      nginx.destroy();
      nginx.waitFor();
    }
  }

  private static Plans plain() {
    return Plans.to("http://127.0.0.1:" + plain);
  }

  private static Plans tls(Protocol protocol) {
    return Plans.to("https://127.0.0.1:" + tls).protocol(protocol, trust);
  }

  private static Plans files(Plans plans) {
    return plans
        .connections(4)
        .popularity(Popularity.ZIPF)
        .objects(
            new ObjectClass("one", 1, 3, 4, "/one-{n}"),
            new ObjectClass("large", LARGE, 1, 4, "/large-{n}"));
  }

  private static void assertGood(LoadTotals totals) {
    assertEquals(Map.of(), totals.errors());
    assertTrue(totals.requests() > 10, totals.toString());
    // A quarter is large.
    double mean = (double) totals.bodyBytes() / totals.requests();
    assertTrue(mean > LARGE / 10.0 && mean < LARGE / 2.0, totals.toString());
    assertTrue(totals.lastByte().count() > 10, totals.toString());
    assertTrue(totals.clientCores() > 0 && totals.clientCores() < 4, totals.toString());
  }

  @Test
  void theClientLoadsItWithEachProtocol() throws Exception {
    for (Plans plans :
        new Plans[] {
          plain(),
          tls(Protocol.HTTP1),
          tls(Protocol.HTTP2),
          tls(Protocol.HTTP2).streams(10),
          tls(Protocol.HTTP1).bursts(5).resumed(0.5)
        }) {
      assertGood(files(plans).phases(new Phase(1, 0, 0, true)).run().totals());
      assertGood(files(plans).rate(1, 60).run().totals());
    }
  }

  @Test
  void sessionsOfTls13AreResumed() throws Exception {
    for (double share : new double[] {0, 0.5, 1}) {
      LoadTotals totals =
          tls(Protocol.HTTP1)
              .connections(4)
              .objects(new ObjectClass("one", 1, 1, 4, "/one-{n}"))
              .bursts(1)
              .resumed(share)
              .rate(3, 50)
              .run()
              .totals();

      assertEquals(Map.of(), totals.errors());
      assertTrue(totals.connections() > 50, totals.toString());
      // Each place has nothing to offer at first.
      double expected = share * (double) totals.connections();
      assertEquals(
          expected, (double) totals.resumed(), 4 + 5 * Math.sqrt(expected), totals.toString());
      assertTrue(share > 0 || totals.resumed() == 0, totals.toString());
    }
  }

  @Test
  void aRateIsKeptWithinTwoPercent() throws Exception {
    LoadTotals totals =
        plain()
            .connections(20)
            .objects(new ObjectClass("one", 1, 1, 4, "/one-{n}"))
            .phases(new Phase(1, 1000, 1000, false), new Phase(3, 1000, 1000, true))
            .run()
            .totals();

    assertEquals(3000, totals.lastByte().count());
    // Where other work held the client up, what was due before ends in the time that counts.
    if (totals.lateness().max() < 20 && totals.lastByte().max() < 20) {
      assertEquals(1000, totals.requestsPerSecond(), 20);
    }
  }

  @Test
  void wrkDrawsWhatTheClientDraws() throws Exception {
    assumeTrue(LoadGenerators.WRK.missing().isEmpty(), "wrk");
    LoadGenerator wrk = LoadGenerators.named("wrk").generator(1);
    Phase[] phases = {new Phase(1, 0, 0, false), new Phase(2, 0, 0, true)};

    assertGood(wrk.run(files(plain()).phases(phases).plan()).totals());
    assertGood(wrk.run(files(tls(Protocol.HTTP1)).phases(phases).plan()).totals());
    LoadTotals bad =
        wrk.run(
                plain()
                    .objects(new ObjectClass("bad", 1, 1, 1, "/bad"))
                    .phases(new Phase(1, 0, 0, true))
                    .plan())
            .totals();
    assertEquals(0, bad.requests());
    assertTrue(bad.errors().getOrDefault("status", 0L) > 0, bad.toString());
    assertTrue(bad.byObject().getOrDefault("bad", Latency.NONE).count() > 0, bad.toString());
  }

  @Test
  void wrkHasFreshNames() throws Exception {
    assumeTrue(LoadGenerators.WRK.missing().isEmpty(), "wrk");
    LoadTotals totals =
        LoadGenerators.WRK
            .generator(1)
            .run(files(plain()).fresh(1).phases(new Phase(1, 0, 0, true)).plan())
            .totals();

    // None of them is a file.
    assertEquals(0, totals.requests());
    assertTrue(totals.errors().getOrDefault("status", 0L) > 10, totals.toString());
  }

  @Test
  void h2loadLoadsItWithHttp2() throws Exception {
    assumeTrue(LoadGenerators.H2LOAD.missing().isEmpty(), "h2load");
    LoadGenerator h2load = LoadGenerators.named("h2load").generator(1);
    Phase[] phases = {new Phase(1, 0, 0, false), new Phase(2, 0, 0, true)};

    assertGood(h2load.run(files(tls(Protocol.HTTP2)).streams(4).phases(phases).plan()).totals());
    assertGood(h2load.run(files(tls(Protocol.HTTP1)).phases(phases).plan()).totals());
  }

  @Test
  void programsFromOutsideSayWhatTheyCannotDo() {
    for (Plans plans :
        new Plans[] {
          plain().rate(1, 100),
          plain().verify().phases(new Phase(1, 0, 0, true)),
          plain().bursts(10).phases(new Phase(1, 0, 0, true)),
          plain().phases(new Phase(1, 0, 0, true), new Phase(1, 0, 0, false))
        }) {
      for (String name : new String[] {"wrk", "h2load"}) {
        assertThrows(
            IllegalArgumentException.class,
            () -> LoadGenerators.named(name).generator(1).run(plans.plan()));
      }
    }
    assertThrows(IllegalArgumentException.class, () -> LoadGenerators.named("ab"));
  }
}
