package io.forebay.storage.evict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.memory.NativeMemory;
import io.forebay.storage.memory.NoSpaceException;
import io.forebay.storage.memory.Pages;
import io.forebay.storage.region.RegionPart;
import io.forebay.storage.region.Regions;
import io.forebay.storage.region.SpaceAllocator;
import io.forebay.storage.region.TierSpace;
import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The way of regions out of a tier and back, over memory whose pages only seem to go. */
class TierResizerTest {
  private static final int REGION = 64 << 10;
  private static final int COUNT = 64;
  private static final int SPARES = 2;
  private static final int LEAST = 16;

  private final FakePages pages = new FakePages();
  private Regions regions;
  private SpaceAllocator space;
  private TierSpace tier;
  private TierResizer resizer;
  private long now = 1_000_000;

  private static final class FakePages implements Pages {
    final Set<Long> gone = new HashSet<>();
    @Nullable String fixedBecause;
    @Nullable IOException failure;

    @Override
    public @Nullable String fixedBecause() {
      return fixedBecause;
    }

    @Override
    public void release(long from, long lengthBytes) throws IOException {
      check(from, lengthBytes);
      assertTrue(gone.add(from), "given back twice");
    }

    @Override
    public void allocate(long from, long lengthBytes) throws IOException {
      check(from, lengthBytes);
      assertTrue(gone.remove(from), "was there");
    }

    private void check(long from, long lengthBytes) throws IOException {
      assertEquals(Regions.KEPT_BYTES, (from - TierHeader.LENGTH) % REGION);
      assertEquals(REGION - Regions.KEPT_BYTES, lengthBytes);
      if (failure != null) {
        throw failure;
      }
    }
  }

  @BeforeEach
  void aTierOfEmptyRegions() {
    regions =
        new Regions(
            NativeMemory.collected(TierHeader.LENGTH + (long) COUNT * REGION, 4096), REGION, COUNT);
    space = new SpaceAllocator(regions, SPARES, () -> {});
    for (int region = 0; region < COUNT; region++) {
      regions.renew(region);
      space.addSpare(region);
    }
    tier = TierSpace.undivided(regions, space, 1);
    resizer = new TierResizer(regions, tier, pages, LEAST);
  }

  private void steps() {
    for (int n = 0; n < 1000 && resizer.step(now); n++) {
      // What the reclaimer does with what came back.
      for (int region = 0; region < COUNT; region++) {
        if (regions.state(region) == Regions.FREE) {
          regions.renew(region);
          space.addSpare(region);
        }
      }
    }
  }

  @Test
  void spareRegionsGoAndComeBackWithTheNextGeneration() {
    int generation = regions.generation(COUNT - 1);
    resizer.target(40);
    steps();
    assertEquals(40, regions.inUse());
    assertEquals(24, pages.gone.size());
    assertEquals(40, space.spareCount());
    assertEquals(new ResizeStats(24, 40, 24, 0, 0, null), resizer.stats());
    for (int region = 0; region < COUNT; region++) {
      if (regions.state(region) == Regions.WITHDRAWN) {
        assertFalse(regions.isReadable(region, regions.generation(region)));
        assertFalse(regions.hold(region, Regions.PROBATION));
        assertFalse(regions.visit(region, regions.generation(region)));
        assertEquals(0, regions.slots(region));
      }
    }
    resizer.target(COUNT);
    steps();
    assertEquals(COUNT, regions.inUse());
    assertEquals(Set.of(), pages.gone);
    assertEquals(new ResizeStats(0, COUNT, 24, 24, 0, null), resizer.stats());
    int older = 0;
    for (int region = 0; region < COUNT; region++) {
      older += regions.generation(region) == generation ? 1 : 0;
    }
    assertEquals(40, older, "those that came back have another generation");
  }

  @Test
  void itNeverGoesBelowTheBound() {
    resizer.target(0);
    assertEquals(LEAST, resizer.stats().targetRegions());
    steps();
    assertEquals(LEAST, regions.inUse());
    resizer.target(COUNT + 1);
    assertEquals(COUNT, resizer.stats().targetRegions());
  }

  @Test
  void whatLanesNeedIsLeftAndFewRegionsAreAskedForAtATime() {
    while (space.takeSpare(SPARES) >= 0) {
      // These are in use.
    }
    resizer.target(20);
    assertTrue(resizer.step(now), "the reclaimer is asked");
    assertFalse(resizer.step(now));
    assertEquals(COUNT, regions.inUse());
    assertEquals(COUNT / TierResizer.TRANSITION_SHARE, space.toWithdraw());
    regions.renew(5);
    space.addSpare(5);
    assertTrue(resizer.step(now));
    assertEquals(COUNT - 1, regions.inUse());
    assertEquals(SPARES, space.spareCount());
    resizer.target(COUNT);
    steps();
    assertEquals(0, space.toWithdraw());
  }

  @Test
  void aRegionThatSomebodyReadsWithoutAPinKeepsItsPages() {
    while (space.takeSpare(0) >= 0) {
      // These are in use.
    }
    regions.open(3, Regions.PROBATION, 1);
    int generation = regions.generation(3);
    assertTrue(regions.visit(3, generation));
    regions.renew(3);
    for (int region : new int[] {3, 4, 5}) {
      space.addSpare(region);
    }
    resizer.target(COUNT - 1);
    assertTrue(resizer.step(now));
    assertEquals(Regions.SPARE, regions.state(3));
    assertEquals(3, space.spareCount());
    regions.leave(3);
    steps();
    assertEquals(1, pages.gone.size());
    assertEquals(SPARES, space.spareCount());
  }

  @Test
  void whatCannotBeAllocatedStaysAwayAndIsTriedAgainLater() {
    resizer.target(60);
    steps();
    pages.failure = new NoSpaceException("full");
    resizer.target(COUNT);
    steps();
    assertEquals(60, regions.inUse());
    assertEquals(1, resizer.stats().failures());
    assertFalse(resizer.step(now + TierResizer.RETRY_MILLIS - 1));
    assertEquals(1, resizer.stats().failures(), "not again at once");
    assertFalse(resizer.step(now + TierResizer.RETRY_MILLIS));
    assertEquals(2, resizer.stats().failures());
    now += 3 * TierResizer.RETRY_MILLIS;
    pages.failure = null;
    steps();
    assertEquals(COUNT, regions.inUse());
    assertEquals(2, resizer.stats().failures());
  }

  @Test
  void whatIsNotTakenBackByTheKernelIsUsedOn() {
    pages.failure = new IOException("not here");
    resizer.target(60);
    steps();
    assertEquals(COUNT, regions.inUse());
    assertEquals(1, resizer.stats().failures());
    assertNotNull(resizer.stats().fixedBecause());
    assertEquals(COUNT, space.spareCount());
    assertEquals(0, space.toWithdraw());
  }

  @Test
  void cellsShrinkAndGrowInTurn() {
    while (space.takeSpare(0) >= 0) {
      // The cells have spares of their own.
    }
    List<RegionPart> parts = RegionPart.cells(COUNT, 3);
    List<SpaceAllocator> cells = List.of(space, space.ofCell(SPARES), space.ofCell(SPARES));
    for (int cell = 0; cell < 3; cell++) {
      for (int region = parts.get(cell).from(); region < parts.get(cell).end(); region++) {
        cells.get(cell).addSpare(region);
      }
    }
    resizer =
        new TierResizer(regions, new TierSpace(parts, cells, new int[] {0, 1, 2}), pages, LEAST);
    resizer.target(COUNT - 30);
    for (int n = 0; n < 1000 && resizer.step(now); n++) {
      List<Integer> gone = parts.stream().map(part -> part.count() - regions.inUse(part)).toList();
      assertTrue(Collections.max(gone) - Collections.min(gone) <= 1, gone.toString());
    }
    assertEquals(COUNT - 30, regions.inUse());
    resizer.target(COUNT - 3);
    for (int n = 0; n < 1000 && resizer.step(now); n++) {
      List<Integer> gone = parts.stream().map(part -> part.count() - regions.inUse(part)).toList();
      assertTrue(Collections.max(gone) - Collections.min(gone) <= 1, gone.toString());
    }
    assertEquals(COUNT - 3, regions.inUse());
  }

  @Test
  void aTierWithAFixedSizeIsLeftAlone() {
    pages.fixedBecause = "of its pages";
    resizer = new TierResizer(regions, tier, pages, LEAST);
    resizer.target(40);
    steps();
    assertEquals(COUNT, regions.inUse());
    assertEquals("of its pages", resizer.stats().fixedBecause());
  }
}
