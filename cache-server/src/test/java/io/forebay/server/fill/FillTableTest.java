package io.forebay.server.fill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class FillTableTest {

  @Test
  void theContentOfAtMost256QueriesIsHeldAtOnce() {
    FillTable table = new FillTable(1);
    int held = 0;
    while (held < 1000 && table.mayHoldContent()) {
      held++;
    }
    assertEquals(256, held);
    assertFalse(table.mayHoldContent());
    table.holdsContentNoLonger();
    assertTrue(table.mayHoldContent());
    assertFalse(table.mayHoldContent());
  }
}
