package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Origins with several servers, and servers with several addresses. */
@Timeout(60)
@Tag("slow")
class OriginServersTest {

  @Test
  void requestsGoToTheServersInTurn() throws Exception {
    try (CountingServers servers = new CountingServers(4);
        Lab lab = new Lab(2, false, group(servers.all()))) {
      int requests = 400;
      for (int i = 0; i < requests; i++) {
        lab.send(i % 2, Lab.get("/" + i)).body();
      }
      int share = requests / 4;
      for (int count : servers.counts()) {
        assertTrue(Math.abs(count - share) <= share * 3 / 100, servers.counts()::toString);
      }
    }
  }

  @Test
  void aServerGetsAsManyRequestsAsItsWeightSays() throws Exception {
    try (CountingServers servers = new CountingServers(3);
        Lab lab = Lab.of(group(servers.server(0, 5), servers.server(1, 3), servers.server(2, 2)))) {
      sendOneByOne(lab, 100);
      assertEquals(List.of(50, 30, 20), servers.counts());
    }
  }

  @Test
  void aBackupGetsRequestsOnlyWhenNoOtherServerCanBeUsed() throws Exception {
    try (CountingServers servers = new CountingServers(3);
        Lab lab = Lab.of(group(servers.backup(0), servers.server(1), servers.server(2)))) {
      sendOneByOne(lab, 10);
      assertEquals(List.of(0, 5, 5), servers.counts());
      servers.stop(1);
      sendOneByOne(lab, 10);
      assertEquals(0, servers.count(0));
      servers.stop(2);
      sendOneByOne(lab, 10);
      assertEquals(10, servers.count(0));
    }
  }

  @Test
  void aRequestForAServerThatRefusesGoesToTheNext() throws Exception {
    try (CountingServers servers = new CountingServers(4);
        Lab lab = Lab.of(group(servers.all()))) {
      servers.stop(0);
      servers.stop(1);
      sendOneByOne(lab, 40);
      assertEquals(40, servers.count(2) + servers.count(3));
      assertEquals(0, lab.counters().originFailures);
    }
  }

  @Test
  void aGroupOfServersThatAllRefuseFailsWithTheLastReason() throws Exception {
    try (CountingServers servers = new CountingServers(2);
        Lab lab = Lab.of(group(servers.all()))) {
      servers.stop(0);
      servers.stop(1);
      String detail = lab.send(Lab.get("/")).failure(Kind.CONNECT_REFUSED);
      assertTrue(detail.startsWith("origin main (" + servers.server(1).url() + ")"), detail);
      assertEquals(0, lab.connections.open("main"));
    }
  }

  @Test
  void everyAddressOfANameIsUsed() throws Exception {
    try (CountingServers servers = new CountingServers("127.0.0.3", "127.0.0.4", "127.0.0.5");
        Lab lab = Lab.of(named(servers.port()))) {
      lab.names.set("origin.test", "127.0.0.3", "127.0.0.4", "127.0.0.5");
      sendOneByOne(lab, 30);
      assertEquals(List.of(10, 10, 10), servers.counts());
    }
  }

  @Test
  void anAddressThatTheFilterRefusesGetsNothing() throws Exception {
    try (CountingServers servers = new CountingServers("127.0.0.3", "127.0.0.4");
        Lab lab = Lab.of(named(servers.port()))) {
      lab.names.set("origin.test", "169.254.169.254", "127.0.0.3", "127.0.0.4");
      sendOneByOne(lab, 20);
      assertEquals(List.of(10, 10), servers.counts());
      assertEquals(2, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void anAddressThatIsAddedToANameGetsItsShare() throws Exception {
    try (CountingServers servers = new CountingServers("127.0.0.3", "127.0.0.4");
        Lab lab = Lab.of(named(servers.port()))) {
      lab.names.set("origin.test", "127.0.0.3");
      sendOneByOne(lab, 10);
      lab.names.set("origin.test", "127.0.0.4", "127.0.0.3");
      sendOneByOne(lab, 20);
      assertEquals(List.of(20, 10), servers.counts());
      assertEquals(2, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void anAddressThatLeavesANameFinishesItsCallsAndGetsNoMore() throws Exception {
    try (ScriptedOrigin leaving = ScriptedOrigin.start("127.0.0.3", null);
        ScriptedOrigin staying = ScriptedOrigin.startAt("127.0.0.4", leaving.port());
        Lab lab = Lab.of(named(leaving.port()))) {
      lab.names.set("origin.test", "127.0.0.3");
      Recorder first = lab.send(Lab.get("/idle"));
      Recorder second = lab.send(Lab.get("/under-way"));
      Connection idle = leaving.accept();
      Connection underWay = leaving.accept();
      idle.head();
      underWay.head();
      idle.respond("one");
      first.body();
      lab.awaitOnLoop(0, "an idle connection", () -> lab.client(0).idleCount("main") == 1);

      lab.names.set("origin.test", "127.0.0.4");
      Recorder third = lab.send(Lab.get("/after"));
      Connection fresh = staying.accept();
      assertTrue(fresh.head().startsWith("GET /after "));
      fresh.respond("three");
      assertEquals("three", third.body());
      idle.awaitClose();

      underWay.respond("two");
      assertEquals("two", second.body());
      underWay.awaitClose();
      lab.awaitOnLoop(0, "one is left", () -> lab.connections.open("main") == 1);
    }
  }

  @Test
  void aServerWhoseNameDoesNotResolveIsLeftOut() throws Exception {
    try (CountingServers servers = new CountingServers(1);
        Lab lab = Lab.of(group(OriginServerConfig.of("http://gone.test:1"), servers.server(0)))) {
      lab.names.fail("gone.test", "no such name");
      sendOneByOne(lab, 10);
      assertEquals(10, servers.count(0));
    }
  }

  @Test
  void aBackupIsNotUsedWhileTheNameOfAnotherServerIsLookedUp() throws Exception {
    try (CountingServers servers = new CountingServers("127.0.0.3", "127.0.0.4");
        Lab lab =
            Lab.of(
                Lab.withLoopbackNames(
                    group(
                        OriginServerConfig.of("http://origin.test:" + servers.port()),
                        servers.backup(1))))) {
      List<Runnable> answers = new ArrayList<>();
      lab.names.holdBack(answers::add);
      Recorder response = lab.send(Lab.get("/"));
      assertEquals(1, answers.size());
      lab.onLoop(
          0,
          () -> {
            lab.names.holdBack(Runnable::run);
            lab.names.set("origin.test", "127.0.0.3");
            return lab.client(0).send("main", Lab.get("/2"), new Recorder());
          });
      lab.awaitOnLoop(0, "the second is served", () -> servers.count(0) == 1);
      lab.onLoop(
          0,
          () -> {
            answers.forEach(Runnable::run);
            return null;
          });
      response.body();
      assertEquals(List.of(2, 0), servers.counts());
    }
  }

  // The limit of connections.

  @Test
  void theLimitOfConnectionsHoldsOverAllServersAndLoops() throws Exception {
    int most = 3;
    try (CountingServers servers = new CountingServers(4);
        Lab lab = new Lab(3, false, Lab.withMost(group(servers.all()), most))) {
      Recorder[] recorders = new Recorder[300];
      for (int i = 0; i < recorders.length; i++) {
        recorders[i] = lab.send(i % 3, Lab.get("/" + i));
        assertTrue(lab.connections.open("main") <= most);
      }
      for (Recorder recorder : recorders) {
        recorder.body();
        assertTrue(lab.connections.open("main") <= most);
      }
      assertEquals(300, servers.counts().stream().mapToInt(Integer::intValue).sum());
    }
  }

  @Test
  void aConnectionThatBecomesFreeServesACallThatWaitsForAnotherServer() throws Exception {
    try (ScriptedOrigin first = ScriptedOrigin.start();
        ScriptedOrigin second = ScriptedOrigin.start();
        Lab lab =
            Lab.of(
                Lab.withMost(
                    group(OriginServerConfig.of(first.url()), OriginServerConfig.of(second.url())),
                    2))) {
      Recorder one = lab.send(Lab.get("/1"));
      Recorder two = lab.send(Lab.get("/2"));
      Connection atFirst = first.accept();
      Connection atSecond = second.accept();
      atFirst.head();
      atSecond.head();
      // The turn is the first server's, whose connection stays busy.
      Recorder three = lab.send(Lab.get("/3"));
      atSecond.respond("two");
      assertEquals("two", two.body());
      assertTrue(atSecond.head().startsWith("GET /3 "));
      atSecond.respond("three");
      assertEquals("three", three.body());
      atFirst.respond("one");
      assertEquals("one", one.body());
      assertEquals(2, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void atTheLimitAServerWithTooFewConnectionsGetsThePermitOfAnother() throws Exception {
    try (CountingServers servers = new CountingServers("127.0.0.3", "127.0.0.4");
        Lab lab = Lab.of(Lab.withMost(named(servers.port()), 4))) {
      lab.names.set("origin.test", "127.0.0.3");
      sendUntilOpen(lab, 4);
      lab.names.set("origin.test", "127.0.0.3", "127.0.0.4");
      sendTogether(lab, 400);
      assertTrue(servers.count(1) > 100, servers.counts()::toString);
      assertEquals(2, servers.accepted(1));
    }
  }

  @Test
  void atTheLimitAnIdleConnectionToAnotherServerIsClosedForTheChosenOne() throws Exception {
    try (CountingServers servers = new CountingServers("127.0.0.3", "127.0.0.4");
        Lab lab = Lab.of(Lab.withMost(named(servers.port()), 2))) {
      lab.names.set("origin.test", "127.0.0.3");
      sendUntilOpen(lab, 2);
      lab.awaitOnLoop(0, "two idle", () -> lab.client(0).idleCount("main") == 2);
      lab.names.set("origin.test", "127.0.0.3", "127.0.0.4");
      sendOneByOne(lab, 10);
      assertEquals(5, servers.count(1));
      assertEquals(3, lab.counters().originConnectionsOpened);
    }
  }

  private static OriginConfig group(OriginServerConfig... servers) {
    return Lab.withServers(Lab.origin("http://127.0.0.1:1"), servers);
  }

  private static OriginConfig named(int port) {
    return Lab.withLoopbackNames(Lab.origin("http://origin.test:" + port));
  }

  /** Each request when the one before has been answered and its connection is idle again. */
  private static void sendOneByOne(Lab lab, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      lab.send(Lab.get("/" + i)).body();
      lab.awaitOnLoop(
          0,
          "all idle",
          () -> lab.client(0).idleCount("main") == lab.counters().originConnectionsOpen);
    }
  }

  /** A request may be answered before the next one is sent: then both use one connection. */
  private static void sendUntilOpen(Lab lab, int connections) throws Exception {
    for (int n = 0; n < 1_000 && lab.counters().originConnectionsOpened < connections; n++) {
      sendTogether(lab, 10 * connections);
    }
    assertEquals(connections, lab.counters().originConnectionsOpened);
  }

  private static void sendTogether(Lab lab, int count) throws Exception {
    List<Recorder> recorders = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      recorders.add(lab.send(Lab.get("/" + i)));
    }
    for (Recorder recorder : recorders) {
      recorder.body();
    }
  }
}
