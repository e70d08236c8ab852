package io.forebay.lab.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class UnitsTest {

  @Test
  void sizesAreDecimalOrBinaryAsWritten() {
    assertEquals(384_000, Units.bytes("384KB").orElseThrow());
    assertEquals(1L << 30, Units.bytes("1GiB").orElseThrow());
    assertEquals(1_500_000, Units.bytes("1.5 MB").orElseThrow());
    assertEquals(17, Units.bytes("17").orElseThrow());
    assertTrue(Units.bytes("-1").isEmpty());
    assertTrue(Units.bytes("2mb").isEmpty());
    assertTrue(Units.bytes("999999999999999TB").isEmpty());
  }

  @Test
  void timesHaveAUnitAndSharesAPercentSign() {
    assertEquals(0.5, Units.seconds("500ms").orElseThrow());
    assertEquals(300, Units.seconds("5m").orElseThrow());
    assertTrue(Units.seconds("30").isEmpty());
    assertEquals(0.988, Units.share("98.8%").orElseThrow(), 1e-12);
    assertTrue(Units.share("101%").isEmpty());
    assertTrue(Units.share("0.9").isEmpty());
  }
}
