package io.forebay.lab.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Profiles divide sizes and times by a factor, and put keys over those of the file. */
final class ProfilesTest {
  private static final String FILE =
      """
      name: own
      title: Two steps
      server: {memory: 64GB, disk: 1TB}
      objects: [{name: page, size: 10MB}]
      footprint: 128GB
      load: {connections: [48, 100]}
      time: {warm-up: 60s, measured: 5m}
      repetitions: 3
      steps:
        - {name: a}
        - {name: b, footprint: 4x, time: {measured: 2m}}
      profiles:
        here: {factor: 64, time-factor: 10, set: {load: {connections: 7}, repetitions: 2}}
        smoke: {factor: 128, set: {server: {memory: 1GB, disk: null}}}
      """;

  @Test
  void fullLeavesAllAsItIs() {
    Scenario full = Scenarios.parse("own.yaml", FILE, Profile.FULL, 2);

    assertEquals(1, full.factor());
    assertEquals(3, full.repetitions());
    assertEquals(4, full.steps().size());
    assertEquals(64_000_000_000L, full.steps().getFirst().setup().server().memoryBytes());
    assertEquals(300, full.steps().getFirst().load().measuredSeconds());
  }

  @Test
  void sizesAndTimesAreDividedAlsoThoseOfASingleStep() {
    Scenario here = Scenarios.parse("own.yaml", FILE, Profile.HERE, 2);

    assertEquals(64, here.factor());
    assertEquals(10, here.timeFactor());
    Step first = here.steps().get(0);
    Step second = here.steps().get(1);
    assertEquals(1_000_000_000L, first.setup().server().memoryBytes());
    assertEquals(15_625_000_000L, first.setup().server().diskBytes());
    assertEquals(200, first.setup().objects().getFirst().count());
    assertEquals(400, second.setup().objects().getFirst().count());
    assertEquals(10_000_000, first.setup().objects().getFirst().bytes());
    assertEquals(6, first.load().warmUpSeconds());
    assertEquals(30, first.load().measuredSeconds());
    assertEquals(12, second.load().measuredSeconds());
  }

  @Test
  void keysOfAProfileReplaceThoseOfTheFileAndAreNotDivided() {
    Scenario here = Scenarios.parse("own.yaml", FILE, Profile.HERE, 2);
    Scenario smoke = Scenarios.parse("own.yaml", FILE, Profile.SMOKE, 2);

    assertEquals(2, here.repetitions());
    assertEquals(2, here.steps().size());
    assertEquals(7, here.steps().getFirst().load().connections());
    assertEquals(1_000_000_000L, smoke.steps().getFirst().setup().server().memoryBytes());
    assertEquals(0, smoke.steps().getFirst().setup().server().diskBytes());
  }

  @Test
  void settingsOfAResultAreThoseThatWereUsed() {
    Scenario here = Scenarios.parse("own.yaml", FILE, Profile.HERE, 2);

    assertEquals(
        Map.of("memory", "1000000000B", "disk", "15625000000B"), here.settings().get("server"));
    assertEquals("2000000000B", here.settings().get("footprint"));
    assertEquals(Map.of("warm-up", "6.000s", "measured", "30.000s"), here.settings().get("time"));
    assertEquals(false, here.settings().containsKey("profiles"));
  }
}
