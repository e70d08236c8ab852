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

/** Stress test: purges stay in force while the purge table overflows. */
public class OverflowStress {
  /** Of {@code Races.Overflowing}. */
  @Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "dead each time")
  @Outcome(expect = Expect.FORBIDDEN, desc = "alive between the scope and the floor")
  public static class Graded {}

  @JCStressTest
  @JCStressMeta(Graded.class)
  @State
  public static class Real {
    private static final Supplier<Race> RACES = Weakening.races("Overflowing", null);

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
  public static class RealByScopes {
    private static final Supplier<Race> RACES = Weakening.races("OverflowingByScopes", null);

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
  public static class FloorBeforeSize {
    private static final Supplier<Race> RACES =
        Weakening.races("Overflowing", Weakening.FLOOR_BEFORE_SIZE);

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
  public static class FloorBeforeSizeByScopes {
    private static final Supplier<Race> RACES =
        Weakening.races("OverflowingByScopes", Weakening.FLOOR_BEFORE_SIZE_BY_SCOPES);

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
