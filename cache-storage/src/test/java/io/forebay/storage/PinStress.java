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
 * Stress test of pins: either the reader sees that a region is being emptied, or the reclaimer sees
 * the reader's pin, so a region is never reused under its reader.
 */
public class PinStress {
  /** Of {@code Races.Pinning} and {@code Races.PinningTwo}. */
  @Outcome(
      id = {"0, 0, 0", "0, 1, 0"},
      expect = Expect.ACCEPTABLE,
      desc = "the reader was refused")
  @Outcome(
      id = "1, 0, 0",
      expect = Expect.ACCEPTABLE,
      desc = "the reclaimer has to wait for the reader")
  @Outcome(expect = Expect.FORBIDDEN, desc = "the region was reused under its reader")
  public static class Graded {}

  @JCStressTest
  @JCStressMeta(Graded.class)
  @State
  public static class Real {
    private static final Supplier<Race> RACES = Weakening.races("Pinning", null);

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
  public static class PinnedWithRelease {
    private static final Supplier<Race> RACES =
        Weakening.races("Pinning", Weakening.PINNED_WITH_RELEASE);

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
  public static class ValidatedBeforePinned {
    private static final Supplier<Race> RACES =
        Weakening.races("Pinning", Weakening.VALIDATED_BEFORE_PINNED);

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
  public static class MarkedWithoutFence {
    private static final Supplier<Race> RACES =
        Weakening.races("Pinning", Weakening.MARKED_WITHOUT_FENCE);

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
  public static class RealTwo {
    private static final Supplier<Race> RACES = Weakening.races("PinningTwo", null);

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
  public static class TwoPinnedWithoutFence {
    private static final Supplier<Race> RACES =
        Weakening.races("PinningTwo", Weakening.TWO_PINNED_WITHOUT_FENCE);

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
