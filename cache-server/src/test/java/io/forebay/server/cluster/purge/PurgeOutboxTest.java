package io.forebay.server.cluster.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdClients;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.member.ClusterKeyspace;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.cluster.member.NodeIdentity;
import io.forebay.server.config.ClusterConfig.CutOff;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgePosition;
import io.forebay.testing.EtcdFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PurgeOutboxTest {
  private static final PurgePosition START = new PurgePosition(0, 0, 0);

  @TempDir Path directory;

  private PurgeOutbox open() throws IOException {
    return PurgeOutbox.open(directory, "a", Clock.systemUTC());
  }

  private static PurgeOrder tag(String text) {
    return new PurgeOrder(PurgeKind.TAG, text, false);
  }

  @Test
  void whatItHasTakenIsThereAfterAStop() throws Exception {
    PurgeOutbox outbox = open();
    assertEquals(0, outbox.size());
    assertTrue(outbox.add(List.of(tag("one"), tag("two \"quoted\" é"))));
    assertTrue(outbox.add(List.of(tag("one"))));
    assertEquals(2, outbox.size(), "the latest of a scope");
    assertEquals(2, open().size());
    assertFalse(outbox.isInLog(START.at(Long.MAX_VALUE)));
    assertFalse(open().isInLog(START.at(Long.MAX_VALUE)));
  }

  @Test
  void takesAllOfAnOrderOrNothing() throws Exception {
    PurgeOutbox outbox = open();
    List<PurgeOrder> many = new ArrayList<>();
    for (int i = 0; i < PurgeOutbox.MAX_ORDERS; i++) {
      many.add(tag("t" + i));
    }
    assertTrue(outbox.add(many));
    assertFalse(outbox.add(List.of(tag("t1"), tag("one more"))));
    assertTrue(outbox.add(List.of(tag("t1"))), "what waits can be ordered again");
    assertEquals(PurgeOutbox.MAX_ORDERS, open().size());
    PurgeOutbox other =
        PurgeOutbox.open(Files.createDirectory(directory.resolve("l")), "a", Clock.systemUTC());
    List<PurgeOrder> longTags = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      longTags.add(tag(i + "x".repeat(8_000)));
    }
    assertFalse(other.add(longTags));
    assertEquals(0, other.size());
  }

  @Test
  void inPlaceOfADamagedFileEverythingIsPurged() throws Exception {
    assertTrue(open().add(List.of(tag("one"))));
    Path file = directory.resolve(PurgeOutbox.NAME);
    byte[] whole = Files.readAllBytes(file);
    for (int length = 0; length < whole.length; length++) {
      Files.write(file, Arrays.copyOf(whole, length));
      PurgeOutbox read = open();
      // Cut behind the first line, it is whole and has nothing; the file is replaced as a whole.
      assertTrue(read.size() == 1 || whole[length - 1] == '\n', "cut at " + length);
    }
  }

  @Test
  @Tag("full")
  void whatWaitsIsPublishedInOrderAndForgotten() throws Exception {
    ClusterKeyspace keys = new ClusterKeyspace("test");
    try (EtcdFixture etcd = EtcdFixture.start(directory.resolve("etcd"), 1);
        EtcdClient client = EtcdClients.of(etcd.endpoints())) {
      Membership membership =
          new Membership(
              client,
              keys,
              new Member("a", "g", "127.0.0.1:1", CutOff.FENCE, "1", true),
              new NodeIdentity("d", "b"),
              60);
      PurgeLog log = new PurgeLog(client, keys, membership, Clock.systemUTC());
      PurgeOutbox outbox = open();
      List<PurgeOrder> many = new ArrayList<>();
      for (int i = 0; i < 250; i++) {
        many.add(tag("t" + i));
      }
      assertTrue(outbox.add(many));
      PurgeOutbox again = open();

      again.publish(log, START);

      assertEquals(0, again.size());
      long newest = membership.head().revision();
      assertFalse(again.isInLog(START), "this node has not read there what it wrote");
      assertTrue(again.isInLog(START.at(newest)));
      assertTrue(again.isInLog(new PurgePosition(1, 1, 0)), "of another log");
      assertFalse(Files.exists(directory.resolve(PurgeOutbox.NAME)));
      List<KeyValue> logged = log.missed(1, membership.head().revision(), 1_000);
      assertEquals(250, logged == null ? 0 : logged.size());
    }
  }
}
