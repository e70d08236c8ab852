package io.forebay.server.cluster.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.member.Member;
import io.forebay.server.config.ClusterConfig.CutOff;
import io.forebay.storage.purge.PurgePosition;
import io.forebay.testing.Await;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The questions that other nodes are asked for the sake of receipts. */
final class PositionPollsTest {
  private static final PurgePosition AT = new PurgePosition(1, 2, 0);
  private static final Member NODE = new Member("b", "g", "127.0.0.1:1", CutOff.FENCE, "1", true);

  /** A node that answers what it is told to. */
  private static final class Node implements PositionClient {
    final LinkedBlockingQueue<Long> questions = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<Object> answers = new LinkedBlockingQueue<>();
    final AtomicInteger open = new AtomicInteger();
    final AtomicInteger mostOpen = new AtomicInteger();
    final AtomicInteger takenBack = new AtomicInteger();

    @Override
    public @Nullable PurgePosition ask(Member member, long atLeast, String epoch, long waitMillis)
        throws IOException, InterruptedException {
      mostOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
      questions.add(atLeast);
      try {
        Object answer = answers.take();
        if (answer instanceof PurgePosition position) {
          return position;
        }
        if (answer instanceof RuntimeException defect) {
          throw defect;
        }
        throw new IOException(String.valueOf(answer));
      } catch (InterruptedException e) {
        takenBack.incrementAndGet();
        throw e;
      } finally {
        open.decrementAndGet();
      }
    }
  }

  private final Node node = new Node();
  private final PositionPolls polls = new PositionPolls(node);
  private final AtomicInteger reached = new AtomicInteger();

  private PositionPolls.Wait await(long revision) {
    return polls.await(NODE, revision, AT.epoch(), reached::incrementAndGet);
  }

  @Test
  void oneAnswerIsForAllThatWait() throws Exception {
    PositionPolls.Wait ignored = await(7);
    assertEquals(7, node.questions.take());
    for (int revision = 8; revision <= 100; revision++) {
      ignored = await(revision);
    }
    node.answers.add(AT.at(60));
    assertEquals(61, node.questions.take());
    assertEquals(54, reached.get());
    node.answers.add(AT.at(100));
    Await.until("all are reached", () -> reached.get() == 94);
    assertEquals(2, polls.asked());
    assertEquals(1, node.mostOpen.get());
    assertTrue(node.questions.isEmpty());
  }

  @Test
  void whatIsKnownIsNotAskedAgain() throws Exception {
    PositionPolls.Wait first = await(7);
    node.answers.add(AT.at(9));
    Await.until("it is reached", () -> reached.get() == 1);
    PositionPolls.Wait second = await(9);
    assertEquals(2, reached.get());
    assertEquals(1, polls.asked());
    polls.keep(List.of());
    PositionPolls.Wait third = await(9);
    Await.until("a node that was forgotten is asked", () -> polls.asked() == 2);
    List.of(first, second, third).forEach(PositionPolls.Wait::end);
  }

  @Test
  void aQuestionThatNobodyWaitsForIsTakenBack() throws Exception {
    List<PositionPolls.Wait> waits = new ArrayList<>(List.of(await(7), await(8)));
    assertEquals(7, node.questions.take());
    waits.getFirst().end();
    assertEquals(0, node.takenBack.get());
    waits.getLast().end();
    waits.getLast().end();
    Await.until("it is taken back", () -> node.takenBack.get() == 1);
    assertEquals(0, reached.get());
  }

  @Test
  void aDefectIsNoReasonThatShowsAnException() throws Exception {
    PositionPolls.Wait wait = await(7);
    node.answers.add(new IllegalArgumentException("unsupported URI https:///forebay/position"));
    Await.until("the reason", () -> wait.reason() != null);
    assertEquals(
        "could not be asked because of an internal error, see the log of the node that took the"
            + " purge",
        wait.reason());
    node.answers.add(AT.at(7));
    Await.until("it is asked again", () -> reached.get() == 1);
  }

  @Test
  void aNodeThatCannotBeAskedIsAskedAgain() throws Exception {
    PositionPolls.Wait wait = await(7);
    node.answers.add("connection refused");
    Await.until("the reason", () -> "connection refused".equals(wait.reason()));
    node.answers.add(AT.at(6));
    Await.until("the reason", () -> "is at revision 6".equals(wait.reason()));
    node.answers.add(AT.at(7));
    Await.until("it is reached", () -> reached.get() == 1);
    assertEquals(List.of(7L, 7L, 7L), List.copyOf(node.questions));
  }

  @Test
  void aPositionInAnotherLogSaysNothing() throws Exception {
    PositionPolls.Wait wait = await(7);
    node.answers.add(new PurgePosition(3, 4, 100));
    Await.until("the reason", () -> wait.reason() != null);
    assertEquals(0, reached.get());
    wait.end();
  }
}
