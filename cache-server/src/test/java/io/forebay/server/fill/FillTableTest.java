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
    while (held < 1000 && table.tryBeginContent()) {
      held++;
    }
    assertEquals(256, held);
    assertFalse(table.tryBeginContent());
    table.endContent();
    assertTrue(table.tryBeginContent());
    assertFalse(table.tryBeginContent());
  }

  @Test
  void fetchesForRefusedLoadsAreBoundedAndTheBoundCanBeChanged() {
    FillTable table = new FillTable(1, 2);
    assertTrue(table.tryBeginRefusedLoad());
    assertTrue(table.tryBeginRefusedLoad());
    assertFalse(table.tryBeginRefusedLoad());
    table.endRefusedLoad();
    assertTrue(table.tryBeginRefusedLoad());
    table.limit(1, 3);
    assertTrue(table.tryBeginRefusedLoad());
    assertFalse(table.tryBeginRefusedLoad());
  }
}
