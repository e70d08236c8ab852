package io.forebay.lab.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.model.EnduranceModel.Wear;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnduranceModelTest {

  @Test
  void aLiveBufferWearsFlashOutInDaysAndPersistentMemoryInYears() {
    List<Wear> wear = EnduranceModel.at(EnduranceModel.PUBLISHED, 240);
    assertEquals(1250, wear.getFirst().ratedPerDay(), 0.5);
    assertEquals(26, wear.getFirst().yearsLeft(), 0.1);
    assertEquals(8.1, wear.get(1).yearsLeft(), 0.1);
    assertEquals(5 * 3 / 240.0, wear.getLast().yearsLeft(), 1e-9);
    assertEquals(3, wear.getLast().ratedPerDay(), 1e-9);
  }

  @Test
  void whatWasWrittenIsTakenOffTheEndurance() {
    EnduranceModel drive = new EnduranceModel("drive", 1000, 3.65, 5);
    Wear wear = drive.at(1000, 1.825);
    assertEquals(1, wear.perDay());
    assertEquals(5, wear.yearsLeft(), 1e-9);
    assertEquals(0, drive.at(1000, 99).yearsLeft());
    assertTrue(Double.isInfinite(drive.at(0, 0).yearsLeft()));
  }

  @Test
  void aDriveHasASizeAndARating() {
    assertThrows(IllegalArgumentException.class, () -> new EnduranceModel("none", 0, 1, 5));
  }
}
