package io.forebay.storage.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes that fetch from each other and follow one log of purges: no read that begins after all
 * nodes have applied a purge gives what was current before it. The nodes' purges are the real ones;
 * everything around them is simulated in one thread, step by step, in an order that a seed decides.
 * Steps of other actors also run in the middle of a purge, when the node has taken numbers and when
 * its journal is being forced.
 *
 * <p>The property rests on the position that a node sends with a request to another one. Three
 * nodes that get this wrong show that the simulation would notice.
 */
@Timeout(600)
class PositionTravelTest {
  private static final int NODES = 4;
  private static final int KEYS = 2;
  private static final int PURGES = 8;
  private static final int READS = 120;
  private static final int MAX_BATCH = 3;
  private static final int MAX_DEPTH = 4;
  private static final PurgePosition START = new PurgePosition(1, 2, 0);

  /** What a node sends with a request to another one. */
  private enum Sent {
    /** What had begun when the number of the fill had been taken. */
    BEGUN,
    /** Nothing: the other node answers with what it has. */
    NOTHING,
    /** What is applied, not what has begun. */
    APPLIED,
    /** What had begun before the number was taken. */
    BEGUN_BEFORE
  }

  @TempDir Path directory;

  private final List<Node> nodes = new ArrayList<>();
  private final List<BooleanSupplier> actors = new ArrayList<>();
  private final List<Integer> log = new ArrayList<>();
  private final long[] origin = new long[KEYS];
  private final long[] acknowledged = new long[KEYS];
  private Random random = new Random(0);
  private Sent sent = Sent.BEGUN;
  private int depth;
  private long offences;
  private long reads;
  private long fromPeers;

  /** An object that a node has, or fetches. */
  private static final class Copy {
    final long birth;
    long version;
    boolean isHere;

    Copy(long birth) {
      this.birth = birth;
    }
  }

  private final class Node {
    final int number;
    final Purges purges;
    final ReplicatedPurges replicated;
    final Map<Integer, Copy> stored = new HashMap<>();
    final Map<Integer, Copy> fills = new HashMap<>();
    boolean isApplying;

    /** How slowly the log comes to it; another one in each run. */
    int pace = 1;

    Node(int number) throws IOException {
      this.number = number;
      this.purges =
          new Purges(
              directory.resolve("purge.journal." + number),
              4096,
              1 << 20,
              () -> {
                meanwhile(this);
                return 5;
              },
              new SecureRandom(),
              PurgeMatcher.Compiler.NONE,
              () -> {},
              (channel, metaData) -> meanwhile(this));
      this.replicated = new ReplicatedPurges(purges);
    }

    boolean isDead(int key, long birth) {
      return purges.check(new long[] {key + 1}, birth, birth) == Purges.DEAD;
    }

    boolean reaches(@Nullable PurgePosition wanted) {
      PurgePosition applied = replicated.applied();
      return wanted == null || (applied != null && applied.reaches(wanted));
    }
  }

  @BeforeEach
  void open() throws IOException {
    for (int n = 0; n < NODES; n++) {
      Node node = new Node(n);
      assertTrue(node.replicated.skipTo(START, PurgeGap.EMPTY) > 0);
      nodes.add(node);
    }
  }

  @AfterEach
  void close() throws IOException {
    for (Node node : nodes) {
      node.purges.close();
    }
  }

  @Test
  void noReadAfterAnAcknowledgedPurgeGivesWhatWasPurged() throws Exception {
    simulate(Sent.BEGUN, 1000);
    assertEquals(0, offences);
    assertTrue(fromPeers > 3_000, "only " + fromPeers + " answers came from another node");
  }

  @Test
  @Tag("campaign")
  void noReadAfterAnAcknowledgedPurgeGivesWhatWasPurgedInManyRuns() throws Exception {
    simulate(Sent.BEGUN, 100_000);
    assertEquals(0, offences);
  }

  @Test
  void requestsWithoutAPositionBringBackWhatWasPurged() throws Exception {
    simulate(Sent.NOTHING, 300);
    assertTrue(offences > 0);
  }

  @Tag("full")
  @Test
  void theAppliedPositionIsNotEnough() throws Exception {
    simulate(Sent.APPLIED, 1000);
    assertTrue(offences > 0);
  }

  @Tag("full")
  @Test
  void aPositionFromBeforeTheNumberIsNotEnough() throws Exception {
    simulate(Sent.BEGUN_BEFORE, 1000);
    assertTrue(offences > 0);
  }

  private void simulate(Sent what, int runs) throws Exception {
    sent = what;
    long seed = Long.getLong("test.seed", System.nanoTime());
    for (int run = 0; run < runs; run++) {
      random = new Random(seed + run);
      long before = offences;
      run();
      if (what == Sent.BEGUN && offences > before) {
        System.out.println("offence in the run of seed " + (seed + run));
      }
    }
    System.out.println(
        "purge positions, "
            + what
            + ": seed "
            + seed
            + ", "
            + runs
            + " runs, "
            + reads
            + " reads, "
            + fromPeers
            + " answers of another node, "
            + offences
            + " offences");
  }

  private void run() throws Exception {
    actors.clear();
    for (Node node : nodes) {
      node.stored.clear();
      node.fills.clear();
      node.pace = 1 + random.nextInt(4);
      actors.add(() -> apply(node));
    }
    actors.add(new Purger()::step);
    for (int n = 0; n < READS; n++) {
      actors.add(
          new Read(nodes.get(random.nextInt(NODES)), random.nextInt(KEYS), null, false)::step);
    }
    int first = log.size();
    while (!actors.isEmpty()) {
      step();
    }
    assertEquals(first + PURGES, log.size());
    for (Node node : nodes) {
      node.purges.retire(node.purges.settled(), node.purges.settled());
      node.purges.work();
    }
  }

  /** Others go on while a node is in the middle of a purge. */
  private void meanwhile(Node busy) {
    if (depth < MAX_DEPTH && busy.isApplying) {
      for (int n = random.nextInt(200); n > 0 && !actors.isEmpty(); n--) {
        step();
      }
    }
  }

  /** One step of one actor, which leaves when it has nothing left to do. */
  private void step() {
    BooleanSupplier actor = actors.get(random.nextInt(actors.size()));
    depth++;
    boolean isGoingOn = actor.getAsBoolean();
    depth--;
    if (!isGoingOn) {
      boolean ignored = actors.remove(actor);
    }
  }

  /** A node takes what the log has next, some time after it came. */
  private boolean apply(Node node) {
    PurgePosition applied = node.replicated.applied();
    int from = (int) (applied == null ? 0 : applied.revision());
    boolean isOver = actors.size() <= NODES && from == log.size();
    if (node.isApplying || from == log.size() || random.nextInt(node.pace) > 0) {
      return !isOver;
    }
    int until = Math.min(log.size(), from + 1 + random.nextInt(MAX_BATCH));
    List<Purge> batch = new ArrayList<>();
    for (int key : log.subList(from, until)) {
      batch.add(new Purge(PurgeKind.URL, new long[] {key + 1}, false, ""));
    }
    node.isApplying = true;
    try {
      assertEquals(batch.size(), node.replicated.apply(batch, START.at(until)).length);
    } catch (IOException | PurgesFullException e) {
      throw new IllegalStateException(e);
    } finally {
      node.isApplying = false;
    }
    return true;
  }

  /** Changes what the origin has, orders a purge, and waits for all nodes to confirm it. */
  private final class Purger {
    private final Deque<long[]> waiting = new ArrayDeque<>();
    private int ordered;

    boolean step() {
      if (ordered < PURGES && random.nextInt(10) == 0) {
        ordered++;
        int key = random.nextInt(KEYS);
        origin[key]++;
        log.add(key);
        waiting.add(new long[] {log.size(), key, origin[key]});
      }
      long[] oldest = waiting.peek();
      if (oldest != null && nodes.stream().allMatch(node -> node.reaches(START.at(oldest[0])))) {
        acknowledged[(int) oldest[1]] = oldest[2];
        waiting.remove();
      }
      return ordered < PURGES || !waiting.isEmpty();
    }
  }

  /** A request at a node, of a client or of another node, from its arrival to its answer. */
  private final class Read {
    private final Node node;
    private final int key;

    /** The position without which another node must not be answered. */
    private final @Nullable PurgePosition wanted;

    private final boolean isOfPeer;
    private long required = -1;
    private @Nullable Copy followed;
    private @Nullable Copy own;
    private @Nullable Read asked;
    private @Nullable PurgePosition readBefore;
    private long answer = -1;
    private boolean isSentToOrigin;
    private boolean isAnswered;

    Read(Node node, int key, @Nullable PurgePosition wanted, boolean isOfPeer) {
      this.node = node;
      this.key = key;
      this.wanted = wanted;
      this.isOfPeer = isOfPeer;
    }

    /** False when it has been answered. */
    boolean step() {
      if (required < 0 && !arrive()) {
        return true;
      }
      if (!isAnswered && followed != null && followed.isHere) {
        finish(followed.version);
      } else if (own != null) {
        fetch(own);
      }
      return !isAnswered;
    }

    /** False while it waits for the position, or to be taken on at all. */
    private boolean arrive() {
      if (!node.reaches(wanted) || random.nextInt(isOfPeer ? 2 : 60) > 0) {
        return false;
      }
      if (readBefore == null && sent == Sent.BEGUN_BEFORE && !isOfPeer) {
        readBefore = node.replicated.begun();
        return false;
      }
      required = acknowledged[key];
      if (random.nextInt(4) == 0) {
        // Evicted: otherwise nodes would only ask for what a purge has just removed.
        node.stored.remove(key);
      }
      Copy found = node.stored.get(key);
      if (found != null && !node.isDead(key, found.birth)) {
        finish(found.version);
        return true;
      }
      Copy underWay = node.fills.get(key);
      if (underWay != null && !node.isDead(key, underWay.birth)) {
        followed = underWay;
        return true;
      }
      begin();
      return true;
    }

    private void begin() {
      Birth birth = node.replicated.birth();
      Copy begun = new Copy(birth.number());
      own = begun;
      node.fills.put(key, begun);
      int owner = key % NODES;
      if (!isOfPeer && owner != node.number) {
        PurgePosition position =
            switch (sent) {
              case BEGUN -> birth.begun();
              case NOTHING -> null;
              case APPLIED -> node.replicated.applied();
              case BEGUN_BEFORE -> readBefore;
            };
        asked = new Read(nodes.get(owner), key, position, true);
        actors.add(asked::step);
      }
    }

    private void fetch(Copy fill) {
      if (random.nextInt(3) > 0) {
        return;
      }
      Read peer = asked;
      if (peer != null) {
        if (!peer.isAnswered) {
          return;
        }
        fromPeers++;
        install(fill, peer.answer);
      } else if (isSentToOrigin) {
        install(fill, answer);
      } else {
        // What the origin has now comes here some time later.
        answer = origin[key];
        isSentToOrigin = true;
      }
    }

    private void install(Copy fill, long version) {
      fill.version = version;
      fill.isHere = true;
      boolean ignored = node.fills.remove(key, fill);
      if (!node.isDead(key, fill.birth)) {
        node.stored.merge(key, fill, (old, made) -> old.birth > made.birth ? old : made);
      }
      finish(version);
    }

    private void finish(long version) {
      answer = version;
      isAnswered = true;
      if (!isOfPeer) {
        reads++;
        offences += version < required ? 1 : 0;
      }
    }
  }
}
