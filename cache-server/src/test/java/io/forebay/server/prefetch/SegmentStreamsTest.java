package io.forebay.server.prefetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class SegmentStreamsTest {
  private final SegmentStreams streams = new SegmentStreams();

  private SegmentStreams.Stream asked(String name, long number, long now) {
    SegmentStreams.Stream stream = streams.asked(name, number, now);
    assertNotNull(stream);
    return stream;
  }

  @Test
  void aStreamIsPopularWhileManyAskForIt() {
    for (int i = 0; i < 2; i++) {
      assertFalse(asked("a", 1, 0).isPopular(3, 0));
    }
    SegmentStreams.Stream stream = asked("a", 1, 0);
    assertTrue(stream.isPopular(3, 0));
    assertTrue(stream.isPopular(3, 19_999), "in the window before");
    assertFalse(stream.isPopular(3, 20_000));
    assertFalse(stream.isPopular(3, 0), "it was forgotten");
  }

  @Test
  void oldRequestsDoNotAddUp() {
    for (int i = 0; i < 20; i++) {
      assertFalse(asked("a", 1, i * 6_000L).isPopular(3, i * 6_000L));
    }
  }

  @Test
  void numbersThatFollowEachOtherCountUp() {
    assertFalse(asked("a", 1080, 0).countsUp());
    assertFalse(asked("a", 1080, 0).countsUp());
    assertFalse(asked("a", 720, 0).countsUp());
    assertTrue(asked("a", 721, 0).countsUp());
    assertFalse(asked("b", -1, 0).countsUp());
    assertFalse(asked("b", 0, 0).countsUp());
  }

  @Test
  void theLengthOfItsObjectsFades() {
    asked("a", 1, 0);
    streams.had("a", 800);
    streams.had("a", 100);
    assertEquals(700, asked("a", 1, 0).bytes());
    streams.had("a", 900);
    assertEquals(900, asked("a", 1, 0).bytes());
  }

  @Test
  void anObjectIsLookedAtOnceInAWhile() {
    assertTrue(streams.mayTry("u", 0));
    assertFalse(streams.mayTry("u", 59_999));
    assertTrue(streams.mayTry("u", 60_000));
    streams.failed("u", 60_000);
    assertFalse(streams.mayTry("u", 60_999));
    assertTrue(streams.mayTry("u", 61_000));
  }

  @Test
  void theTableIsBounded() {
    asked("first", 1, 0);
    for (int i = 0; i < SegmentStreams.MAX_STREAMS; i++) {
      asked("s" + i, 1, 0);
    }
    assertNull(streams.find("first"));
    assertNotNull(streams.find("s0"));
    assertNull(streams.asked("x".repeat(1025), 1, 0));
    assertTrue(streams.mayTry("first", 0));
    for (int i = 0; i < SegmentStreams.MAX_ATTEMPTS; i++) {
      assertTrue(streams.mayTry("u" + i, 0));
    }
    assertTrue(streams.mayTry("first", 1), "forgotten");
  }
}
