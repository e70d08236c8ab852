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

/** Stress test: everything below a writer's watermark is readable. */
public class WatermarkStress {
  /** Of {@code Races.Watermark}. */
  @Outcome(
      id = {"1, 0, 0", "1, 1, 0"},
      expect = Expect.ACCEPTABLE,
      desc = "nothing yet, or what was appended")
  @Outcome(expect = Expect.FORBIDDEN, desc = "other bytes below the watermark")
  public static class Graded {}

  @JCStressTest
  @JCStressMeta(Graded.class)
  @State
  public static class Real {
    private static final Supplier<Race> RACES = Weakening.races("Watermark", null);

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
  public static class WatermarkBeforeBytes {
    private static final Supplier<Race> RACES =
        Weakening.races("Watermark", Weakening.WATERMARK_BEFORE_BYTES);

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
