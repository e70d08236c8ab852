package io.forebay.lab.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.model.FleetModel.Fleet;
import io.forebay.lab.model.FleetModel.Machine;
import java.util.List;
import org.junit.jupiter.api.Test;

class FleetModelTest {
  private static final FleetModel MODEL = FleetModel.PUBLISHED;

  @Test
  void theFleetOfTodayNeedsWhatItHas() {
    Fleet today = MODEL.of(FleetModel.PUBLISHED_MACHINES).getFirst();
    assertEquals(200, today.racks());
    assertEquals(1.56, today.megawatts(), 0.001);
    assertEquals(0, today.savedMegawatts(), 1e-9);
    assertEquals(285.5, today.watts(), 0.1);
    assertEquals(5464, today.servers());
  }

  @Test
  void publishedServersNeedRacksAroundThePublished72() {
    List<Fleet> fleets = MODEL.of(FleetModel.PUBLISHED_MACHINES);
    assertEquals(List.of(200L, 81L, 69L, 84L, 77L), fleets.stream().map(Fleet::racks).toList());
    assertEquals(543, fleets.getLast().servers());
  }

  /** What the published figures imply: 1.53 beside 0.55 Gbit/s per W, 7.8 kW a rack. */
  @Test
  void theImpliedEfficiencyGives72RacksAndAMegawattLess() {
    List<Fleet> fleets =
        MODEL.of(List.of(new Machine("old", 154, 0.55), new Machine("new", 1556, 1.53)));
    assertEquals(72, fleets.getLast().racks());
    assertEquals(1.0, fleets.getLast().savedMegawatts(), 0.005);
  }

  @Test
  void thePublishedFiguresAreNamedWithTheirAssumptions() {
    List<Discrepancy> discrepancies = MODEL.discrepancies(FleetModel.PUBLISHED_MACHINES);
    assertEquals("71 with the best of two CPUs", discrepancies.getFirst().reckoned());
    assertTrue(discrepancies.getFirst().assumption().contains("0.55"));
    assertEquals("1.00 MW with 72 racks", discrepancies.getLast().reckoned());
    assertTrue(discrepancies.getLast().assumption().contains("7.8 kW"));
  }

  @Test
  void aFleetHasRacks() {
    assertThrows(IllegalArgumentException.class, () -> new FleetModel(0, 10));
    assertThrows(IllegalArgumentException.class, () -> new Machine("dark", 10, 0));
  }
}
