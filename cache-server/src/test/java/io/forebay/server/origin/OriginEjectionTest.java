package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.config.ServerConfig.SlowConfig;
import io.forebay.server.http.RequestBody;
import io.forebay.testing.ScriptedOrigin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that fail get no requests for some time. */
@Timeout(60)
@Tag("slow")
class OriginEjectionTest {

  /** A server that a test can make fail. */
  private static final class Patient implements AutoCloseable {
    final AtomicInteger requests = new AtomicInteger();
    final ScriptedOrigin server = ScriptedOrigin.start();

    /** Status of its responses; 0 for a reset. */
    volatile int status = 200;

    volatile int delayMillis;

    Patient() {
      server.serve(connection -> {
        while (true) {
          connection.head();
          requests.incrementAndGet();
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(delayMillis));
          if (status == 0) {
            connection.reset();
            return;
          }
          connection.send("HTTP/1.1 " + status + " S\r\ncontent-length: 2\r\n\r\nok");
        }
      });
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
  void aServerIsEjectedAfterFailuresInARow() throws Exception {
    try (Lab lab = Lab.of(group(4))) {
      patients.getFirst().status = 0;
      send(lab, 40);
      assertEquals(5, patients.getFirst().requests.get());
      assertTrue(
          lab.log.stream()
              .anyMatch(line ->
                  line.startsWith("origin main (" + patients.getFirst().server.url() + "): ")
                      && line.contains(
                          " gets no requests for 10000 ms: 5 failures in a row; the latest: ")),
          lab.log::toString);
    }
  }

  @Test
  void aServerIsEjectedAfterGatewayErrorsInARow() throws Exception {
    try (Lab lab = Lab.of(group(4))) {
      patients.getFirst().status = 502;
      send(lab, 40);
      assertEquals(5, patients.getFirst().requests.get());
    }
  }

  @Test
  void aServerThatAnswersNowAndThenIsNotEjected() throws Exception {
    try (Lab lab = Lab.of(group(2))) {
      for (int i = 0; i < 5; i++) {
        patients.getFirst().status = 503;
        send(lab, 8);
        patients.getFirst().status = 404;
        send(lab, 2);
      }
      assertEquals(25, patients.getFirst().requests.get());
    }
  }

  @Test
  void errorsOfOneResourceAreNoGatewayErrors() throws Exception {
    try (Lab lab = Lab.of(group(2))) {
      patients.getFirst().status = 500;
      send(lab, 40);
      assertEquals(20, patients.getFirst().requests.get());
    }
  }

  @Test
  void oneRequestFindsOutWhetherAnEjectedServerAnswersAgain() throws Exception {
    try (Lab lab = Lab.of(group(2))) {
      Patient patient = patients.getFirst();
      patient.status = 503;
      send(lab, 20);
      assertEquals(5, patient.requests.get());

      pass(lab, 11);
      send(lab, 20);
      assertEquals(6, patient.requests.get(), "one request, which failed");

      pass(lab, 11);
      send(lab, 20);
      assertEquals(6, patient.requests.get(), "the second ejection lasts twice as long");

      pass(lab, 10);
      patient.status = 200;
      send(lab, 20);
      assertTrue(patient.requests.get() >= 15, "used again: " + patient.requests);
      assertTrue(
          lab.log.stream().anyMatch(line -> line.endsWith(" answers again and is used")),
          lab.log::toString);
    }
  }

  @Test
  void theOneRequestIsSentToAnotherServerIfItFails() throws Exception {
    try (Lab lab = Lab.of(group(2))) {
      Patient patient = patients.getFirst();
      patient.status = 0;
      send(lab, 20);
      pass(lab, 11);
      long failures = lab.counters().originFailures;
      send(lab, 20);
      assertEquals(6, patient.requests.get());
      assertEquals(failures, lab.counters().originFailures);
    }
  }

  @Test
  void aRequestThatCannotBeRepeatedIsNotTheFirstToFindOut() throws Exception {
    try (Lab lab = Lab.of(group(2))) {
      Patient patient = patients.getFirst();
      patient.status = 503;
      send(lab, 20);
      pass(lab, 11);
      for (int i = 0; i < 4; i++) {
        lab.send(Lab.request("POST", "/", RequestBody.NONE)).awaitOver();
      }
      assertEquals(5, patient.requests.get());
      pass(lab, 10);
      lab.send(Lab.request("POST", "/", RequestBody.NONE)).awaitOver();
      assertEquals(6, patient.requests.get());
    }
  }

  @Tag("full")
  @Test
  void aServerThatIsMuchSlowerThanTheOthersIsEjected() throws Exception {
    OriginConfig config =
        Lab.withSlow(group(3), new SlowConfig(3, Duration.ofSeconds(30), Duration.ofMillis(50)));
    try (Lab lab = Lab.of(config)) {
      patients.getFirst().delayMillis = 200;
      int windows = 0;
      while (!lab.status().servers().getFirst().endpoints().getFirst().state().equals("ejected")) {
        send(lab, 33);
        pass(lab, 10);
        windows++;
        assertTrue(windows < 20, lab.log::toString);
      }
      assertTrue(windows >= 3, "windows " + windows);
      assertTrue(lab.log.getFirst().contains(": latency of "), lab.log::toString);
    }
  }

  @Test
  void noMoreThanTheSetShareIsEjected() throws Exception {
    try (Lab lab = Lab.of(group(4))) {
      patients.forEach(patient -> patient.status = 503);
      send(lab, 80);
      long ejected =
          lab.status().servers().stream()
              .filter(server -> server.endpoints().getFirst().state().equals("ejected"))
              .count();
      assertEquals(2, ejected);
    }
  }

  @Test
  void belowThePanicThresholdAllServersAreUsed() throws Exception {
    try (Lab lab = Lab.of(Lab.withEjection(group(4), 5, 100, 50))) {
      patients.forEach(patient -> patient.status = 503);
      send(lab, 200);
      for (Patient patient : patients) {
        assertTrue(patient.requests.get() > 20, "requests " + patient.requests);
      }
    }
  }

  @Test
  void theLastServerIsNeverEjectedFromUse() throws Exception {
    try (Lab lab = Lab.of(Lab.withEjection(group(1), 5, 100, 0))) {
      patients.getFirst().status = 503;
      send(lab, 20);
      assertEquals(20, patients.getFirst().requests.get());
    }
  }

  @Test
  void aRequestThatAllOthersFailedGoesToAnEjectedServer() throws Exception {
    try (Lab lab = Lab.of(Lab.withRetries(Lab.withEjection(group(2), 2, 50, 0), 3, 100))) {
      patients.getFirst().status = 0;
      send(lab, 8);
      assertEquals(2, patients.getFirst().requests.get(), "it is ejected");
      patients.getFirst().status = 200;
      patients.get(1).status = 0;
      send(lab, 1);
      assertEquals(3, patients.getFirst().requests.get());
      assertEquals(200, lab.send(Lab.get("/")).awaitOver().status);
    }
  }

  @Test
  void aBackupTakesOverFromAnEjectedServer() throws Exception {
    OriginConfig config = group(2);
    List<OriginServerConfig> servers = config.servers();
    OriginConfig withBackup =
        Lab.withServers(
            config, servers.get(0), new OriginServerConfig(servers.get(1).url(), 1, true, 0));
    try (Lab lab = Lab.of(withBackup)) {
      patients.getFirst().status = 503;
      send(lab, 20);
      assertEquals(5, patients.getFirst().requests.get());
      assertEquals(15, patients.getLast().requests.get());
      patients.getFirst().status = 200;
      pass(lab, 11);
      send(lab, 20);
      assertEquals(25, patients.getFirst().requests.get());
    }
  }

  @Test
  void theStateOfAServerSurvivesAReload() throws Exception {
    OriginConfig config = group(2);
    try (Lab lab = Lab.of(config)) {
      patients.getFirst().status = 503;
      send(lab, 20);
      assertEquals(5, patients.getFirst().requests.get());
      lab.reconfigure(Lab.withMost(config, 7));
      send(lab, 20);
      assertEquals(5, patients.getFirst().requests.get());
    }
  }

  @Test
  void anEjectionHoldsOnAllLoops() throws Exception {
    try (Lab lab = new Lab(2, false, group(2))) {
      patients.getFirst().status = 503;
      send(lab, 20);
      for (int i = 0; i < 20; i++) {
        lab.send(1, Lab.get("/" + i)).awaitOver();
      }
      assertEquals(5, patients.getFirst().requests.get());
    }
  }

  private OriginConfig group(int count) {
    OriginServerConfig[] servers = new OriginServerConfig[count];
    for (int i = 0; i < count; i++) {
      Patient patient = new Patient();
      patients.add(patient);
      servers[i] = OriginServerConfig.of(patient.server.url());
    }
    return Lab.withServers(Lab.origin("http://127.0.0.1:1"), servers);
  }

  private static void pass(Lab lab, int seconds) {
    lab.clockAheadNanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
  }

  private static void send(Lab lab, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      lab.send(Lab.get("/" + i)).awaitOver();
    }
  }
}
