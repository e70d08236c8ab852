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
 * Stress test of the near-index: the record of an entry may be reused or replaced at any moment.
 */
public class NearIndexStress {
  /** Of {@code Races.NearSlice}. */
  @Outcome(
      id = {"0, 0, 0", "0, 1, 0", "1, 0, 0", "1, 1, 0"},
      expect = Expect.ACCEPTABLE,
      desc = "its own bytes, or none")
  @Outcome(expect = Expect.FORBIDDEN, desc = "bytes of another object")
  public static class Reused {}

  /** Of {@code Races.NearReplaced}. */
  @Outcome(
      id = {"0, 0, 1", "1, 0, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "the index was busy: nothing was replaced")
  @Outcome(
      id = {"0, 1, 2", "1, 1, 2", "2, 1, 2"},
      expect = Expect.ACCEPTABLE,
      desc = "one of the two while they were at it")
  @Outcome(
      id = {"10, 1, 2", "12, 1, 2"},
      expect = Expect.ACCEPTABLE,
      desc = "the new one, or none, once it was there")
  @Outcome(expect = Expect.FORBIDDEN, desc = "the old one after the replacement was acknowledged")
  public static class Replaced {}

  @JCStressTest
  @JCStressMeta(Reused.class)
  @State
  public static class RealSlice {
    private static final Supplier<Race> RACES = Weakening.races("NearSlice", null);

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
  @JCStressMeta(Reused.class)
  @State
  public static class NearWithoutGeneration {
    private static final Supplier<Race> RACES =
        Weakening.races("NearSlice", Weakening.NEAR_WITHOUT_GENERATION);

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
  @JCStressMeta(Replaced.class)
  @State
  public static class RealHead {
    private static final Supplier<Race> RACES = Weakening.races("NearReplaced", null);

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
  @JCStressMeta(Replaced.class)
  @State
  public static class NearWithoutLive {
    private static final Supplier<Race> RACES =
        Weakening.races("NearReplaced", Weakening.NEAR_WITHOUT_LIVE);

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
