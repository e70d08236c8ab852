package io.forebay.server.cluster.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.fleet.FleetFixture.Node;
import io.forebay.server.cluster.fleet.FleetTls.Challenges;
import io.forebay.server.cluster.member.Membership;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a node may ask for a validation: nodes that are stepped by hand, with Debian's etcd. */
@Tag("full")
final class SharedChallengesTest {
  private static final Challenges FIRST = new Challenges(Map.of("t1", "t1.k"), Map.of());
  private static final Challenges BOTH =
      new Challenges(Map.of("t1", "t1.k", "t2", "t2.k"), Map.of());
  private static final Challenges HASH = new Challenges(Map.of(), Map.of("a.example", "aGFzaA=="));
  private static final Challenges OTHER_HASH =
      new Challenges(Map.of(), Map.of("a.example", "b3RoZXI="));

  @TempDir Path directory;
  private FleetFixture fleet;

  /** The node that orders, and one that may be asked in its place. */
  private Node a;

  private Node b;

  @BeforeEach
  void start() throws Exception {
    fleet = new FleetFixture(directory);
    a = fleet.node("a");
    b = fleet.node("b");
    fleet.step(a, b);
  }

  @AfterEach
  void stop() {
    fleet.close();
  }

  private static void assertConfirmed(Challenges expected, Node node) {
    assertEquals(expected, node.confirmed);
    assertEquals(List.of(), node.behind);
  }

  private static void assertAwaits(Node node, String... behind) {
    assertEquals(Challenges.NONE, node.confirmed);
    assertEquals(List.of(behind), node.behind);
  }

  @Test
  void anAnswerIsConfirmedOnceAllNodesGiveIt() throws Exception {
    Node c = fleet.node("c");
    fleet.step(a, b, c);
    a.expected = FIRST;
    fleet.step(a);
    assertAwaits(a, "b", "c");
    fleet.step(b, a);
    assertAwaits(a, "c");
    fleet.step(c, a);
    assertConfirmed(FIRST, a);
    assertEquals(FIRST, b.answered);
    assertEquals(FIRST, c.answered);
    a.expected = Challenges.NONE;
    fleet.step(a, b, c);
    assertConfirmed(Challenges.NONE, a);
  }

  @Test
  void aNodeWithoutOthersWaitsForNobody() throws Exception {
    fleet.expire(b);
    assertEquals(Membership.Forgotten.DONE, a.membership.forget("b"));
    a.expected = FIRST;
    fleet.step(a);
    assertConfirmed(FIRST, a);
  }

  @Test
  void aNodeThatHasJustJoinedIsWaitedFor() throws Exception {
    a.expected = FIRST;
    fleet.step(a);
    fleet.step(b);
    Node c = fleet.node("c");
    c.membership.keepAlive();
    // It has not read the list of nodes since.
    a.config.agent().step();
    assertAwaits(a, "c");
    fleet.step(c, a);
    assertConfirmed(FIRST, a);
  }

  @Test
  void aNodeWhoseLeaseHasEndedIsWaitedForOnlyIfItServes() throws Exception {
    Node serving = fleet.servingNode("c");
    fleet.step(a, b, serving);
    a.expected = FIRST;
    fleet.step(a);
    assertAwaits(a, "b", "c");
    fleet.expire(b);
    fleet.expire(serving);
    fleet.step(a);
    assertAwaits(a, "c");
    // It stops, and says so.
    serving.membership.lost();
    serving.membership.keepAlive();
    serving.membership.leave();
    fleet.step(a);
    assertConfirmed(FIRST, a);
  }

  @Test
  void aNodeThatStartsAgainHasNotConfirmed() throws Exception {
    a.expected = FIRST;
    fleet.step(a);
    fleet.step(b);
    // Its earlier lease has not ended.
    Node again = fleet.node("b");
    again.beat();
    fleet.step(a);
    assertAwaits(a, "b");
    fleet.step(again, a);
    assertConfirmed(FIRST, a);
  }

  @Test
  void aNodeThatIsRegisteredAnewConfirmsAnew() throws Exception {
    a.expected = FIRST;
    fleet.step(a);
    fleet.step(b);
    fleet.expire(b);
    b.beat();
    b.membership.keepAlive();
    fleet.step(a);
    assertAwaits(a, "b");
    fleet.step(b, a);
    assertConfirmed(FIRST, a);
  }

  @Test
  void aNodeThatCannotGiveAllAnswersDoesNotConfirm() throws Exception {
    b.givesAll = false;
    a.expected = FIRST;
    fleet.step(a, b);
    assertAwaits(a, "b");
    b.givesAll = true;
    fleet.step(a, b);
    assertConfirmed(FIRST, a);
  }

  /** By tls-alpn-01 a name has one answer: a node that gives one lacks the other. */
  @Test
  void ofTwoAnswersForOneNameNoneIsConfirmed() throws Exception {
    Node c = fleet.node("c");
    fleet.step(a, b, c);
    a.expected = HASH;
    b.expected = OTHER_HASH;
    fleet.step(a, b);
    fleet.step(c, a, b);
    assertAwaits(a, "c");
    b.expected = Challenges.NONE;
    fleet.step(b, c, a);
    assertConfirmed(HASH, a);
  }

  @Test
  void anAnswerIsConfirmedAlsoWhileOthersFollowIt() throws Exception {
    a.expected = FIRST;
    a.step();
    b.step();
    a.expected = BOTH;
    a.step();
    assertEquals(FIRST, a.confirmed);
    assertEquals(List.of("b"), a.behind);
    fleet.step(a, b);
    assertConfirmed(BOTH, a);
  }

  @Test
  void aNodeThatGoesOnWithAnOrderAfterARestartFindsItsAnswer() throws Exception {
    a.expected = FIRST;
    fleet.step(a, b);
    Node again = fleet.node("a");
    again.expected = FIRST;
    long before = fleet.revision();
    fleet.step(again);
    assertConfirmed(FIRST, again);
    assertEquals(2, fleet.revision() - before, "it has registered itself and reported");
  }

  @Test
  void anEtcdThatWasRestoredHasConfirmedNothing() throws Exception {
    Path backup = directory.resolve("backup");
    fleet.save(backup);
    for (int i = 0; i < 20; i++) {
      var ignored = fleet.client().txn(new Txn().put("/forebay/test/x", "x"));
    }
    a.expected = FIRST;
    fleet.step(a, b);
    assertConfirmed(FIRST, a);
    fleet.restore(backup);
    fleet.step(a);
    assertAwaits(a, "b");
    fleet.step(b, a);
    assertConfirmed(FIRST, a);
  }

  @Test
  void anEtcdThatWasEmptiedHasConfirmedNothing() throws Exception {
    a.expected = FIRST;
    fleet.step(a, b);
    fleet.deleteAll("/forebay/test/");
    fleet.step(a);
    // Only this node has registered again.
    assertConfirmed(FIRST, a);
    a.expected = BOTH;
    b.membership.lost();
    b.membership.keepAlive();
    fleet.step(a);
    assertEquals(List.of("b"), a.behind);
    fleet.step(b, a);
    assertConfirmed(BOTH, a);
  }

  @Test
  void whatIsReadOfAnEtcdThatIsAnotherNowIsNotConfirmed() throws Exception {
    Path backup = directory.resolve("backup");
    fleet.save(backup);
    a.expected = FIRST;
    fleet.step(a);
    b.beat();
    fleet.restore(backup);
    b.config.agent().step();
    assertEquals(FIRST, b.answered);
    assertEquals(0, fleet.count(FleetFixture.KEYS.answering()));
  }

  @Test
  void oneWriteOfEachNodeConfirmsAnAnswerAndAtRestThereIsNone() throws Exception {
    Node c = fleet.node("c");
    fleet.step(a, b, c);
    long before = fleet.revision();
    fleet.step(a, b, c);
    assertEquals(0, fleet.revision() - before);
    a.expected = FIRST;
    // A second one before the next heartbeat.
    a.config.agent().step();
    a.config.agent().step();
    assertEquals(1, fleet.revision() - before);
    fleet.step(a, b, c);
    assertConfirmed(FIRST, a);
    assertEquals(3, fleet.revision() - before);
    a.expected = Challenges.NONE;
    fleet.step(a, b, c);
    assertEquals(4, fleet.revision() - before);
  }

  @Test
  void nodesOfALargeClusterTakeTurns() throws Exception {
    assertEquals(0, SharedChallenges.pauseNanos(99));
    assertEquals(TimeUnit.SECONDS.toNanos(3), SharedChallenges.pauseNanos(300));
    // They are gone; more of them than a test takes time.
    for (int i = 0; i < 50; i++) {
      Txn txn = new Txn();
      for (int j = 0; j < 100; j++) {
        String gone = "{\"v\":1,\"group\":\"g\",\"address\":\"h:1\",\"cutOff\":\"fence\"}";
        var ignored = txn.put(FleetFixture.KEYS.member("gone-" + i + "-" + j), gone);
      }
      assertTrue(fleet.client().txn(txn).isDone());
    }
    a.expected = FIRST;
    a.membership.members();
    b.membership.members();
    fleet.step(a);
    fleet.step(b);
    long before = fleet.revision();
    a.expected = BOTH;
    fleet.step(a);
    fleet.step(b);
    assertEquals(1, fleet.revision() - before, "what the first node has published");
    fleet.later(Duration.ofSeconds(51));
    fleet.step(b);
    assertEquals(2, fleet.revision() - before);
    fleet.step(a);
    assertConfirmed(BOTH, a);
  }
}
