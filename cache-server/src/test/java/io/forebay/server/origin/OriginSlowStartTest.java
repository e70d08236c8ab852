package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.origin.probe.ProbeDraft;
import io.forebay.testing.Await;
import io.forebay.testing.ScriptedOrigin;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Addresses that are new or have recovered get their share of the requests little by little. */
@Timeout(60)
@Tag("slow")
class OriginSlowStartTest {
  /** So long that the time that a test takes does not count. */
  private static final Duration PERIOD = Duration.ofDays(10);

  @Test
  void anAddressThatIsAddedToANameStartsSlowly() throws Exception {
    try (CountingServers servers = new CountingServers("127.0.0.3", "127.0.0.4");
        Lab lab = Lab.of(slow(named(servers.port())))) {
      lab.names.set("origin.test", "127.0.0.3");
      send(lab, 10);
      lab.names.set("origin.test", "127.0.0.3", "127.0.0.4");
      send(lab, 110);
      assertEquals(10, servers.count(1), 1);
      assertEquals(10, share(lab, 1));

      pass(lab, 5);
      int before = servers.count(1);
      send(lab, 150);
      assertEquals(50, servers.count(1) - before, 1);

      pass(lab, 5);
      before = servers.count(1);
      send(lab, 100);
      assertEquals(50, servers.count(1) - before, 1);
      assertEquals(100, share(lab, 1));
    }
  }

  @Test
  void anAddressThatComesBackStartsSlowly() throws Exception {
    try (CountingServers servers = new CountingServers("127.0.0.3", "127.0.0.4");
        Lab lab = Lab.of(slow(named(servers.port())))) {
      lab.names.set("origin.test", "127.0.0.3", "127.0.0.4");
      send(lab, 10);
      lab.names.set("origin.test", "127.0.0.3");
      send(lab, 10);
      lab.names.set("origin.test", "127.0.0.3", "127.0.0.4");
      send(lab, 110);
      assertEquals(List.of(115, 15), roundedToFive(servers));
    }
  }

  @Test
  void allAddressesHaveTheirWeightAtTheStartOfTheNode() throws Exception {
    try (CountingServers servers = new CountingServers("127.0.0.3", "127.0.0.4");
        Lab lab = new Lab(2, false, slow(named(servers.port())))) {
      lab.names.set("origin.test", "127.0.0.3", "127.0.0.4");
      send(lab, 20);
      assertEquals(List.of(10, 10), servers.counts());
    }
  }

  @Test
  void aServerThatAReloadAddsStartsSlowly() throws Exception {
    try (CountingServers servers = new CountingServers(2);
        Lab lab = Lab.of(slow(group(servers.server(0))))) {
      send(lab, 10);
      OriginConfig both = slow(group(servers.all()));
      lab.reconfigure(both);
      send(lab, 110);
      assertEquals(10, servers.count(1), 1);
      // It goes on through a reload that changes something else.
      pass(lab, 5);
      lab.reconfigure(Lab.withMost(both, 7));
      int before = servers.count(1);
      send(lab, 150);
      assertEquals(50, servers.count(1) - before, 1);
    }
  }

  @Test
  void aServerThatRecoversFromAnEjectionStartsSlowly() throws Exception {
    AtomicInteger status = new AtomicInteger(503);
    AtomicInteger requests = new AtomicInteger();
    try (ScriptedOrigin patient = server(status, status, requests);
        CountingServers other = new CountingServers(1);
        Lab lab = Lab.of(slow(group(OriginServerConfig.of(patient.url()), other.server(0))))) {
      for (int i = 0; i < 20; i++) {
        lab.send(Lab.get("/")).awaitOver();
      }
      status.set(200);
      lab.clockAheadNanos.addAndGet(TimeUnit.SECONDS.toNanos(11));
      // One finds out.
      send(lab, 1);
      int before = requests.get();
      send(lab, 110);
      assertEquals(10, requests.get() - before, 1);
      pass(lab, 10);
      before = requests.get();
      send(lab, 100);
      assertEquals(50, requests.get() - before, 1);
    }
  }

  @Test
  void aServerThatPassesItsProbesAgainStartsSlowly() throws Exception {
    AtomicInteger health = new AtomicInteger(503);
    AtomicInteger requests = new AtomicInteger();
    try (ScriptedOrigin patient = server(new AtomicInteger(200), health, requests);
        CountingServers other = new CountingServers(1);
        Lab lab =
            Lab.of(
                Lab.withProbe(
                    slow(group(OriginServerConfig.of(patient.url()), other.server(0))),
                    ProbeDraft.http().config()))) {
      OriginProbes ignored = lab.probes();
      Await.until("it fails", () -> state(lab).equals("failing"));
      health.set(200);
      Await.until("it is used", () -> state(lab).equals("usable"));
      send(lab, 110);
      assertEquals(10, requests.get(), 1);
    }
  }

  @Test
  void withoutTheSettingAnAddressHasItsWeightAtOnce() throws Exception {
    try (CountingServers servers = new CountingServers("127.0.0.3", "127.0.0.4");
        Lab lab = Lab.of(named(servers.port()))) {
      lab.names.set("origin.test", "127.0.0.3");
      send(lab, 10);
      lab.names.set("origin.test", "127.0.0.3", "127.0.0.4");
      send(lab, 20);
      assertEquals(List.of(20, 10), servers.counts());
      assertEquals(100, share(lab, 1));
    }
  }

  /** A server with a status for requests and one for probes. */
  private static ScriptedOrigin server(
      AtomicInteger status, AtomicInteger health, AtomicInteger requests) {
    return ScriptedOrigin.start()
        .serve(connection -> {
          while (true) {
            boolean isProbe = connection.head().contains("user-agent: forebay-probe");
            if (!isProbe) {
              requests.incrementAndGet();
            }
            connection.send(
                "HTTP/1.1 " + (isProbe ? health : status) + " S\r\ncontent-length: 2\r\n\r\nok");
          }
        });
  }

  private static OriginConfig slow(OriginConfig config) {
    return Lab.withSlowStart(config, PERIOD);
  }

  private static OriginConfig group(OriginServerConfig... servers) {
    return Lab.withServers(Lab.origin("http://127.0.0.1:1"), servers);
  }

  private static OriginConfig named(int port) {
    return Lab.withLoopbackNames(Lab.origin("http://origin.test:" + port));
  }

  private static List<Integer> roundedToFive(CountingServers servers) {
    return servers.counts().stream().map(count -> (count + 2) / 5 * 5).toList();
  }

  private static String state(Lab lab) {
    return lab.status().servers().getFirst().endpoints().getFirst().state();
  }

  /** Percent of its weight that an address of the first server has. */
  private static int share(Lab lab, int index) {
    return lab.status().servers().getFirst().endpoints().get(index).weightShare();
  }

  private static void pass(Lab lab, int days) {
    lab.clockAheadNanos.addAndGet(TimeUnit.DAYS.toNanos(days));
  }

  /** Sends requests one after the other, on all loops in turn. */
  private static void send(Lab lab, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      lab.send(i % lab.counters.size(), Lab.get("/" + i)).body();
    }
  }
}
