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
 * Stress test of the index of a store with a disk: wherever a record is, the younger one answers,
 * and once that is gone no older one does.
 */
public class TierStress {
  /** Of {@code TierRaces.Demoting} and {@code TierRaces.Promoting}. */
  @Outcome(
      id = {"1, 1, 2", "0, 1, 2"},
      expect = Expect.ACCEPTABLE,
      desc = "the younger one is there, and nothing behind it")
  @Outcome(
      id = {"1, 0, 1", "0, 0, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "the younger one met a busy index")
  @Outcome(expect = Expect.FORBIDDEN, desc = "the older one answers, or the younger one is lost")
  public static class Younger {}

  /** Of {@code TierRaces.Colliding}. */
  @Outcome(
      id = {"0, 1, 2", "1, 1, 2"},
      expect = Expect.ACCEPTABLE,
      desc = "the younger one has the name")
  @Outcome(
      id = {"0, 0, 102", "0, 1, 102", "1, 0, 112"},
      expect = Expect.ACCEPTABLE,
      desc = "one or both met a busy index and are in memory")
  @Outcome(expect = Expect.FORBIDDEN, desc = "the older one has the younger one's name")
  public static class Named {}

  /** Of {@code TierRaces.ReadingSlot}. */
  @Outcome(
      id = {"1, 1, 2", "2, 1, 2", "9, 1, 2"},
      expect = Expect.ACCEPTABLE,
      desc = "one or the other, or not in time")
  @Outcome(
      id = {"1, 0, 1", "9, 0, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "the change met a busy index")
  @Outcome(expect = Expect.FORBIDDEN, desc = "some of both, or neither")
  public static class Whole {}

  /** Of {@code TierRaces.SharingRun}. */
  @Outcome(
      id = "1, 1, 2120",
      expect = Expect.ACCEPTABLE,
      desc = "one has joined the run, the other has left it")
  @Outcome(
      id = {"0, 1, 1120", "1, 0, 2220", "0, 0, 1220"},
      expect = Expect.ACCEPTABLE,
      desc = "one or both met a busy index")
  @Outcome(expect = Expect.FORBIDDEN, desc = "a slice is lost, or one that has left is named")
  public static class Shared {}

  @JCStressTest
  @JCStressMeta(Younger.class)
  @State
  public static class RealDemotion {
    private static final Supplier<Race> RACES = Weakening.tierRaces("Demoting", null);

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
  public static class InstalledBesideTable {
    private static final Supplier<Race> RACES =
        Weakening.tierRaces("Demoting", Weakening.INSTALLED_BESIDE_TABLE);

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
  public static class RealPromotion {
    private static final Supplier<Race> RACES = Weakening.tierRaces("Promoting", null);

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
  public static class PromotedBesideTable {
    private static final Supplier<Race> RACES =
        Weakening.tierRaces("Promoting", Weakening.INSTALLED_BESIDE_TABLE);

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
  @JCStressMeta(Named.class)
  @State
  public static class RealCollision {
    private static final Supplier<Race> RACES = Weakening.tierRaces("Colliding", null);

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
  @JCStressMeta(Named.class)
  @State
  public static class NamedWithoutBirth {
    private static final Supplier<Race> RACES =
        Weakening.tierRaces("Colliding", Weakening.NAMED_WITHOUT_BIRTH);

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
  @JCStressMeta(Whole.class)
  @State
  public static class RealReading {
    private static final Supplier<Race> RACES = Weakening.tierRaces("ReadingSlot", null);

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
  @JCStressMeta(Whole.class)
  @State
  public static class ReadOnce {
    private static final Supplier<Race> RACES =
        Weakening.tierRaces("ReadingSlot", Weakening.READ_ONCE);

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
  @JCStressMeta(Shared.class)
  @State
  public static class RealSharing {
    private static final Supplier<Race> RACES = Weakening.tierRaces("SharingRun", null);

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
  @JCStressMeta(Shared.class)
  @State
  public static class JoinedWithoutLock {
    private static final Supplier<Race> RACES =
        Weakening.tierRaces("SharingRun", Weakening.JOINED_WITHOUT_LOCK);

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
