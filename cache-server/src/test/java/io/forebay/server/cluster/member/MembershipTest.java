package io.forebay.server.cluster.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdClients;
import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.etcd.TxnResult;
import io.forebay.server.cluster.member.Membership.Forgotten;
import io.forebay.server.config.ClusterConfig.CutOff;
import io.forebay.testing.EtcdFixture;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of a cluster in Debian's etcd. */
@Tag("full")
final class MembershipTest {
  private static final ClusterKeyspace KEYS = new ClusterKeyspace("test");

  @TempDir Path directory;
  private EtcdFixture etcd;
  private EtcdClient client;

  @BeforeEach
  void start() throws Exception {
    etcd = EtcdFixture.start(directory, 1);
    client = EtcdClients.of(etcd.endpoints());
  }

  @AfterEach
  void stop() {
    client.close();
    etcd.close();
  }

  private Membership membership(String name, String data, String boot) {
    return new Membership(
        client,
        KEYS,
        new Member(name, "g", "127.0.0.1:1", CutOff.FENCE, "1", true),
        new NodeIdentity(data, boot),
        60);
  }

  @Test
  void aNameBelongsToADataDirectory() throws Exception {
    Membership first = membership("a", "d", "b1");
    first.keepAlive();
    assertTrue(first.head().isOwn());
    assertThrows(NameTakenException.class, () -> membership("a", "other", "b2").keepAlive());
    Membership restarted = membership("a", "d", "b2");
    restarted.keepAlive();
    assertTrue(restarted.head().isOwn());
  }

  /** They would take turns otherwise, each with proofs of its own. */
  @Test
  void ofTwoCopiesOfADirectoryTheOneThatStartedLaterHasTheName() throws Exception {
    Membership first = membership("a", "d", "b1");
    first.keepAlive();
    Membership copy = membership("a", "d", "b2");
    copy.keepAlive();
    assertFalse(first.head().isOwn());
    first.lost();
    assertThrows(NameTakenException.class, first::keepAlive);
    assertTrue(copy.head().isOwn());
    copy.leave();
    first.keepAlive();
    assertTrue(first.head().isOwn());
  }

  @Test
  void aDrainHoldsUntilItIsEndedOrTheNodeForgotten() throws Exception {
    Membership first = membership("a", "d", "b1");
    first.keepAlive();
    Membership second = membership("b", "e", "b2");
    second.keepAlive();
    assertFalse(first.drain("c", true), "there is no such node");
    assertTrue(first.drain("b", true));
    assertTrue(second.head().isDraining());
    assertFalse(first.head().isDraining());
    assertEquals(List.of(false, true), first.members().stream().map(Member::isDraining).toList());
    membership("b", "e", "b3").keepAlive();
    assertTrue(second.head().isDraining(), "also after a restart");
    assertTrue(first.drain("b", false));
    assertFalse(second.head().isDraining());

    assertTrue(first.drain("b", true));
    assertEquals(Forgotten.ALIVE, first.forget("b"));
    Membership last = membership("b", "e", "b4");
    last.keepAlive();
    last.leave();
    assertEquals(Forgotten.DONE, first.forget("b"));
    assertFalse(second.head().isDraining());
  }

  @Test
  void whatANodeReportsIsReadWithTheNodes() throws Exception {
    Membership first = membership("a", "d", "b1");
    Membership second = membership("b", "e", "b2");
    first.keepAlive();
    second.keepAlive();
    assertTrue(first.head().isOwn());
    assertNull(first.config(), "the nodes were not read yet");
    first.report("{\"version\":7}");
    first.keepAlive();
    assertTrue(first.head().isOwn(), "written by this node");
    assertTrue(second.head().isOwn());
    second.refresh();
    FleetConfigState state = second.config();
    assertEquals(
        Map.of("a", "{\"version\":7}"), state == null ? null : state.reports(), "b says nothing");
  }

  @Test
  void membersThatCannotBeReadHaveNoAddressAndNamesForMessages() throws Exception {
    Membership own = membership("a", "d", "b1");
    own.keepAlive();
    String good = "{\"v\":1,\"group\":\"g\",\"address\":\"127.0.0.1:1\"}";
    Map<String, String> written =
        Map.of(
            "b",
            "{\"v\":1,\"group\":\"g\"}",
            "c",
            "no JSON",
            "d",
            "{\"v\":1,\"group\":\"g\",\"address\":\"127.0.0.1\\u001b[2J\"}",
            "e\u001b[2J",
            good,
            "f".repeat(500),
            good);
    for (Map.Entry<String, String> one : written.entrySet()) {
      TxnResult ignored = client.txn(new Txn().put(KEYS.member(one.getKey()), one.getValue()));
    }

    List<Member> members = own.members();

    assertEquals(
        List.of("a", "b", "c", "d", "e?[2J", "f".repeat(200) + "…"),
        members.stream().map(Member::name).toList());
    for (Member member : members.subList(1, 6)) {
      assertEquals("", member.address());
      assertFalse(member.isFenced(), "a purge is pending there");
    }
  }

  @Test
  void theFirstByNameOfThoseAliveIsTheFirst() throws Exception {
    Membership first = membership("a", "d", "b1");
    Membership second = membership("b", "e", "b2");
    first.keepAlive();
    second.keepAlive();
    first.refresh();
    second.refresh();
    assertTrue(first.isFirstAlive());
    assertFalse(second.isFirstAlive());
    first.leave();
    second.refresh();
    assertTrue(second.isFirstAlive());
    assertFalse(second.isKnown("c"));
    membership("c", "f", "b3").keepAlive();
    second.refresh();
    assertTrue(second.isKnown("c"));
  }

  @Test
  void aLogIsNamedByItsEpochAndTheClusterOfEtcd() {
    String name = LogName.of("0123", "14841639068965178418");
    assertEquals(name, LogName.of("0123", "14841639068965178418"));
    assertTrue(name.matches("[0-9a-f]{32}"), name);
    assertNotEquals(name, LogName.of("0123", "14841639068965178419"));
    assertNotEquals(name, LogName.of("0124", "14841639068965178418"));
  }
}
