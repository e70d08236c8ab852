package io.forebay.storage.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.RegionHeader;
import io.forebay.storage.layout.TierHeader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Marks of soft purges: which can be taken off, and when. */
final class SoftMarkTest {
  private static final int REGION = 1 << 16;
  private static final int SLOT = 0;
  private static final int GENERATION = 3;
  private static final int ROUNDS = 20_000;

  private final Arena arena = Arena.ofShared();
  private final Regions regions = region();

  private Regions region() {
    MemorySegment memory = arena.allocate(TierHeader.LENGTH + REGION, TierHeader.LENGTH);
    Regions made = new Regions(memory, REGION, 1);
    made.renew(0);
    made.state(0, GENERATION, Regions.PROBATION, Regions.OPEN);
    assertEquals(RegionHeader.LENGTH, made.reserve(0, 1000) >>> 32);
    enter(made);
    made.commit(0, SLOT, GENERATION, 1000, 9);
    return made;
  }

  private static void enter(Regions into) {
    into.enter(0, SLOT, RecordHeader.KIND_OBJECT, 1, 2, RegionHeader.LENGTH, 3, 4, 5);
  }

  @Test
  void aMarkIsTakenOffWhereNoPurgeMatchesAnyMore() {
    assertFalse(regions.isSoft(0, SLOT));
    assertTrue(regions.soften(0, SLOT));
    assertFalse(regions.soften(0, SLOT), "it is marked already");
    assertTrue(regions.isSoft(0, SLOT));
    regions.review(0, SLOT, () -> true);
    assertTrue(regions.isOpenSoft(0, SLOT));
    regions.review(
        0,
        SLOT,
        () -> {
          assertTrue(regions.isSoft(0, SLOT), "stale while it is looked at");
          return false;
        });
    assertFalse(regions.isSoft(0, SLOT));
  }

  @Test
  void aMarkThatIsSetAgainMeanwhileStays() {
    assertTrue(regions.soften(0, SLOT));
    regions.review(
        0,
        SLOT,
        () -> {
          assertFalse(regions.soften(0, SLOT));
          return false;
        });
    assertTrue(regions.isOpenSoft(0, SLOT));
    regions.review(
        0,
        SLOT,
        () -> {
          assertFalse(regions.harden(0, SLOT));
          return false;
        });
    assertTrue(regions.isSoft(0, SLOT));
    assertFalse(regions.isOpenSoft(0, SLOT));
  }

  @Test
  void aMarkForGoodIsNeverTakenOff() {
    assertTrue(regions.harden(0, SLOT));
    assertFalse(regions.harden(0, SLOT));
    assertFalse(regions.soften(0, SLOT));
    regions.review(0, SLOT, () -> false);
    assertTrue(regions.isSoft(0, SLOT));
  }

  /**
   * One thread finds a purge and relies on the mark, while another takes off the mark of one that
   * is undone, and a third counts a request in the byte beside it.
   */
  @Test
  void whoHasSeenAPurgeNeverSeesAFirmRecordAfterwards() throws Exception {
    AtomicInteger begun = new AtomicInteger(-1);
    AtomicInteger purged = new AtomicInteger(-1);
    AtomicInteger over = new AtomicInteger(-1);
    Thread reviewer =
        Thread.ofPlatform()
            .start(() -> {
              for (int round = 0; round < ROUNDS; round++) {
                while (begun.get() < round) {
                  Thread.onSpinWait();
                }
                int own = round;
                regions.review(0, SLOT, () -> purged.get() == own);
                over.set(round);
              }
            });
    int firm = 0;
    for (int round = 0; round < ROUNDS; round++) {
      enter(regions);
      boolean ignored = regions.soften(0, SLOT);
      begun.set(round);
      for (int n = 0; n < round % 64; n++) {
        Thread.onSpinWait();
      }
      purged.set(round);
      ignored = regions.soften(0, SLOT);
      regions.touches(0, SLOT, round & 1);
      do {
        firm += regions.isSoft(0, SLOT) ? 0 : 1;
      } while (over.get() < round);
      firm += regions.isSoft(0, SLOT) ? 0 : 1;
      assertEquals(round & 1, regions.touches(0, SLOT));
    }
    reviewer.join();
    assertEquals(0, firm);
  }
}
