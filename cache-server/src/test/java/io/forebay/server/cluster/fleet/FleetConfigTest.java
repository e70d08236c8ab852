package io.forebay.server.cluster.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.fleet.FleetFixture.Node;
import io.forebay.server.cluster.member.Membership;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that are stepped by hand, with Debian's etcd between them. */
@Tag("full")
final class FleetConfigTest {
  @TempDir Path directory;
  private FleetFixture fleet;

  @BeforeEach
  void start() throws Exception {
    fleet = new FleetFixture(directory);
  }

  @AfterEach
  void stop() {
    fleet.close();
  }

  @Test
  void nodesKeepWhatTheyHaveWhereADocumentIsPushedInStagesAfterEtcdWasEmptied() throws Exception {
    Node a = fleet.node("a");
    Node b = fleet.node("b");
    fleet.step(a, b);
    assertEquals(1, a.push("one", "all"));
    fleet.step(a, b);
    fleet.deleteAll("/forebay/test/config/");
    fleet.step(a, b);
    assertEquals("one", b.inForce);

    assertEquals(2, a.push("two", "a@1h", "all"));
    fleet.step(a, b);

    assertEquals("two", a.inForce);
    assertEquals("one", b.inForce, "it is in no stage yet");
    assertEquals(1, a.rollout().version());
    var ignored = b.config.rollback(-1, "ops");
    fleet.step(a, b);
    assertEquals("one", a.inForce);
  }

  @Test
  void aNodeWithoutADocumentRefusesAPushWhereAnotherHasOneThatEtcdHasLost() throws Exception {
    Node a = fleet.nodeWithOne("a");
    fleet.deleteAll("/forebay/test/config/");
    Node b = fleet.node("b");
    fleet.step(a, b);

    FleetException refused = assertThrows(FleetException.class, () -> b.push("two", "b@1h"));

    assertEquals(FleetException.Kind.CONFLICT, refused.kind());
    assertTrue(String.valueOf(refused.getMessage()).contains("a still has version 1"));
    assertEquals("one", a.inForce);
  }

  @Test
  void aVersionThatHasTheNumberOfAnotherOneIsTaken() throws Exception {
    Node away = fleet.node("away");
    Node b = fleet.node("b");
    fleet.step(away, b);
    assertEquals(1, b.push("one", "all"));
    fleet.step(away, b);
    assertEquals("one", away.inForce);
    // It is cut off while etcd is emptied, and the number is given out again.
    fleet.deleteAll("/forebay/test/");
    Node c = fleet.node("c");
    fleet.step(c);
    assertEquals(1, c.push("another", "all"));
    fleet.step(c);

    fleet.step(away, c);

    assertEquals("another", away.inForce);
    assertEquals(
        "another",
        new String(loaded("away").document().files().getFirst().content(), StandardCharsets.UTF_8));
  }

  private LastGoodDocument.Stored loaded(String node) {
    LastGoodDocument.Stored stored =
        new LastGoodDocument(directory.resolve(node).resolve("fleet"), "test").load();
    return Objects.requireNonNull(stored);
  }

  @Test
  void aDocumentThatNoNodeCanReadGoesBack() throws Exception {
    Node a = fleet.nodeWithOne("a");
    assertEquals(2, a.push("two", "all@1h"));
    fleet.deleteAll("/forebay/test/config/part/");

    fleet.step(a);

    assertEquals(2, a.rollout().failed());
    assertTrue(a.rollout().reason().contains("is missing"), a.rollout().reason());
    assertEquals("one", a.inForce);
  }

  @Test
  void aNodeWhereADocumentFailsPutsTheOneBeforeInForceAgain() throws Exception {
    Node a = fleet.nodeWithOne("a");
    assertEquals(2, a.push("two", "all@1h"));
    a.doesThrow = true;
    a.step();
    a.doesThrow = false;
    assertEquals("two", a.inForce);

    fleet.step(a);

    assertEquals(2, a.rollout().failed());
    assertEquals("one", a.inForce);
  }

  @Test
  void whatTwoOperatorsRollBackGoesBackOnce() throws Exception {
    Node a = fleet.node("a");
    fleet.step(a);
    for (String text : List.of("one", "two", "three")) {
      assertNotEquals(0, a.push(text, "all"));
      fleet.step(a);
    }
    assertEquals(2, a.config.rollback(-1, "ops").version());
    FleetException again = assertThrows(FleetException.class, () -> a.config.rollback(-1, "dev"));
    assertEquals(FleetException.Kind.CONFLICT, again.kind());
    assertEquals(2, a.rollout().version(), "not forward to the version that was left");
    // Nor further back than from a roll-out that went back by itself.
    fleet.step(a);
    assertEquals(4, a.push("wrong", "all@1h"));
    fleet.step(a);
    assertEquals(4, a.rollout().failed());
    assertThrows(FleetException.class, () -> a.config.rollback(-1, "ops"));
    assertEquals(1, a.config.rollback(1, "ops").version());
  }

  @Test
  void whatTwoOperatorsPromoteOneAfterTheOtherEndsOneStage() throws Exception {
    Node a = fleet.node("a");
    Node b = fleet.node("b");
    fleet.step(a, b);
    assertEquals(1, a.push("one", "a@1h", "b@1h", "all@1h"));
    fleet.step(a, b);
    assertEquals(1, a.config.promote(-1, "ops").stage());

    String again = refused(() -> b.config.promote(-1, "dev"));
    String late = refused(() -> b.config.promote(0, "dev"));

    assertTrue(
        again.startsWith("version 1 is being rolled out, in stage 2 of 3, promoted by ops at "),
        again);
    assertTrue(late.startsWith("stage 1 is not the present one: version 1 is being"), late);
    assertEquals(1, a.rollout().stage());
    assertEquals(2, b.config.promote(1, "dev").stage(), "who names the stage has seen it");
    assertEquals(0, b.config.promote(2, "dev").candidate());
    String over = refused(() -> a.config.promote(2, "ops"));
    assertTrue(over.contains("version 1 is in force, promoted by dev at "), over);
  }

  @Test
  void whatTwoOperatorsPromoteAtOnceEndsOneStage() throws Exception {
    Node a = fleet.node("a");
    Node b = fleet.node("b");
    fleet.step(a, b);
    for (int stage : List.of(-1, 0, -1, 0, -1, 0)) {
      long version = a.push("round", "a@1h", "b@1h", "all@1h");
      CyclicBarrier together = new CyclicBarrier(2);
      List<Future<Boolean>> orders = new ArrayList<>();
      try (ExecutorService people = Executors.newVirtualThreadPerTaskExecutor()) {
        for (Node node : List.of(a, b)) {
          orders.add(
              people.submit(() -> {
                int ignored = together.await();
                return isDone(() -> node.config.promote(stage, "ops"));
              }));
        }
      }
      assertNotEquals(orders.get(0).get(), orders.get(1).get(), "one of them is refused");
      assertEquals(version, a.rollout().candidate());
      assertEquals(1, a.rollout().stage());
      var ignored = a.config.rollback(-1, "ops");
    }
  }

  private static boolean isDone(Callable<Rollout> order) throws Exception {
    try {
      var ignored = order.call();
      return true;
    } catch (FleetException e) {
      assertEquals(FleetException.Kind.CONFLICT, e.kind(), String.valueOf(e.getMessage()));
      return false;
    }
  }

  private static String refused(Executable order) {
    FleetException refused = assertThrows(FleetException.class, order);
    assertEquals(FleetException.Kind.CONFLICT, refused.kind());
    return String.valueOf(refused.getMessage());
  }

  @Test
  void aStageThatHasBakedIsPromotedWithoutItsNumber() throws Exception {
    Node a = fleet.node("a");
    fleet.step(a);
    assertEquals(1, a.push("one", "a", "a@1h", "all@1h"));
    fleet.step(a);
    assertEquals(1, a.rollout().stage());
    assertEquals(2, a.config.promote(-1, "ops").stage());
  }

  @Test
  void whatIsRefusedOrOnlyCheckedLeavesNothingInEtcd() throws Exception {
    Node a = fleet.node("a");
    fleet.step(a);
    assertEquals(0, a.push("checked", true));
    assertThrows(FleetException.class, () -> a.push("refused"));
    assertEquals(0, fleet.count("/forebay/test/config/"));
    assertEquals(1, a.push("one", "all"));
    assertEquals(2, fleet.count("/forebay/test/config/part/"));
    assertThrows(FleetException.class, () -> a.push("two", "group:nobody"));
  }

  @Test
  void theTimeThatEtcdIsAwayIsNoBakeTime() throws Exception {
    Node a = fleet.node("a");
    fleet.step(a);
    assertEquals(1, a.push("one", "all@10m"));
    fleet.step(a);
    assertEquals("one", a.inForce);

    // What it knows is as old as that: nobody has seen the nodes meanwhile.
    fleet.later(Duration.ofMinutes(20));
    a.config.agent().step();

    assertEquals(1, a.rollout().candidate());
  }

  @Test
  void aWrongClockCostsOneTicketKeyAndNotOneASecond() throws Exception {
    Node right = fleet.node("right");
    Node wrong = fleet.node("wrong", Duration.ofDays(2));
    fleet.step(right, wrong);
    fleet.step(right, wrong);
    long revision = ticketRevision();
    fleet.step(right, wrong);
    assertEquals(revision, ticketRevision());
    assertEquals(2, right.ticketKeys.size());

    fleet.later(Duration.ofHours(9));
    fleet.step(right, wrong);

    assertNotEquals(revision, ticketRevision(), "they are replaced when they are due");
    assertEquals(3, right.ticketKeys.size());
  }

  private long ticketRevision() throws Exception {
    return fleet
        .client()
        .txn(new Txn().get(FleetFixture.KEYS.tickets()))
        .read(0)
        .findFirst()
        .orElseThrow()
        .revision();
  }

  @Test
  void answersToValidationsReachTheOtherNodesUntilTheyAreOver() throws Exception {
    Node a = fleet.node("a");
    Node b = fleet.node("b");
    FleetTls.Challenges expected =
        new FleetTls.Challenges(Map.of("t", "t.k"), Map.of("www.example", "aGFzaA=="));
    a.expected = expected;
    fleet.step(a, b);
    assertEquals(expected, b.answered);
    assertEquals(FleetTls.Challenges.NONE, a.answered, "its own are none of others");
    a.expected = FleetTls.Challenges.NONE;
    fleet.step(a, b);
    assertEquals(FleetTls.Challenges.NONE, b.answered);
    assertEquals(0, fleet.count(FleetFixture.KEYS.challenges()));
  }

  @Test
  void aNodeThatIsForgottenAnswersNoValidationsAnyMore() throws Exception {
    Node a = fleet.node("a");
    fleet.step(a);
    var ignored =
        fleet
            .client()
            .txn(
                new Txn()
                    .put(FleetFixture.KEYS.member("gone"), "{}")
                    .put(
                        FleetFixture.KEYS.challenges("gone"),
                        "{\"v\":1,\"answers\":{\"t\":\"t.k\"}}"));
    assertEquals(Membership.Forgotten.DONE, a.membership.forget("gone"));
    assertEquals(0, fleet.count(FleetFixture.KEYS.challenges()));
  }

  @Test
  void theLastGoodDocumentOfAnotherClusterIsIgnored() throws Exception {
    new LastGoodDocument(directory, "staging").save(7, FleetFixture.document("a"));
    assertNull(new LastGoodDocument(directory, "production").load());
    assertEquals(
        7, Objects.requireNonNull(new LastGoodDocument(directory, "staging").load()).version());
  }
}
