package io.forebay.storage;

import java.util.function.Supplier;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Stress test of the counts of installed heads: a lane that has found nothing, and sees that no
 * fill is under way any more, learns by the count that there is something now.
 */
public class CountStress {
  /** Of {@code Races.Counting}. */
  @Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "it was found")
  @Outcome(id = "2, 1, 1", expect = Expect.ACCEPTABLE, desc = "the count has told that it came")
  @Outcome(id = "0, 1, 1", expect = Expect.ACCEPTABLE, desc = "the fill took too long")
  @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "the index was busy")
  @Outcome(expect = Expect.FORBIDDEN, desc = "what was installed counts as absent")
  public static class Graded {}

  @JCStressTest
  @JCStressMeta(Graded.class)
  @State
  public static class Real {
    private static final Supplier<Race> RACES = Weakening.races("Counting", null);

    private final Race race = RACES.get();

    @Actor
    public void first(III_Result result) {
      result.r1 = race.first();
    }

    @Actor
    public void second(III_Result result) {
      result.r2 = race.second();
    }

    @Arbiter
    public void after(III_Result result) {
      result.r3 = race.after();
    }
  }

  @JCStressTest
  @JCStressMeta(Graded.class)
  @State
  public static class CountedBeforeNamed {
    private static final Supplier<Race> RACES =
        Weakening.races("Counting", Weakening.COUNTED_BEFORE_NAMED);

    private final Race race = RACES.get();

    @Actor
    public void first(III_Result result) {
      result.r1 = race.first();
    }

    @Actor
    public void second(III_Result result) {
      result.r2 = race.second();
    }

    @Arbiter
    public void after(III_Result result) {
      result.r3 = race.after();
    }
  }
}
