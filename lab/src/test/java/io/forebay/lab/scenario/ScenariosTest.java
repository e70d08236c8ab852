package io.forebay.lab.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.scenario.Setup.HitRatioBy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scenarios of the lab, and where they are read from. */
final class ScenariosTest {
  private static final int CORES = 2;

  @Test
  void allScenariosCanBeReadInAllProfiles() throws IOException {
    for (String name : Scenarios.names()) {
      for (Profile profile : Profile.values()) {
        Scenario scenario = Scenarios.read(name, profile, CORES);

        assertEquals(name, scenario.name());
        assertTrue(!scenario.steps().isEmpty(), name);
        assertTrue(!scenario.source().isEmpty(), name);
        assertEquals(profile != Profile.FULL, scenario.factor() > 1, name + " " + profile);
        assertEquals(profile != Profile.FULL, scenario.timeFactor() > 1, name + " " + profile);
      }
    }
  }

  @Test
  void hereFitsTheMachineItIsMadeForAndAnHour() throws IOException {
    double seconds = 0;
    for (String name : Scenarios.names()) {
      Scenario scenario = Scenarios.read(name, Profile.HERE, CORES);
      for (Step step : scenario.steps()) {
        assertTrue(step.setup().server().memoryBytes() <= 8e9, step.name());
        assertTrue(step.setup().footprintBytes() <= 8e9, step.name());
      }
      seconds += scenario.repetitions() * seconds(scenario);
    }
    assertTrue(seconds < 0.6 * 3600, "seconds of load alone: " + seconds);
  }

  @Test
  void smokeTakesThreeMinutesAtMost() throws IOException {
    double seconds = 0;
    for (String name : Scenarios.names()) {
      Scenario scenario = Scenarios.read(name, Profile.SMOKE, CORES);
      seconds += scenario.repetitions() * seconds(scenario);
    }
    assertTrue(seconds < 0.55 * 180, "seconds of load alone: " + seconds);
  }

  /** Of loads; a search is counted as six steps, the size of a store as five. */
  private static double seconds(Scenario scenario) {
    double seconds = 0;
    for (Step step : scenario.steps()) {
      int loads = step.search() != null ? 6 : step.setup().sizedBy() != null ? 6 : 1;
      seconds += loads * (step.load().warmUpSeconds() + step.load().measuredSeconds());
    }
    return seconds;
  }

  @Test
  void listsOfDialsBecomeAStepForEachEntry() throws IOException {
    Scenario live = Scenarios.read("xeon6-live", Profile.FULL, CORES);
    assertEquals(List.of("live-48", "live-100", "live-800"), names(live));
    assertEquals(4 * 48, live.steps().getFirst().load().allConnections());
    assertEquals(live.steps().get(0).setup(), live.steps().get(2).setup());

    Scenario bytes = Scenarios.read("one-byte", Profile.FULL, 6);
    assertEquals(
        List.of(
            "bursts-1",
            "bursts-2",
            "bursts-4",
            "bursts-6",
            "keep-alive-1",
            "keep-alive-2",
            "keep-alive-4",
            "keep-alive-6",
            "objects-1",
            "objects-1000",
            "objects-1000000"),
        names(bytes));
    assertEquals(100, bytes.steps().getFirst().load().requestsPerConnection());

    Scenario sizes = Scenarios.read("flash-sizes", Profile.FULL, CORES);
    assertEquals(
        List.of("size-100k", "size-500k", "size-1m", "size-10m", "size-16m", "size-50m"),
        names(sizes));
    assertEquals("50m", sizes.steps().getLast().load().only());
  }

  private static List<String> names(Scenario scenario) {
    return scenario.steps().stream().map(Step::name).toList();
  }

  @Test
  void countsFollowFromTheFootprint() throws IOException {
    Setup live = Scenarios.read("xeon6-live", Profile.FULL, CORES).steps().getFirst().setup();
    assertEquals(128_000, live.objects().getFirst().count());
    assertEquals(256_000_000_000L, live.footprintBytes());

    Setup channels = Scenarios.read("att-kpis", Profile.FULL, CORES).steps().getFirst().setup();
    assertEquals(11, channels.objects().size());
    assertEquals(80 * 60, channels.objects().getFirst().count());
    assertEquals(80 * 60 * 26_024_000L, channels.footprintBytes());
    assertEquals(96L * 60 * 26_024_000L, channels.withChannels(96, 60).footprintBytes());
  }

  @Test
  void objectsApartFillTheFootprintEachByItself() throws IOException {
    for (Step step : Scenarios.read("flash-sizes", Profile.FULL, CORES).steps()) {
      assertEquals(1, step.setup().objects().size());
      assertEquals(step.load().only(), step.setup().objects().getFirst().name());
      assertEquals(256_000_000_000L, step.setup().footprintBytes());
    }
  }

  @Test
  void hitRatiosAreSetByFreshNamesOrByTheSizeOfTheStore() throws IOException {
    Step live = Scenarios.read("xeon6-live", Profile.FULL, CORES).steps().getFirst();
    assertEquals(0.012, live.load().freshShare(), 1e-9);
    assertNull(live.setup().sizedBy());

    Step sized = Scenarios.read("intel-2", Profile.FULL, CORES).steps().getFirst();
    assertEquals(0, sized.load().freshShare());
    assertEquals(HitRatioBy.STORE_SIZE, present(sized.setup().sizedBy()).by());
    assertEquals(0.8, present(sized.load().wanted()).wanted());
  }

  private static <T> T present(@Nullable T value) {
    return Objects.requireNonNull(value);
  }

  @Test
  void aFileOfAUserIsReadByItsPath(@TempDir Path directory) throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("own.yaml"),
            """
            name: own
            title: One object
            objects: [{name: page, size: 10KB, count: 7}]
            steps: [{name: only}]
            """);

    Scenario own = Scenarios.read(file.toString(), Profile.HERE, CORES);

    assertEquals("own", own.name());
    assertEquals(7, own.steps().getFirst().setup().objects().getFirst().count());
    assertEquals("/o/{bytes}/page-{n}", own.steps().getFirst().setup().objects().getFirst().path());
  }

  @Test
  void anUnknownNameIsAnsweredWithThoseThatThereAre() {
    ScenarioException wrong =
        assertThrows(ScenarioException.class, () -> Scenarios.read("xeon7", Profile.HERE, CORES));

    assertTrue(
        String.valueOf(wrong.getMessage()).startsWith("xeon7: is no scenario"), wrong.getMessage());
    assertTrue(String.valueOf(wrong.getMessage()).contains("xeon6-live"), wrong.getMessage());
  }
}
