package io.forebay.lab.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CpuListTest {

  @Test
  void readsNumbersAndRanges() {
    assertEquals(List.of(0, 1, 2, 3, 8), CpuList.parse("8,0-3,2\n").numbers());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "3-1", "1,", "-1", "0-3;reboot", "99999", "1 2"})
  void refusesWhatIsNone(String text) {
    assertThrows(IllegalArgumentException.class, () -> CpuList.parse(text));
  }

  @Test
  void isDividedWithoutAGapOrAnOverlap() {
    CpuList five = CpuList.parse("0-4");
    assertEquals("0,1", five.part(0, 2).text());
    assertEquals("2,3,4", five.part(1, 2).text());
  }

  @Test
  void isSharedWhereThereAreFewerThanInstances() {
    CpuList two = CpuList.parse("4,6");
    assertEquals("4", two.part(2, 3).text());
    assertEquals("6", two.part(1, 3).text());
  }

  @Test
  void knowsThoseOfThisProcess() {
    assertTrue(CpuList.available().size() >= Runtime.getRuntime().availableProcessors());
  }
}
