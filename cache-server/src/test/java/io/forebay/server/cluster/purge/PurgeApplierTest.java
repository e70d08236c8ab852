package io.forebay.server.cluster.purge;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdClients;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.member.ClusterKeyspace;
import io.forebay.server.cluster.member.Fence;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.cluster.member.NodeIdentity;
import io.forebay.server.config.ClusterConfig.CutOff;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgePosition;
import io.forebay.storage.purge.PurgesFullException;
import io.forebay.testing.Await;
import io.forebay.testing.EtcdFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node's side of the log with Debian's etcd; the journal is a list. */
@Tag("full")
final class PurgeApplierTest {
  private static final ClusterKeyspace KEYS = new ClusterKeyspace("test");
  private static final PurgePosition START = new PurgePosition(0, 0, 0);

  @TempDir Path directory;
  private EtcdFixture etcd;
  private EtcdClient client;
  private Membership membership;
  private PurgeLog log;
  private final Journal journal = new Journal();
  private final Fence fence = new Fence(CutOff.FENCE, Duration.ofHours(1));
  private final List<PurgeApplier> appliers = new ArrayList<>();

  /** What a node has put in force. */
  private static final class Journal implements LoggedPurges {
    final List<String> texts = new CopyOnWriteArrayList<>();
    final List<PurgePosition> skipped = new CopyOnWriteArrayList<>();
    volatile @Nullable PurgePosition applied;
    volatile boolean isFull;
    volatile boolean isBroken;
    volatile boolean isMirrorBroken;
    final AtomicInteger mirrored = new AtomicInteger();
    final Semaphore mirrors = new Semaphore(1_000);
    volatile int freeScopes = 1_000;

    @Override
    public @Nullable PurgePosition applied() {
      return applied;
    }

    @Override
    public void apply(List<Logged> orders, PurgePosition position)
        throws IOException, PurgesFullException {
      if (isBroken) {
        throw new IOException("no space left");
      }
      if (isFull) {
        throw new PurgesFullException("64 patterns");
      }
      PurgePosition before = applied;
      if (before == null || before.reaches(position)) {
        throw new IllegalArgumentException(position + " after " + before);
      }
      orders.forEach(one -> texts.add(one.order().kind().label() + " " + one.order().text()));
      applied = position;
    }

    @Override
    public void mirror() throws IOException {
      mirrors.acquireUninterruptibly();
      if (isMirrorBroken) {
        throw new IOException("no space left");
      }
      mirrored.incrementAndGet();
    }

    @Override
    public void skipTo(PurgePosition position) {
      skipped.add(position);
      applied = position;
    }

    @Override
    public int freeScopes() {
      return freeScopes;
    }

    @Override
    public int openAt(long revision) {
      return 1;
    }

    @Override
    public int patternsInForce() {
      return 0;
    }
  }

  @BeforeEach
  void start() throws Exception {
    etcd = EtcdFixture.start(directory, 1);
    client = EtcdClients.of(etcd.endpoints());
    membership =
        new Membership(
            client,
            KEYS,
            new Member("a", "g", "127.0.0.1:1", CutOff.FENCE, "1", true),
            new NodeIdentity("d", "b"),
            60);
    log = new PurgeLog(client, KEYS, membership, Clock.systemUTC());
  }

  @AfterEach
  void stop() {
    appliers.forEach(PurgeApplier::close);
    client.close();
    etcd.close();
  }

  private PurgeApplier applier() {
    PurgeApplier applier = new PurgeApplier(log, membership, journal, fence);
    appliers.add(applier);
    applier.start();
    Await.until("the node has a position", () -> applier.applied() != null);
    return applier;
  }

  private static PurgeOrder tag(String text) {
    return new PurgeOrder(PurgeKind.TAG, text, false);
  }

  private long publish(String... tags) throws Exception {
    List<PurgeOrder> orders = new ArrayList<>();
    for (String text : tags) {
      orders.add(tag(text));
    }
    return log.publish(orders, START).revision();
  }

  private static void await(PurgeApplier applier, long revision) {
    Await.until(
        "revision " + revision + " is applied",
        () -> {
          PurgePosition at = applier.applied();
          return at != null && at.revision() >= revision;
        });
  }

  @Test
  void appliesInOrderAndOnce() throws Exception {
    publish("before the node was there");
    PurgeApplier first = applier();
    assertEquals(1, journal.skipped.size(), "what it has stored may have been purged");
    assertEquals(1, first.gaps());
    publish("one");
    await(first, publish("two", "three"));
    assertEquals(List.of("tag one", "tag two", "tag three"), journal.texts);
    first.close();
    long last = publish("four");
    publish("one");

    PurgeApplier second = applier();

    await(second, last + 1);
    assertEquals(List.of("tag one", "tag two", "tag three", "tag four", "tag one"), journal.texts);
    assertEquals(1, journal.skipped.size());
    assertNull(second.problem());
  }

  @Test
  void thePositionIsToldBeforeTheSecondCopyIsMade() throws Exception {
    PurgeApplier applier = applier();
    journal.mirrors.drainPermits();
    long first = publish("one");
    await(applier, first);
    long second = publish("two");
    Await.until("it begins to make the copy", journal.mirrors::hasQueuedThreads);
    assertEquals(List.of("tag one"), journal.texts, "the copy comes before the next purge");
    journal.isMirrorBroken = true;
    journal.mirrors.release(1_000);
    Await.until("the copy fails", () -> applier.journalProblem() != null);
    assertEquals(first, requireNonNull(applier.applied()).revision());
    journal.isMirrorBroken = false;
    await(applier, second);
    Await.until("both are copied", () -> journal.mirrored.get() == 2);
    assertNull(applier.journalProblem());
  }

  @Test
  void manyAtOnceAreAppliedInWholeRevisions() throws Exception {
    PurgeApplier applier = applier();
    String[] tags = new String[250];
    for (int i = 0; i < tags.length; i++) {
      tags[i] = i + "x".repeat(8_000);
    }
    await(applier, publish(tags));
    assertEquals(tags.length, journal.texts.size());
  }

  @Test
  void readsPagesWhereTheHistoryIsCompacted() throws Exception {
    PurgeApplier first = applier();
    await(first, publish("seen"));
    first.close();
    for (int i = 0; i < 30; i++) {
      publish("missed " + i);
    }
    long last = publish("missed 0");
    etcd.compact(last);

    PurgeApplier second = applier();
    await(second, last);

    assertEquals(31, journal.texts.size());
    assertEquals("tag missed 0", journal.texts.getLast(), "by its latest revision");
    assertEquals(0, second.gaps());
    await(second, publish("later"));
    assertEquals("tag later", journal.texts.getLast());
  }

  @Test
  void moreThanFitIsAGap() throws Exception {
    PurgeApplier first = applier();
    await(first, publish("seen"));
    first.close();
    for (int i = 0; i < 30; i++) {
      publish("missed " + i);
    }
    long last = publish("last");
    etcd.compact(last);
    journal.freeScopes = 10;

    PurgeApplier second = applier();
    await(second, last);

    assertEquals(1, second.gaps());
    assertTrue(fence.isPast(System.nanoTime()));
  }

  @Test
  void whatWasCollectedIsAGapForWhoHasNotReadIt() throws Exception {
    PurgeApplier first = applier();
    await(first, publish("seen"));
    first.close();
    publish("missed");
    PurgeCollector collector =
        new PurgeCollector(
            client,
            KEYS,
            1_000_000,
            Duration.ofHours(1),
            Clock.fixed(Instant.now().plus(Duration.ofHours(2)), ZoneOffset.UTC),
            77);
    int deleted = 0;
    for (int part = 0; part < 256; part++) {
      deleted += collector.step();
    }
    assertEquals(2, deleted);
    long last = publish("new");

    PurgeApplier second = applier();
    await(second, last);

    assertEquals(1, second.gaps());
  }

  @Test
  void theCollectorKeepsWhatIsYoung() throws Exception {
    publish("young");
    PurgeCollector collector =
        new PurgeCollector(client, KEYS, 1_000_000, Duration.ofHours(1), Clock.systemUTC(), 0);
    for (int part = 0; part < 256; part++) {
      assertEquals(0, collector.step());
    }
    PurgeCollector full =
        new PurgeCollector(client, KEYS, 256, Duration.ofHours(1), Clock.systemUTC(), 0);
    for (int i = 0; i < 600; i++) {
      publish("many " + i);
    }
    for (int part = 0; part < 256; part++) {
      int ignored = full.step();
    }
    List<KeyValue> left = log.missed(1, membership.head().revision(), 1_000);
    assertTrue(left != null && left.size() <= 256);
  }

  @Test
  void anotherLogIsAGap() throws Exception {
    PurgeApplier first = applier();
    await(first, publish("seen"));
    first.close();
    client.txn(new Txn().put(KEYS.epoch(), "0123456789abcdef0123456789abcdef"));
    PurgeApplier second = applier();
    Await.until("a gap", () -> second.gaps() == 1);
    await(second, publish("later"));
    assertEquals("tag later", journal.texts.getLast());
  }

  /** However much was written to etcd since by other than purges. */
  @Test
  void aLogThatWasSetBackGetsAnotherNameForNodesThatAreDownNow() throws Exception {
    PurgeApplier first = applier();
    long seen = publish("seen");
    await(first, seen);
    first.close();
    PurgePosition down = requireNonNull(journal.applied);
    String name = membership.head().epoch();
    client.txn(new Txn().delete(KEYS.last()));
    client.txn(new Txn().put(KEYS.last(), "as it was in the backup"));
    for (int i = 0; i < 3; i++) {
      client.txn(new Txn().put(KEYS.members() + i, "{}"));
    }
    // The newest purge of the log is older than what another node has applied.
    journal.applied = down.at(membership.head().newest() + 1);

    PurgeApplier running = applier();

    Await.until("a gap", () -> running.gaps() == 1);
    running.close();
    String renamed = membership.head().epoch();
    assertTrue(!requireNonNull(renamed).equals(name), "the log has another name");
    publish("after");
    journal.applied = down;
    PurgeApplier back = applier();
    Await.until("a gap, though the log has come past the position", () -> back.gaps() == 1);
    assertEquals(renamed, membership.head().epoch(), "one name is enough");
  }

  @Test
  void nothingIsWrittenToALogThatIsBehindThisNode() throws Exception {
    long newest = publish("one");
    PurgePosition beyond = START.at(newest + 1);
    EtcdException refused =
        assertThrows(EtcdException.class, () -> log.publish(List.of(tag("two")), beyond));
    assertTrue(String.valueOf(refused.getMessage()).contains("set back"), refused.toString());
    assertEquals(newest, membership.head().newest());
    assertEquals(newest + 1, log.publish(List.of(tag("two")), START.at(newest)).revision());
  }

  @Test
  void manyLongPurgesAreReadInPages() throws Exception {
    PurgeApplier first = applier();
    await(first, publish("seen"));
    first.close();
    String[] tags = new String[900];
    for (int i = 0; i < tags.length; i++) {
      tags[i] = i + "é".repeat(8_000);
    }
    long last = publish(tags);
    etcd.compact(last);
    PurgeApplier second = applier();
    await(second, last);
    assertEquals(tags.length + 1, journal.texts.size());
    assertEquals(0, second.gaps());
  }

  @Test
  void anEntryThatCannotBeReadPurgesEverything() throws Exception {
    PurgeApplier applier = applier();
    long revision =
        client
            .txn(new Txn().put(KEYS.purges() + "00/x", "{\"v\":99}").put(KEYS.last(), ""))
            .revision();
    await(applier, revision);
    assertTrue(journal.texts.getLast().startsWith("everything "), journal.texts::toString);
    assertEquals(1, applier.unreadable());
  }

  @Test
  void thePositionStandsStillWhileTheJournalCannotBeWritten() throws Exception {
    PurgeApplier applier = applier();
    journal.isBroken = true;
    long revision = publish("held");
    Await.until("it says so", () -> applier.journalProblem() != null);
    assertTrue(!applier.await(revision, requireNonNull(journal.applied).epoch(), 1));
    journal.isBroken = false;
    await(applier, revision);
    assertNull(applier.journalProblem());
    assertEquals(List.of("tag held"), journal.texts);
  }

  @Test
  void tooManyPatternsWaitForTheSweep() throws Exception {
    PurgeApplier applier = applier();
    journal.isFull = true;
    long revision =
        log.publish(List.of(new PurgeOrder(PurgeKind.PATTERN, "path x", false)), START).revision();
    assertTrue(!applier.await(revision, requireNonNull(journal.applied).epoch(), 1));
    journal.isFull = false;
    await(applier, revision);
    assertEquals(List.of("pattern path x"), journal.texts);
  }
}
