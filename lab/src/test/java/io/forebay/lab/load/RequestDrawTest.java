package io.forebay.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.load.LoadPlan.ObjectClass;
import io.forebay.lab.load.LoadPlan.Popularity;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RequestDrawTest {
  private static final int DRAWS = 100_000;
  private static final Instant NOW = Instant.parse("2026-11-27T00:00:00Z");

  private static RequestDraw draw(Popularity popularity, long count, double fresh) {
    return new RequestDraw(
        Plans.to("http://127.0.0.1:1")
            .popularity(popularity)
            .fresh(fresh)
            .objects(new ObjectClass("x", 1, 1, count, "/{n}"))
            .plan(),
        0,
        1,
        NOW);
  }

  private static int[] counts(RequestDraw draw, int numbers) {
    int[] counts = new int[numbers];
    for (int i = 0; i < DRAWS; i++) {
      draw.next();
      if (draw.number() < numbers) {
        counts[(int) draw.number()]++;
      }
    }
    return counts;
  }

  /** Within five standard deviations. */
  private static void assertShare(double share, int count) {
    double expected = share * DRAWS;
    double deviation = Math.sqrt(expected * (1 - share));
    assertTrue(Math.abs(count - expected) < 5 * deviation + 1, count + " instead of " + expected);
  }

  @Test
  void zipfDrawsTheFirstKTimesAsOftenAsTheKth() {
    for (int number : new int[] {1, 2, 10, 1000}) {
      int[] counts = counts(draw(Popularity.ZIPF, number, 0), number);
      double sum = 0;
      for (int k = 1; k <= number; k++) {
        sum += 1.0 / k;
      }
      for (int k = 1; k <= number; k++) {
        assertShare(1.0 / k / sum, counts[k - 1]);
      }
    }
  }

  @Test
  void zipfTakesAsManyAsThereAre() {
    long many = 10_000_000_000L;
    int[] counts = counts(draw(Popularity.ZIPF, many, 0), 10);
    // The sum of 1 / k is the logarithm and Euler's constant.
    double sum = Math.log((double) many) + 0.577_215_664_9;
    for (int k = 1; k <= 10; k++) {
      assertShare(1.0 / k / sum, counts[k - 1]);
    }
    ZipfNumbers numbers = new ZipfNumbers(many);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < DRAWS; i++) {
      long drawn = numbers.draw(random);
      assertTrue(drawn >= 0 && drawn < many);
    }
  }

  @Test
  void uniformDrawsAllAlike() {
    for (int count : counts(draw(Popularity.UNIFORM, 50, 0), 50)) {
      assertShare(0.02, count);
    }
  }

  @Test
  void classesAreDrawnByWeight() {
    RequestDraw draw =
        new RequestDraw(
            Plans.to("http://127.0.0.1:1")
                .objects(
                    new ObjectClass("a", 1, 1, 1, "/a"),
                    new ObjectClass("b", 1, 2, 1, "/b"),
                    new ObjectClass("c", 1, 5, 1, "/c"))
                .plan(),
            0,
            1,
            NOW);
    int[] counts = new int[3];
    for (int i = 0; i < DRAWS; i++) {
      draw.next();
      counts[draw.object()]++;
    }

    assertShare(0.125, counts[0]);
    assertShare(0.25, counts[1]);
    assertShare(0.625, counts[2]);
  }

  @Test
  void theShareOfFreshNamesIsKept() {
    RequestDraw draw = draw(Popularity.UNIFORM, 10, 0.2);
    int fresh = 0;
    for (int i = 0; i < DRAWS; i++) {
      draw.next();
      if (draw.number() >= 10) {
        fresh++;
      }
    }

    assertShare(0.2, fresh);
  }

  /** Otherwise the hit ratio of a short load would be off by chance. */
  @Test
  void theShareOfFreshNamesIsRightAfterFewRequestsOfManyDraws() {
    int fresh = 0;
    for (int index = 0; index < 48; index++) {
      RequestDraw draw =
          new RequestDraw(
              Plans.to("http://127.0.0.1:1")
                  .fresh(0.025)
                  .objects(new ObjectClass("x", 1, 1, 10, "/{n}"))
                  .plan(),
              index,
              48,
              NOW);
      for (int i = 0; i < 10; i++) {
        draw.next();
        fresh += draw.number() >= 10 ? 1 : 0;
      }
    }

    assertEquals(12, fresh);
  }

  @Test
  void theSameSeedDrawsTheSameAndDrawsBesideEachOtherDiffer() {
    LoadPlan plan = Plans.to("http://127.0.0.1:1").popularity(Popularity.ZIPF).plan();
    RequestDraw one = new RequestDraw(plan, 0, 2, NOW);
    RequestDraw again = new RequestDraw(plan, 0, 2, NOW);
    RequestDraw other = new RequestDraw(plan, 1, 2, NOW);
    StringBuilder[] drawn = {new StringBuilder(), new StringBuilder(), new StringBuilder()};
    for (int i = 0; i < 100; i++) {
      one.next();
      again.next();
      other.next();
      drawn[0].append(one.number());
      drawn[1].append(again.number());
      drawn[2].append(other.number());
    }

    assertEquals(drawn[0].toString(), drawn[1].toString());
    assertNotEquals(drawn[0].toString(), drawn[2].toString());
  }

  @Test
  void pathsHaveTheNumberWhereverItIsAskedFor() {
    for (String[] row :
        new String[][] {
          {"/o/{bytes}/{n}", "/lab/o/4096/120"},
          {"/{n}/v{n}/4KB/1", "/lab/120/v120/4KB/1"},
          {"/same", "/lab/same"}
        }) {
      ObjectPath path = new ObjectPath("/lab", new ObjectClass("x", 4096, 1, 200, row[0]));
      ByteBuf out = Unpooled.buffer();
      path.write(out, 120);

      assertEquals(row[1], path.text(120));
      assertEquals(row[1], out.toString(StandardCharsets.US_ASCII));
      assertEquals(row[1].length(), path.length(120));
    }
    ObjectPath path = new ObjectPath("", new ObjectClass("x", 1, 1, 1, "/{n}"));
    assertEquals("/0", path.text(0));
    assertEquals(20, path.length(Long.MAX_VALUE));
  }
}
