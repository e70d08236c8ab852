package io.forebay.server.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class CpuPlanTest {

  /** A machine whose CPUs {@code n} and {@code n + 4} are threads of one core. */
  private static CpuPlan.Machine machine(String allowed) {
    BitSet cpus = allowed.isEmpty() ? new BitSet() : CpuPlan.parseList(allowed);
    return new CpuPlan.Machine() {
      @Override
      public BitSet allowed() {
        return cpus;
      }

      @Override
      public int coreOf(int cpu) {
        return cpu % 4;
      }
    };
  }

  @Test
  void givesEachLoopACpuOfItsOwn() throws ListenException {
    assertEquals(List.of(1, 3), CpuPlan.of("auto", 2, machine("1,3")).cpus());
    assertEquals(List.of(2, 3), CpuPlan.of("auto", 2, machine("2-5")).cpus());
  }

  @Test
  void takesSecondThreadsOfACoreLast() throws ListenException {
    assertEquals(List.of(0, 1, 2, 3, 4, 5), CpuPlan.of("auto", 6, machine("0-7")).cpus());
    assertEquals(List.of(0, 5, 4), CpuPlan.of("auto", 3, machine("0,4,5")).cpus());
  }

  @Test
  void doesNotPinWhereItWouldDoHarm() throws ListenException {
    assertUnpinned("not pinned: threads.pin is off", CpuPlan.of("off", 2, machine("0-3")));
    assertUnpinned("not pinned: 3 loops for 2 CPUs", CpuPlan.of("auto", 3, machine("0-1")));
    assertUnpinned("not pinned: the process has only CPU 1", CpuPlan.of("auto", 1, machine("1")));
    assertUnpinned(
        "not pinned: the CPUs available to the process are unknown",
        CpuPlan.of("auto", 1, machine("")));
  }

  private static void assertUnpinned(String word, CpuPlan plan) {
    assertEquals(word, plan.word());
    assertEquals(CpuPlan.UNPINNED, plan.cpuOf(0));
  }

  @Test
  void takesAListAsItIs() throws ListenException {
    CpuPlan plan = CpuPlan.of("2, 0", 2, machine("0-3"));
    assertEquals(List.of(2, 0), plan.cpus());
    assertEquals("pinned to CPUs [2, 0]", plan.word());
  }

  @Test
  void refusesAListThatCannotBe() {
    assertRefused("pin 0: 1 CPUs for 2 loops; name one CPU for each loop", "0", 2);
    assertRefused("pin 0,0: CPU 0 is named twice", "0,0", 2);
    assertRefused("pin 0,9: CPU 9 is not among those of this process, {0, 1, 2, 3}", "0,9", 2);
    assertRefused("pin 0,x: 'x' is not a CPU number", "0,x", 2);
  }

  private static void assertRefused(String message, String pin, int loops) {
    ListenException e =
        assertThrows(ListenException.class, () -> CpuPlan.of(pin, loops, machine("0-3")));
    assertEquals(message, e.getMessage());
  }

  @Test
  void readsTheKernelsLists() {
    assertEquals("{0, 1, 2, 3, 8, 10, 11}", CpuPlan.parseList("0-3,8,10-11").toString());
  }

  @Test
  void knowsThisMachine() {
    CpuPlan.Machine here = CpuPlan.Machine.here();
    BitSet allowed = here.allowed();
    assertTrue(allowed.cardinality() >= 1, "" + allowed);
    int first = allowed.nextSetBit(0);
    assertTrue(here.coreOf(first) <= first);
  }
}
