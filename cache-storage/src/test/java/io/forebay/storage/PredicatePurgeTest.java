package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeEstimate;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeMatcher;
import io.forebay.storage.purge.PurgeReceipt;
import io.forebay.storage.purge.PurgeStatus;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Purges by predicate, which is evaluated on each object. */
@Tag("slow")
class PredicatePurgeTest extends PurgeStores {

  @Test
  void takesWhatItFindsAndNothingElse() throws Exception {
    try (StoreFixture fixture = open(0)) {
      put(fixture, "/img/1", "a");
      put(fixture, "/img/2", "b");
      put(fixture, "/txt/3", "a");
      assertNotNull(read(fixture, "/img/1"));
      PurgeReceipt ignored = purge(fixture, "key img", false, "a");
      assertNull(read(fixture, "/img/1"), "found in the near-index");
      assertNotNull(read(fixture, "/img/2"), "of another host");
      assertNotNull(read(fixture, "/txt/3"));
      PurgeReceipt byHead = purge(fixture, "head of /txt", false);
      assertNull(read(fixture, "/txt/3"), "by its head");
      assertNotNull(read(fixture, "/img/2"));
      put(fixture, "/img/1", "a");
      assertNotNull(read(fixture, "/img/1"), "came after it");
      assertTrue(byHead.sequence() > ignored.sequence());
    }
  }

  @Test
  void aLookupAsksOnceAndNeverAgainOnceMemoryIsSwept() throws Exception {
    try (StoreFixture fixture = open(0)) {
      put(fixture, "/a");
      put(fixture, "/b");
      assertNotNull(read(fixture, "/a"));
      PurgeReceipt ignored = purge(fixture, "key nothing", false);
      for (int n = 0; n < 10; n++) {
        assertNotNull(read(fixture, "/a"));
      }
      assertEquals(1, asked.get(), "asked by a near hit");
      // Another purge has it looked at again, but not by what was asked already.
      fixture.store.purge(new Purge(PurgeKind.TAG, new long[] {99}, false, "t"));
      assertNotNull(read(fixture, "/a"));
      assertEquals(1, asked.get());
      fixture.stepAll();
      int swept = asked.get();
      assertNotNull(read(fixture, "/b"));
      assertNotNull(fixture.read(fixture.store.lane(1), "/a"));
      assertEquals(swept, asked.get(), "lookups need not ask after the sweep");
      assertFalse(
          Objects.requireNonNull(fixture.store.purgeStatus(ignored.id())).isSwept(),
          "still remembered for disks and for fills");
    }
  }

  @Test
  void softMakesStaleUntilRefreshed() throws Exception {
    try (StoreFixture fixture = open(0)) {
      StoreLane lane = fixture.store.lane(0);
      put(fixture, "/a");
      PurgeReceipt ignored = purge(fixture, "key /a", true);
      for (int round = 0; round < 3; round++) {
        assertNotNull(read(fixture, "/a"));
        assertTrue(lane.head().softPurged(), "round " + round);
        sweep(fixture);
      }
      long birth = fixture.store.nextBirth();
      assertTrue(birth > ignored.sequence());
      assertEquals(
          InstallOutcome.INSTALLED,
          lane.refresh(StoreFixture.spec("/a", birth, -1), lane.head().objectId()));
      assertNotNull(read(fixture, "/a"));
      assertFalse(lane.head().softPurged());
    }
  }

  @Test
  void aFillThatBeganBeforeItIsNotInstalledAndHoldsTheSweepBack() throws Exception {
    try (StoreFixture fixture = open(0)) {
      StoreLane lane = fixture.store.lane(0);
      HeadSpec spec = StoreFixture.spec("/a", fixture.store.nextBirth(), 5);
      ObjectWriter writer = Objects.requireNonNull(lane.begin(spec));
      assertTrue(writer.append(ByteBuffer.allocate(5)));
      PurgeReceipt receipt = purge(fixture, "key /a", false);
      assertTrue(lane.isOverruled(spec), "who joins it now leaves at its head");
      sweep(fixture);
      assertFalse(Objects.requireNonNull(fixture.store.purgeStatus(receipt.id())).isSwept());
      assertEquals(InstallOutcome.PURGED, writer.finish());
      sweep(fixture);
      assertTrue(Objects.requireNonNull(fixture.store.purgeStatus(receipt.id())).isSwept());
      assertNull(lane.begin(StoreFixture.spec("/a", spec.birth(), 5)), "too old to be told");
    }
  }

  @Test
  void aRevalidationThatBeganBeforeItDoesNotSaveTheObject() throws Exception {
    try (StoreFixture fixture = open(0)) {
      StoreLane lane = fixture.store.lane(0);
      put(fixture, "/a");
      assertNotNull(read(fixture, "/a"));
      long id = lane.head().objectId();
      long before = fixture.store.nextBirth();
      PurgeReceipt ignored = purge(fixture, "key /a", false);
      long after = fixture.store.nextBirth();
      assertEquals(InstallOutcome.PURGED, lane.refresh(StoreFixture.spec("/a", before, -1), id));
      assertEquals(
          InstallOutcome.PURGED,
          lane.refresh(StoreFixture.spec("/a", after, -1), id),
          "the body is older than the purge");
      assertNull(read(fixture, "/a"));
    }
  }

  @Test
  void aHeadThatCameToMatchByItsRevalidationIsNotInstalled() throws Exception {
    try (StoreFixture fixture = open(0)) {
      StoreLane lane = fixture.store.lane(0);
      put(fixture, "/a");
      assertNotNull(read(fixture, "/a"));
      long id = lane.head().objectId();
      long birth = fixture.store.nextBirth();
      // The head it has does not say this number, the one that the 304 brings does.
      PurgeReceipt ignored = purge(fixture, "head born " + birth, false);
      assertNotNull(read(fixture, "/a"));
      assertEquals(InstallOutcome.PURGED, lane.refresh(StoreFixture.spec("/a", birth, -1), id));
      assertNotNull(read(fixture, "/a"));
    }
  }

  @Test
  void survivesEveryKindOfStartAndACompaction() throws Exception {
    try (StoreFixture fixture = open(0)) {
      for (int round = 0; round < 4; round++) {
        put(fixture, "/odd/1", "a");
        put(fixture, "/even/2", "a");
        PurgeReceipt receipt = purge(fixture, "key odd", false, "a");
        // More than the journal may hold before it is written anew.
        for (int n = 0; n < (round >= 2 ? 1500 : 0); n++) {
          fixture.store.purge(new Purge(PurgeKind.TAG, new long[] {5}, false, "often"));
        }
        if (round % 2 == 0) {
          fixture.reopen();
        } else {
          fixture.store.abandon();
          fixture.store = ObjectStore.open(fixture.settings);
        }
        assertNull(read(fixture, "/odd/1"), "round " + round);
        fixture.stepAll();
        assertNull(read(fixture, "/odd/1"), "round " + round);
        assertNotNull(read(fixture, "/even/2"), "round " + round);
        PurgeStatus status =
            round < 2
                ? Objects.requireNonNull(fixture.store.purgeStatus(receipt.id()))
                : fixture.store.latestPurges(1000).stream()
                    .filter(one -> one.id() == receipt.id())
                    .findFirst()
                    .orElseThrow();
        assertEquals("key odd", status.text());
        assertEquals(PurgeKind.PATTERN, status.kind());
        assertEquals(OptionalLong.empty(), status.objects(), "not known after a start");
        sweep(fixture);
      }
    }
  }

  @Test
  void whatTheJournalSaysAndNobodyCanReadKillsAllThatIsOlder() throws Exception {
    try (StoreFixture fixture = open(0)) {
      put(fixture, "/a");
      PurgeReceipt ignored = purge(fixture, "key nothing", false);
      fixture.store.close();
      fixture.store = ObjectStore.open(fixture.settings.withPredicates(PurgeMatcher.Compiler.NONE));
      assertNull(read(fixture, "/a"));
      put(fixture, "/a");
      assertNotNull(read(fixture, "/a"));
    }
  }

  @Test
  void oneTooManyIsRefusedUntilTheStoreIsSwept() throws Exception {
    try (StoreFixture fixture = open(0)) {
      put(fixture, "/a");
      for (int n = 0; n < 64; n++) {
        PurgeReceipt ignored = purge(fixture, "key nothing" + n, false);
      }
      PurgeFailedException full =
          assertThrows(PurgeFailedException.class, () -> purge(fixture, "key /a", false));
      assertTrue(full.isForNow());
      assertEquals(0, fixture.store.stats().failedPurges(), "the journal is well");
      assertNotNull(read(fixture, "/a"), "nothing was purged");
      fixture.stepAll();
      PurgeReceipt ignored = purge(fixture, "key /a", false);
      assertNull(read(fixture, "/a"));
    }
  }

  @Test
  void whatIsNoPredicateIsRefusedAndNotJournalled() throws Exception {
    try (StoreFixture fixture = open(0)) {
      long before = fixture.store.purgeSequence();
      assertThrows(IllegalArgumentException.class, () -> purge(fixture, "what?", false));
      assertThrows(
          IllegalArgumentException.class, () -> purge(fixture, "key " + "x".repeat(1024), false));
      assertEquals(before, fixture.store.purgeSequence());
    }
  }

  @Test
  void whatLiesOnADiskDoesNotComeBackWhateverTheStopAndHoweverMuchIsForgotten() throws Exception {
    try (StoreFixture fixture = open(2)) {
      fill(fixture, 0, 300);
      PurgeReceipt receipt = purge(fixture, "key odd", false);
      kill(fixture);
      fixture.stepAll();
      assertOnlyEvenAreLeft(fixture, 300);
      sweep(fixture);
      assertTrue(
          Objects.requireNonNull(fixture.store.purgeStatus(receipt.id())).isSwept(), "forgotten");
      kill(fixture);
      fixture.stepAll();
      int asks = asked.get();
      assertOnlyEvenAreLeft(fixture, 300);
      assertEquals(asks, asked.get(), "nobody remembers it, and nothing is there");
    }
  }

  @Test
  void aReceiptFillsItselfInAsTheStoreIsSwept() throws Exception {
    try (StoreFixture fixture = open(2)) {
      fill(fixture, 0, 300);
      long objects = 0;
      long bytes = 0;
      for (int n = 1; n < 300; n += 2) {
        if (n % 3 == 0) {
          objects++;
          bytes += body(n).length;
        }
      }
      Purge purge =
          new Purge(PurgeKind.PATTERN, new long[] {StoreFixture.scope("host0")}, false, "key odd");
      PurgeEstimate estimate = Objects.requireNonNull(fixture.store.estimate(purge, 1000));
      assertEquals(objects, estimate.objects());
      assertEquals(bytes, estimate.bytes());
      assertTrue(estimate.isComplete(), estimate::toString);
      assertTrue(estimate.parts().stream().allMatch(part -> part.objects() > 0));
      PurgeReceipt receipt = fixture.store.purge(purge);
      assertEquals(OptionalLong.empty(), receipt.matched());
      assertNull(read(fixture, name(3)), "some are found before the sweep finds them");
      sweep(fixture);
      PurgeStatus status = Objects.requireNonNull(fixture.store.purgeStatus(receipt.id()));
      assertTrue(status.isSwept());
      assertEquals(OptionalLong.of(objects), status.objects());
      assertEquals(OptionalLong.of(bytes), status.bytes());
      assertEquals(receipt.id(), fixture.store.latestPurges(1).getFirst().id());
      assertEquals(
          0, Objects.requireNonNull(fixture.store.estimate(purge, 1000)).objects(), "gone");
    }
  }

  @Test
  void aDryRunPurgesNothingAndSaysWhatItDidNotCount() throws Exception {
    try (StoreFixture fixture = open(1)) {
      fill(fixture, 0, 300);
      Purge purge = new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope("host1")}, true, "");
      long before = fixture.store.purgeSequence();
      PurgeEstimate all = Objects.requireNonNull(fixture.store.estimate(purge, 1000));
      assertEquals(100, all.objects());
      assertTrue(all.isComplete(), all::toString);
      assertEquals(
          300,
          Objects.requireNonNull(
                  fixture.store.estimate(Purge.everything(false, "everything"), 1000))
              .objects());
      disks.slowMillis.set(10);
      PurgeEstimate late = Objects.requireNonNull(fixture.store.estimate(purge, 100));
      disks.slowMillis.set(0);
      assertTrue(late.objects() < all.objects());
      assertFalse(late.isComplete());
      assertTrue(late.parts().getLast().uncounted().contains("time"), late::toString);
      assertTrue(fixture.store.takeOffline("d0"));
      PurgeEstimate without = Objects.requireNonNull(fixture.store.estimate(purge, 1000));
      assertFalse(without.isComplete());
      assertEquals(without.parts().getFirst().objects(), without.objects());
      fixture.store.bringOnline("d0");
      assertEquals(before, fixture.store.purgeSequence());
      for (int n = 0; n < 300; n++) {
        assertArrayEquals(body(n), read(fixture, name(n)));
        assertFalse(fixture.store.lane(0).head().softPurged());
        fixture.steps(20);
      }
    }
  }
}
