package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.MemorySize;
import io.forebay.storage.IndexCapacity;
import io.forebay.storage.memory.MachineMemory;
import io.forebay.storage.memory.PageReclaim;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryPlanTest {
  private static final long MEBI = 1 << 20;
  private static final long GIBI = 1 << 30;

  private static MemoryPlan plan(long limit, long heap, long direct, long disks, long place) {
    return plan(limit, heap, direct, disks, place, 0, 0);
  }

  private static MemoryPlan plan(
      long limit,
      long heap,
      long direct,
      long disks,
      long place,
      long middle,
      long middleInMemory) {
    MachineMemory.Reading machine =
        new MachineMemory.Reading(
            limit, "control group /edge", limit, "control group /edge", 0, PageReclaim.NONE);
    return new MemoryPlan(
        machine,
        heap,
        direct,
        disks,
        0,
        25,
        IndexCapacity.Learned.NOTHING,
        disks == 0 ? 0 : 64 * MEBI,
        place,
        middle,
        middleInMemory,
        0);
  }

  private static MemoryPlan.Sum sum(MemoryPlan plan, long tierBytes) {
    return plan.expectedSum(tierBytes);
  }

  @Test
  void aSizeIsTakenAsItIs() throws Exception {
    MemoryPlan plan = plan(GIBI, 512 * MEBI, 512 * MEBI, 0, 0);
    assertEquals(5 * GIBI, plan.tierBytes(MemorySize.of(5 * GIBI), true));
    assertNull(plan.choice(MemorySize.of(5 * GIBI), 5 * GIBI));
    MemoryPlan.Sum sum = sum(plan, 5 * GIBI);
    assertFalse(sum.fits());
    assertTrue(sum.line().contains("MORE THAN 1024 MiB (control group /edge)"), sum.line());
  }

  @Test
  void aShareThatFitsIsThatShare() throws Exception {
    MemoryPlan plan = plan(64 * GIBI, 512 * MEBI, 512 * MEBI, 0, 0);
    long tier = plan.tierBytes(MemorySize.share(60), false);
    assertTrue(tier <= 64 * GIBI / 100 * 60 && tier > 64 * GIBI / 100 * 58, tier + " bytes");
    assertTrue(sum(plan, tier).fits());
    String choice = String.valueOf(plan.choice(MemorySize.share(60), tier));
    assertTrue(
        choice.startsWith("store.memory: 60% of 65536 MiB (control group /edge) are 39321 MiB"));
    assertFalse(choice.contains("more does not fit"), choice);
  }

  @ParameterizedTest
  @ValueSource(longs = {2, 3, 5, 8, 17, 33, 100, 1000})
  void whateverTheShareTheSumFits(long gibi) throws Exception {
    for (int percent : new int[] {1, 25, 60, 90}) {
      for (long disks : new long[] {0, 100 * GIBI}) {
        MemoryPlan plan = plan(gibi * GIBI, 512 * MEBI, 512 * MEBI, disks, 0);
        long tier;
        try {
          tier = plan.tierBytes(MemorySize.share(percent), false);
        } catch (StartException refused) {
          assertTrue(gibi <= 2, gibi + " GiB refused");
          continue;
        }
        assertTrue(tier <= gibi * GIBI / 100 * percent);
        MemoryPlan.Sum sum = sum(plan, tier);
        assertTrue(sum.fits(), sum.line());
      }
    }
  }

  @Test
  void aShareThatLeavesNothingIsRefusedInOneLine() {
    StartException refused =
        assertThrows(
            StartException.class,
            () -> plan(GIBI, 512 * MEBI, 512 * MEBI, 0, 0).tierBytes(MemorySize.share(60), false));
    assertEquals(StartException.NO_RESOURCE, refused.exitCode());
    assertEquals(1, refused.lines().size());
    String line = refused.lines().getFirst();
    assertTrue(line.startsWith("store.memory: 60%: of 1024 MiB (control group /edge) heap"), line);
    assertTrue(line.contains("-Xmx"), line);
    StartException unknown =
        assertThrows(
            StartException.class,
            () -> plan(0, 512 * MEBI, 512 * MEBI, 0, 0).tierBytes(MemorySize.share(60), false));
    assertTrue(unknown.lines().getFirst().contains("set a size"));
  }

  @Test
  void aFewPagesMoreOrLessAreTheSameSize() throws Exception {
    long one =
        plan(24_064 * MEBI, 512 * MEBI, 512 * MEBI, 0, 0).tierBytes(MemorySize.share(60), false);
    long other =
        plan(24_060 * MEBI, 512 * MEBI, 512 * MEBI, 0, 0).tierBytes(MemorySize.share(60), false);
    assertEquals(one, other);
  }

  @Test
  void itIsCutToItsPlaceUnlessThatIsADefaultOneAndTiny() throws Exception {
    long whole = 20 * GIBI;
    MemoryPlan half = plan(whole, 512 * MEBI, 512 * MEBI, 0, whole / 2);
    long tier = half.tierBytes(MemorySize.share(60), false);
    assertTrue(tier < whole / 2 && tier > whole * 4 / 10, tier + " bytes");
    MemoryPlan tiny = plan(whole, 512 * MEBI, 512 * MEBI, 0, 64 * MEBI);
    assertTrue(tiny.tierBytes(MemorySize.share(60), false) > whole / 2);
    assertTrue(tiny.tierBytes(MemorySize.share(60), true) < 64 * MEBI);
  }

  @Test
  void eightLargeDisksStartWithAQuarterOfMemoryForTheIndex() throws Exception {
    MemoryPlan plan = plan(256 * GIBI, 512 * MEBI, 512 * MEBI, 8 * 28 * 1024 * GIBI, 0);

    long tier = plan.tierBytes(MemorySize.share(60), false);

    MemoryPlan.Sum sum = sum(plan, tier);
    assertTrue(sum.fits(), sum.line());
    assertTrue(tier > 128 * GIBI, sum.line());
    assertTrue(sum.indexBytes() <= 64 * GIBI + MEBI && sum.indexBytes() > 60 * GIBI, sum.line());
    String warning = String.valueOf(plan.indexWarning(tier));
    assertTrue(warning.contains("25% of memory"), warning);
    assertTrue(warning.contains("store.index-entries"), warning);
  }

  @Test
  void saysWhichPartOfTheDisksTheIndexCanName() {
    MemoryPlan large = plan(256 * GIBI, 512 * MEBI, 512 * MEBI, 8 * 28 * 1024 * GIBI, 0);
    IndexCapacity index = large.index(128 * GIBI);
    // One entry for a body that lies with its head, two for one with a slice of a MiB.
    double forDisks = index.diskEntries();
    double disks = 8.0 * 28 * 1024 * GIBI;
    assertEquals(forDisks * 32_000 / disks, index.diskShare(32_000), 1e-9);
    assertEquals(forDisks / 2 * 100_000 / disks, index.diskShare(100_000), 1e-9);
    assertEquals(1, index.diskShare(1_000_000));
    // Three slices of 64 KiB are in one group, and a third of the groups takes one entry more.
    IndexCapacity small =
        plan(256 * GIBI, 512 * MEBI, 512 * MEBI, 8 * 28 * 1024 * GIBI, 0).index(128 * MEBI);
    assertEquals(small.diskEntries() / (1 + 1.3) * 150_000 / disks, small.diskShare(150_000), 1e-9);
    String line = large.indexLine(128 * GIBI);
    assertTrue(line.matches("\\d+ entries in \\d+ MiB, \\d+ of them .* can name .* at 1 MB"), line);
    assertEquals("", plan(64 * GIBI, 512 * MEBI, 512 * MEBI, 0, 0).indexLine(GIBI));
    assertEquals(1, plan(64 * GIBI, 0, 0, 0, 0).index(GIBI).diskShare(32_000));
  }

  @Test
  void anIndexThatFitsIsNoWarning() throws Exception {
    MemoryPlan plan = plan(64 * GIBI, 512 * MEBI, 512 * MEBI, 1024 * GIBI, 0);
    long tier = plan.tierBytes(MemorySize.share(60), false);
    assertNull(plan.indexWarning(tier));
    IndexCapacity index = plan.index(tier);
    assertEquals(tier / 4096, index.memoryEntries());
    assertTrue(index.diskEntries() >= 1024 * GIBI / 32768, index::toString);
    assertTrue(index.bytes() <= 64 * GIBI / 4, index::toString);
  }

  @Test
  void aMiddleTierOnATmpfsCountsAndOneOnDaxDoesNotButItsIndexDoes() throws Exception {
    MemoryPlan none = plan(64 * GIBI, GIBI, GIBI, 0, 0);
    MemoryPlan tmpfs = plan(64 * GIBI, GIBI, GIBI, 0, 0, 16 * GIBI, 16 * GIBI);
    MemoryPlan dax = plan(64 * GIBI, GIBI, GIBI, 0, 0, 16 * GIBI, 0);
    long entries = 16 * GIBI / 4096;
    assertEquals(none.index(GIBI).entries() + entries, tmpfs.index(GIBI).entries());
    assertEquals(tmpfs.index(GIBI), dax.index(GIBI));
    MemoryPlan.Sum counted = sum(tmpfs, GIBI);
    MemoryPlan.Sum free = sum(dax, GIBI);
    assertEquals(16 * GIBI, counted.bytes() - free.bytes());
    assertEquals(
        free.bytes() - none.expectedSum(GIBI).bytes(),
        dax.index(GIBI).bytes() - none.index(GIBI).bytes());
    assertTrue(counted.line().contains("tier 1024 + middle tiers 16384 + index"), counted.line());
    assertFalse(free.line().contains("middle"), free.line());
    // A share is of what the middle tiers leave.
    assertTrue(sum(tmpfs, tmpfs.tierBytes(MemorySize.share(90), false)).fits());
    assertTrue(
        tmpfs.tierBytes(MemorySize.share(90), false)
            < none.tierBytes(MemorySize.share(90), false) - 14 * GIBI);
  }

  @Test
  void aNamedPlaceThatCannotHoldTierAndIndexIsRefusedBeforeTheStart() throws Exception {
    MemoryPlan plan = plan(64 * GIBI, 512 * MEBI, 512 * MEBI, 100 * 1024 * GIBI, 8 * GIBI);

    StartException refused =
        assertThrows(StartException.class, () -> plan.requirePlace(4 * GIBI, Path.of("/mnt/tier")));

    assertEquals(StartException.NO_RESOURCE, refused.exitCode());
    assertTrue(refused.lines().getFirst().contains("store.index-entries"), refused::getMessage);
    plan.requirePlace(4 * GIBI, null);
  }
}
