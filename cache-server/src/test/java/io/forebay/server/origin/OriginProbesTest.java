package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ProbeConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.origin.drain.DrainOrder;
import io.forebay.server.origin.health.ProbeStatus;
import io.forebay.server.origin.probe.ProbeDraft;
import io.forebay.server.origin.probe.ServerProbes;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.ScriptedOrigin;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What follows from the probes of an origin's servers. */
@Timeout(60)
@Tag("slow")
class OriginProbesTest {
  @TempDir Path directory;

  /** A server that tells probes from requests. */
  private static final class Patient implements AutoCloseable {
    final AtomicInteger requests = new AtomicInteger();
    final AtomicInteger probes = new AtomicInteger();
    final ScriptedOrigin server;

    /** Answers to probes, and to requests. */
    volatile int health = 200;

    volatile int status = 200;

    Patient(ScriptedOrigin server) {
      this.server = server;
      server.serve(connection -> {
        while (true) {
          boolean isProbe = connection.head().contains("user-agent: forebay-probe");
          (isProbe ? probes : requests).incrementAndGet();
          connection.send(
              "HTTP/1.1 " + (isProbe ? health : status) + " S\r\ncontent-length: 2\r\n\r\nok");
        }
      });
    }

    OriginServerConfig config() {
      return OriginServerConfig.of(server.url());
    }

    @Override
    public void close() throws Exception {
      server.close();
    }
  }

  private final List<Patient> patients = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (Patient patient : patients) {
      patient.close();
    }
  }

  @Test
  void anAddressThatFailsItsProbesGetsNoRequestsUntilItPasses() throws Exception {
    try (Lab lab = new Lab(2, false, group(2, ProbeDraft.http().thresholds(2, 3)))) {
      OriginProbes probes = lab.probes();
      Await.until("both pass", () -> passing(probes) == 2);
      send(lab, 4);
      assertEquals(List.of(2, 2), requests());

      first().health = 503;
      Await.until("one fails", () -> state(lab, 0).equals("failing"));
      OriginStatus.Endpoint endpoint = endpoint(lab, 0);
      assertEquals("status 503", endpoint.why());
      send(lab, 10);
      assertEquals(List.of(2, 12), requests());
      assertTrue(
          lab.log.contains(
              "origin main ("
                  + first().server.url()
                  + "): 127.0.0.1:"
                  + first().server.port()
                  + " is avoided: 3 probes in a row failed; the latest: status 503"),
          lab.log::toString);

      first().health = 200;
      Await.until("it passes", () -> state(lab, 0).equals("usable"));
      ProbeStatus found = endpoint(lab, 0).probe();
      assertNotNull(found);
      assertEquals("status 503", found.lastFailure());
      send(lab, 4);
      assertEquals(List.of(4, 14), requests());
    }
  }

  @Test
  void probesAreCountedByServer() throws Exception {
    try (Lab lab = Lab.of(group(2, ProbeDraft.http()))) {
      first().health = 500;
      OriginProbes probes = lab.probes();
      Await.until(
          "some have ended",
          () ->
              probes.servers().size() == 2
                  && probes.servers().stream().allMatch(one -> one.probes() > 3));
      for (ServerProbes one : probes.servers()) {
        boolean isFirst = one.server().equals(first().server.url());
        assertEquals("main", one.origin());
        assertEquals(isFirst ? 0 : 1, one.passing());
        assertEquals(isFirst ? 1 : 0, one.failing());
        assertEquals(isFirst, one.failures() > 0);
      }
    }
  }

  @Test
  void anAddressThatFailsItsProbesIsNotAskedWhetherItAnswersAgain() throws Exception {
    try (Lab lab = Lab.of(group(2, ProbeDraft.http()))) {
      first().status = 503;
      send(lab, 20);
      assertEquals("ejected", state(lab, 0));
      first().health = 503;
      OriginProbes ignored = lab.probes();
      Await.until("it fails", () -> state(lab, 0).equals("failing"));
      int before = first().requests.get();
      lab.clockAheadNanos.addAndGet(TimeUnit.MINUTES.toNanos(10));
      send(lab, 20);
      assertEquals(before, first().requests.get());
    }
  }

  @Test
  void probesThatPassAgainEndAnEjection() throws Exception {
    try (Lab lab = Lab.of(group(2, ProbeDraft.http()))) {
      first().status = 503;
      send(lab, 20);
      first().health = 503;
      OriginProbes ignored = lab.probes();
      Await.until("it fails", () -> state(lab, 0).equals("failing"));
      first().status = 200;
      first().health = 200;
      Await.until("it is used", () -> state(lab, 0).equals("usable"));
      int before = first().requests.get();
      send(lab, 20);
      assertEquals(before + 10, first().requests.get());
    }
  }

  @Test
  void probesThatPassAllTheTimeDoNotEndAnEjection() throws Exception {
    try (Lab lab = Lab.of(group(2, ProbeDraft.http()))) {
      OriginProbes probes = lab.probes();
      Await.until("both pass", () -> passing(probes) == 2);
      first().status = 503;
      send(lab, 20);
      int seen = first().probes.get();
      Await.until("more probes pass", () -> first().probes.get() > seen + 3);
      assertEquals("ejected", state(lab, 0));
    }
  }

  @Test
  void belowThePanicThresholdAddressesThatFailAreUsed() throws Exception {
    try (Lab lab = Lab.of(group(3, ProbeDraft.http()))) {
      OriginProbes probes = lab.probes();
      patients.get(0).health = 500;
      patients.get(1).health = 500;
      Await.until("two fail", () -> failing(probes) == 2);
      send(lab, 30);
      assertEquals(List.of(10, 10, 10), requests());
    }
  }

  @Test
  void theOnlyAddressIsUsedAlsoIfItFails() throws Exception {
    try (Lab lab = Lab.of(group(1, ProbeDraft.http()))) {
      OriginProbes probes = lab.probes();
      first().health = 500;
      Await.until("it fails", () -> failing(probes) == 1);
      send(lab, 3);
      assertEquals(3, first().requests.get());
    }
  }

  @Test
  void aBackupTakesOverFromServersThatFail() throws Exception {
    patients.add(new Patient(ScriptedOrigin.start()));
    patients.add(new Patient(ScriptedOrigin.start()));
    OriginConfig config =
        Lab.withServers(
            Lab.origin("http://127.0.0.1:1"),
            first().config(),
            new OriginServerConfig(patients.get(1).server.url(), 1, true, 0));
    try (Lab lab = Lab.of(Lab.withProbe(config, ProbeDraft.http().config()))) {
      OriginProbes probes = lab.probes();
      first().health = 500;
      Await.until("it fails", () -> failing(probes) == 1);
      send(lab, 5);
      assertEquals(List.of(0, 5), requests());
    }
  }

  @Test
  void theServerIsFoundDeadByConnectionsAlone() throws Exception {
    try (Lab lab = Lab.of(group(2, ProbeDraft.tcp()))) {
      OriginProbes probes = lab.probes();
      Await.until("both pass", () -> passing(probes) == 2);
      first().close();
      Await.until("it fails", () -> state(lab, 0).equals("failing"));
      String why = endpoint(lab, 0).why();
      assertNotNull(why);
      assertTrue(why.startsWith("cannot connect: "), why);
      assertEquals(0, patients.get(1).probes.get());
    }
  }

  @Test
  void anotherPortIsProbedWhereItIsConfigured() throws Exception {
    Patient health = new Patient(ScriptedOrigin.start());
    patients.add(health);
    Patient server = new Patient(ScriptedOrigin.start());
    patients.add(server);
    OriginConfig config =
        Lab.withProbe(
            Lab.origin(server.server.url()), ProbeDraft.http().port(health.server.port()).config());
    try (Lab lab = Lab.of(config)) {
      OriginProbes probes = lab.probes();
      Await.until("it passes", () -> passing(probes) == 1);
      assertEquals(0, server.probes.get());
    }
  }

  // Names.

  @Test
  void addressesThatComeAreProbedAndThoseThatGoAreNot() throws Exception {
    Patient one = new Patient(ScriptedOrigin.start("127.0.0.3", null));
    patients.add(one);
    Patient two = new Patient(ScriptedOrigin.startAt("127.0.0.4", one.server.port()));
    patients.add(two);
    try (Lab lab = Lab.of(named(one, ProbeDraft.http()))) {
      OriginProbes probes = lab.probes();
      assertEquals(List.of(), probes.servers());
      lab.names.set("origin.test", "127.0.0.3", "169.254.169.254");
      Await.until("the first is probed", () -> passing(probes) == 1);
      two.health = 503;
      lab.names.set("origin.test", "127.0.0.4");
      Await.until("the second is probed", () -> failing(probes) == 1 && passing(probes) == 0);
      int before = one.probes.get();
      int now = two.probes.get();
      Await.until("some more", () -> two.probes.get() > now + 5);
      assertTrue(one.probes.get() <= before + 1, "probed after it left");
      assertEquals(0, probes.servers().getFirst().passing());
    }
  }

  @Test
  void aNewAddressGetsNoRequestBeforeItsFirstSuccessWhereThatIsConfigured() throws Exception {
    Patient one = new Patient(ScriptedOrigin.start("127.0.0.3", null));
    patients.add(one);
    Patient two = new Patient(ScriptedOrigin.startAt("127.0.0.4", one.server.port()));
    patients.add(two);
    try (Lab lab =
        Lab.of(named(one, ProbeDraft.http().thresholds(1, 1_000_000).unusableAtFirst()))) {
      OriginProbes probes = lab.probes();
      lab.names.set("origin.test", "127.0.0.3");
      Await.until("the first passes", () -> passing(probes) == 1);
      two.health = 503;
      lab.names.set("origin.test", "127.0.0.3", "127.0.0.4");
      send(lab, 10);
      assertEquals(List.of(10, 0), requests());
      Await.until("it is probed", () -> two.probes.get() > 1);
      assertEquals("untested", state(lab, 1));
      send(lab, 10);
      assertEquals(List.of(20, 0), requests());
      two.health = 200;
      Await.until("it passes", () -> passing(probes) == 2);
      send(lab, 10);
      assertEquals(List.of(25, 5), requests());
    }
  }

  @Test
  void probesUseTheTlsOfTheOrigin() throws Exception {
    Certificates certificates = Certificates.in(directory);
    try (ScriptedOrigin origin =
        ScriptedOrigin.startTls(
            Certificates.serverContext(certificates.ecdsa("good.test", "good.test")))) {
      origin.serve(connection -> {
        connection.head();
        connection.respond("ok");
      });
      OriginConfig config = Lab.withTrust(Lab.origin(origin.url()), certificates.authorityPem());
      ProbeDraft draft = ProbeDraft.http();
      try (Lab lab = Lab.of(Lab.withProbe(config, draft.config()))) {
        OriginProbes probes = lab.probes();
        Await.until("its name is refused", () -> failing(probes) == 1);
        lab.reconfigure(Lab.withProbe(config, draft.tlsName("good.test").config()));
        Await.until("its name is right", () -> passing(probes) == 1);
      }
    }
  }

  // Reloads.

  @Test
  void aVerdictSurvivesAReloadThatLeavesTheProbesAsTheyAre() throws Exception {
    // So long that no probe follows the first.
    ProbeDraft draft = ProbeDraft.http().intervalMillis(3_600_000);
    OriginConfig config = group(2, draft);
    first().health = 503;
    try (Lab lab = Lab.of(config)) {
      OriginProbes probes = lab.probes();
      Await.until("one fails", () -> failing(probes) == 1 && passing(probes) == 1);
      lab.reconfigure(Lab.withMost(config, 7));
      send(lab, 10);
      assertEquals(List.of(0, 10), requests());
      assertEquals("failing", state(lab, 0));
      assertEquals(1, first().probes.get());

      first().health = 200;
      lab.reconfigure(Lab.withProbe(config, draft.host("other.test").config()));
      Await.until("both pass", () -> passing(probes) == 2);
      assertEquals(2, first().probes.get());
    }
  }

  @Test
  void aReloadWithoutProbesEndsThem() throws Exception {
    OriginConfig config = group(2, ProbeDraft.http().unusableAtFirst());
    first().health = 503;
    try (Lab lab = Lab.of(config)) {
      OriginProbes probes = lab.probes();
      Await.until("one fails", () -> failing(probes) == 1 && passing(probes) == 1);
      lab.reconfigure(Lab.withProbe(config, ProbeConfig.NONE));
      Await.until("none is probed", () -> probes.servers().isEmpty());
      assertEquals("usable", state(lab, 0));
      send(lab, 10);
      assertEquals(List.of(5, 5), requests());
      lab.reconfigure(config);
      Await.until("it fails again", () -> failing(probes) == 1);
    }
  }

  @Test
  void aDrainedServerIsProbed() throws Exception {
    try (Lab lab = Lab.of(group(2, ProbeDraft.http()))) {
      OriginProbes probes = lab.probes();
      Await.until("both pass", () -> passing(probes) == 2);
      var ignored =
          lab.drains(directory).drain(new DrainOrder(first().server.url(), null, "", false));
      first().health = 503;
      Await.until("it fails", () -> failing(probes) == 1);
      assertEquals("drained", state(lab, 0));
      ProbeStatus found = endpoint(lab, 0).probe();
      assertNotNull(found);
      assertEquals(ProbeStatus.Verdict.FAILING, found.verdict());
    }
  }

  private Patient first() {
    return patients.getFirst();
  }

  private List<Integer> requests() {
    return patients.stream().map(patient -> patient.requests.get()).toList();
  }

  private OriginConfig group(int count, ProbeDraft draft) {
    OriginServerConfig[] servers = new OriginServerConfig[count];
    for (int i = 0; i < count; i++) {
      Patient patient = new Patient(ScriptedOrigin.start());
      patients.add(patient);
      servers[i] = patient.config();
    }
    return Lab.withProbe(
        Lab.withServers(Lab.origin("http://127.0.0.1:1"), servers), draft.config());
  }

  private static OriginConfig named(Patient patient, ProbeDraft draft) {
    return Lab.withProbe(
        Lab.withLoopbackNames(Lab.origin("http://origin.test:" + patient.server.port())),
        draft.config());
  }

  private static int passing(OriginProbes probes) {
    return probes.servers().stream().mapToInt(ServerProbes::passing).sum();
  }

  private static int failing(OriginProbes probes) {
    return probes.servers().stream().mapToInt(ServerProbes::failing).sum();
  }

  /** Of the addresses of all servers, in order. */
  private static OriginStatus.Endpoint endpoint(Lab lab, int index) {
    return lab.status().servers().stream()
        .flatMap(server -> server.endpoints().stream())
        .toList()
        .get(index);
  }

  private static String state(Lab lab, int index) {
    return endpoint(lab, index).state();
  }

  /** Sends requests one after the other, on all loops in turn. */
  private static void send(Lab lab, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      lab.send(i % lab.counters.size(), Lab.get("/" + i)).awaitOver();
    }
  }
}
