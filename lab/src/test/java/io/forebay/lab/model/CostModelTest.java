package io.forebay.lab.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.model.CostModel.Cost;
import io.forebay.lab.model.CostModel.Machine;
import java.util.List;
import org.junit.jupiter.api.Test;

class CostModelTest {
  private static final CostModel MODEL = CostModel.PUBLISHED;
  private static final List<Machine> MACHINES = CostModel.PUBLISHED_MACHINES;

  @Test
  void aServerCostsItsPriceItsPowerAndItsRoom() {
    Cost dram = MODEL.of(MACHINES).getFirst();
    // 1.1 kW * 1.3 * 8760 h * 5 * $0.12, and 2 * $75.76 * 5
    assertEquals(7516.08, dram.power(), 0.01);
    assertEquals(757.60, dram.room(), 0.01);
    assertEquals(33_326.68, dram.total(), 0.01);
    assertEquals(0, dram.change());
    // 80 Gbit/s, half of it, 5 years: 786,000 TB
    assertEquals(4.24, dram.centsPerTerabyte(), 0.01);
  }

  @Test
  void thePublishedComparisonsComeOutAsReckoned() {
    List<Discrepancy> discrepancies = MODEL.discrepancies(MACHINES).subList(0, 3);
    assertEquals(
        List.of("-30 %", "+14 %", "-72 %"),
        discrepancies.stream().map(Discrepancy::published).toList());
    assertEquals(
        List.of("-31 %", "+21 %", "-72 %"),
        discrepancies.stream().map(Discrepancy::reckoned).toList());
    String implied = discrepancies.get(2).assumption();
    assertTrue(implied.contains("4.2 times") && implied.contains("80 Gbit/s"), implied);
  }

  @Test
  void racksOfTheirKilowattsHoldOtherNumbersThanThePapers() {
    assertEquals(
        List.of(9, 9, 8, 7), MODEL.of(MACHINES).stream().map(Cost::serversPerRack).toList());
    List<Discrepancy> discrepancies = MODEL.discrepancies(MACHINES);
    assertEquals(
        List.of("9", "9", "7"),
        discrepancies.subList(3, discrepancies.size()).stream()
            .map(Discrepancy::reckoned)
            .toList());
  }

  @Test
  void halfTheThroughputIsTwiceTheCost() {
    Machine whole = new Machine("whole", 10_000, 0.5, 100, 1);
    Machine half = new Machine("half", 10_000, 0.5, 50, 1);
    List<Cost> costs = MODEL.of(List.of(whole, half));
    assertEquals(1, costs.get(1).change(), 1e-9);
    assertEquals(100, MODEL.impliedGigabits(whole, half, -0.5) * 4, 1e-9);
    assertEquals(List.of(), MODEL.discrepancies(List.of(whole, half)));
  }

  @Test
  void wrongConstantsAreToldWhatToWrite() {
    assertThrows(IllegalArgumentException.class, () -> new CostModel(0, 1.3, 75, 0.5, 5, 10, 42));
    assertThrows(IllegalArgumentException.class, () -> new CostModel(1, 1.3, 75, 1.5, 5, 10, 42));
    assertThrows(IllegalArgumentException.class, () -> new Machine("free", 0, 1, 1, 1));
  }
}
