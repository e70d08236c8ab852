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
 * Stress test of conditional index updates: in any order of writers, a key refers to the youngest
 * record that was installed, and only that record is live.
 */
public class IndexStress {
  /** Of {@code Races.Installing}. */
  @Outcome(
      id = {"1, 1, 2", "2, 1, 2", "0, 1, 2"},
      expect = Expect.ACCEPTABLE,
      desc = "the younger one won")
  @Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "the younger one met a busy index")
  @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "both did")
  @Outcome(expect = Expect.FORBIDDEN, desc = "the older one won, or too many are live")
  public static class Younger {}

  /** Of {@code Races.Moving} and {@code Races.Forgetting}. */
  @Outcome(id = "0, 1, 2", expect = Expect.ACCEPTABLE, desc = "the younger one won")
  @Outcome(
      id = {"0, 0, 1", "0, 0, 0"},
      expect = Expect.ACCEPTABLE,
      desc = "the younger one met a busy index")
  @Outcome(expect = Expect.FORBIDDEN, desc = "the younger one was lost, or too many are live")
  public static class Kept {}

  /** Of {@code Races.Reviving}. */
  @Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "it is gone")
  @Outcome(
      id = {"0, 0, 1", "0, 0, 0"},
      expect = Expect.ACCEPTABLE,
      desc = "the index was busy")
  @Outcome(expect = Expect.FORBIDDEN, desc = "what was removed came back")
  public static class Gone {}

  @JCStressTest
  @JCStressMeta(Younger.class)
  @State
  public static class RealInstall {
    private static final Supplier<Race> RACES = Weakening.races("Installing", null);

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
  @JCStressMeta(Younger.class)
  @State
  public static class InstalledWithoutBirth {
    private static final Supplier<Race> RACES =
        Weakening.races("Installing", Weakening.INSTALLED_WITHOUT_BIRTH);

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
  @JCStressMeta(Kept.class)
  @State
  public static class RealMove {
    private static final Supplier<Race> RACES = Weakening.races("Moving", null);

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
  @JCStressMeta(Kept.class)
  @State
  public static class MovedWithoutCondition {
    private static final Supplier<Race> RACES =
        Weakening.races("Moving", Weakening.MOVED_WITHOUT_CONDITION);

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
  @JCStressMeta(Gone.class)
  @State
  public static class RealRemoval {
    private static final Supplier<Race> RACES = Weakening.races("Reviving", null);

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
  @JCStressMeta(Gone.class)
  @State
  public static class RevivedWithoutCondition {
    private static final Supplier<Race> RACES =
        Weakening.races("Reviving", Weakening.MOVED_WITHOUT_CONDITION);

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
  @JCStressMeta(Kept.class)
  @State
  public static class RealForgetting {
    private static final Supplier<Race> RACES = Weakening.races("Forgetting", null);

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
  @JCStressMeta(Kept.class)
  @State
  public static class ForgottenWithoutPlace {
    private static final Supplier<Race> RACES =
        Weakening.races("Forgetting", Weakening.FORGOTTEN_WITHOUT_PLACE);

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
