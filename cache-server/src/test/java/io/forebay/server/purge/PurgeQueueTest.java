package io.forebay.server.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.purge.PurgeRefusedException.Refusal;
import io.forebay.storage.purge.PurgeKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class PurgeQueueTest {
  private static final PurgeDone DONE = new PurgeDone(1, 1, OptionalLong.empty(), 1);
  private final BlockingQueue<Optional<PurgeRefusedException>> over = new LinkedBlockingQueue<>();

  private static PurgeOrder tag(String text, boolean isSoft) {
    return new PurgeOrder(PurgeKind.TAG, text, isSoft);
  }

  @Test
  void tagsOfARequestAreOnePurgeAndSoftOnesAnother() throws Exception {
    List<List<PurgeOrder>> made = new ArrayList<>();
    try (PurgeQueue queue =
        new PurgeQueue(orders -> {
          made.add(orders);
          return DONE;
        })) {
      List<PurgeOrder> orders =
          List.of(
              tag("a", false),
              tag("b", true),
              tag("c", false),
              new PurgeOrder(PurgeKind.PATTERN, "path x", false));
      assertTrue(queue.submit(orders, "test", failure -> over.add(Optional.ofNullable(failure))));
      assertTrue(over.take().isEmpty());
      assertEquals(
          List.of(
              List.of(orders.get(0), orders.get(2)),
              List.of(orders.get(1)),
              List.of(orders.get(3))),
          made);
      assertEquals("a c", PurgeQueue.summary(made.getFirst()).text());
    }
  }

  @Test
  void theTextOfManyTagsIsBounded() {
    List<PurgeOrder> many =
        IntStream.range(0, 1024).mapToObj(i -> tag("tag-number-" + i, false)).toList();
    String text = PurgeQueue.summary(many).text();
    assertTrue(text.length() < 1010, text);
    assertTrue(text.startsWith("tag-number-0 tag-number-1 "), text);
  }

  @Test
  void aPurgeThatFailsIsToldAndWhatFollowsItIsNotMade() throws Exception {
    List<String> tried = new ArrayList<>();
    try (PurgeQueue queue =
        new PurgeQueue(orders -> {
          tried.add(orders.getFirst().text());
          throw new PurgeRefusedException("disk full", Refusal.JOURNAL);
        })) {
      assertTrue(
          queue.submit(
              List.of(tag("a", false), tag("b", true)),
              "test",
              failure -> over.add(Optional.ofNullable(failure))));
      PurgeRefusedException failure = over.take().orElseThrow();
      assertEquals(Refusal.JOURNAL, failure.refusal());
      assertEquals(List.of("a"), tried);
    }
  }

  @Test
  void thereAreNoMoreThanSoManyAtOnce() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    try (PurgeQueue queue =
        new PurgeQueue(orders -> {
          try {
            assertTrue(gate.await(30, TimeUnit.SECONDS));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return DONE;
        })) {
      List<PurgeOrder> one = List.of(tag("a", false));
      for (int i = 0; i < PurgeQueue.MAX_WAITING; i++) {
        assertTrue(queue.submit(one, "test", failure -> over.add(Optional.ofNullable(failure))));
      }
      assertFalse(queue.submit(one, "test", failure -> over.add(Optional.ofNullable(failure))));
      gate.countDown();
      for (int i = 0; i < PurgeQueue.MAX_WAITING; i++) {
        assertNotNull(over.poll(30, TimeUnit.SECONDS));
      }
      assertTrue(queue.submit(one, "test", failure -> over.add(Optional.ofNullable(failure))));
      assertNull(over.take().orElse(null));
    }
  }
}
