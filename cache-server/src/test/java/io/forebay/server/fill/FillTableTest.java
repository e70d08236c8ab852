package io.forebay.server.fill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class FillTableTest {

  @Test
  void theContentOfAtMost256QueriesIsHeldAtOnce() {
    FillTable table = new FillTable(1, 1);
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

  @Test
  void fetchesForRefusedLoadsAreBoundedAndTheBoundCanBeChanged() {
    FillTable table = new FillTable(1, 2);
    assertTrue(table.refusedLoadBegins());
    assertTrue(table.refusedLoadBegins());
    assertFalse(table.refusedLoadBegins());
    table.refusedLoadEnds();
    assertTrue(table.refusedLoadBegins());
    table.limit(1, 3);
    assertTrue(table.refusedLoadBegins());
    assertFalse(table.refusedLoadBegins());
  }
}
