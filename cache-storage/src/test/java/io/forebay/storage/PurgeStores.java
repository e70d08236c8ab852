package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeMatcher;
import io.forebay.storage.purge.PurgeReceipt;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Small stores with disks and two kinds of predicates, {@code key X} and {@code head X}: the text
 * contains X.
 */
abstract class PurgeStores {
  static final int RETIRE_MILLIS = 60_000;
  static final int DISK_REGION = 1 << 20;

  @TempDir Path directory;
  final AtomicLong clock = new AtomicLong(1_000_000);
  final SimulatedDisk disks = new SimulatedDisk(clock, new SplittableRandom(1));

  /** For how long soft purges can be undone. */
  long undoMillis;

  /** How often an object was asked. */
  final AtomicInteger asked = new AtomicInteger();

  /** Run by the next evaluation of the predicate. */
  volatile @Nullable Runnable whenAsked;

  private PurgeMatcher matcher(String text) {
    if (!text.startsWith("key ") && !text.startsWith("head ")) {
      throw new IllegalArgumentException("no predicate");
    }
    boolean isOfKey = text.startsWith("key ");
    String wanted = text.substring(text.indexOf(' ') + 1);
    return (memory, key, keyLength, head, headLength) -> {
      asked.incrementAndGet();
      Runnable event = whenAsked;
      if (event != null) {
        whenAsked = null;
        event.run();
      }
      byte[] bytes = new byte[isOfKey ? keyLength : headLength];
      MemorySegment.copy(
          memory, ValueLayout.JAVA_BYTE, isOfKey ? key : head, bytes, 0, bytes.length);
      return new String(bytes, StandardCharsets.UTF_8).contains(wanted);
    };
  }

  StoreFixture open(int disk) throws StoreException {
    return open(disk, 32);
  }

  StoreFixture open(int disk, int regions) throws StoreException {
    List<DeviceSettings> devices = new ArrayList<>();
    for (int n = 0; n < disk; n++) {
      devices.add(
          new DeviceSettings(
              "d" + n,
              directory.resolve("d" + n),
              (long) regions * DISK_REGION,
              DISK_REGION,
              1 << 18,
              4,
              1,
              3,
              10_000,
              0));
    }
    StoreFixture fixture =
        new StoreFixture(
            StoreSettings.of(directory.resolve("data"), 4 << 20, 2, () -> 0)
                .withMemoryDirectory(directory.resolve("memory"))
                .withSizes(1 << 18, 20_000, 64)
                .withLockMemory(false)
                .withPurges(64, RETIRE_MILLIS, 1 << 16)
                .withPurgeUndo(undoMillis)
                .withPredicates(this::matcher)
                .withDisks(DiskSettings.of(devices).withOpener(disks)),
            clock);
    fixture.stepAll();
    return fixture;
  }

  static PurgeReceipt purge(StoreFixture fixture, String text, boolean soft, String... in)
      throws PurgeFailedException {
    long[] scopes = new long[in.length];
    for (int n = 0; n < in.length; n++) {
      scopes[n] = StoreFixture.scope(in[n]);
    }
    return fixture.store.purge(new Purge(PurgeKind.PATTERN, scopes, soft, text));
  }

  static void put(StoreFixture fixture, String name, String... scopes) {
    assertEquals(
        InstallOutcome.INSTALLED,
        fixture.put(fixture.store.lane(0), name, new byte[100], true, scopes));
  }

  static byte @Nullable [] read(StoreFixture fixture, String name) {
    return fixture.read(fixture.store.lane(0), name);
  }

  /** Objects that leave memory, named by their number: of odd ones the key contains "odd". */
  static String name(int n) {
    return (n % 2 == 1 ? "/odd/" : "/even/") + n;
  }

  static byte[] body(int n) {
    return StoreFixture.body(n, 1000 + n * 137 % 60_000);
  }

  static void fill(StoreFixture fixture, int from, int to) {
    for (int n = from; n < to; n++) {
      assertEquals(
          InstallOutcome.INSTALLED,
          fixture.put(fixture.store.lane(0), name(n), body(n), true, "host" + n % 3));
      fixture.steps(20);
    }
    settle(fixture);
  }

  /** Odd ones have the tag as well. */
  static void putTagged(StoreFixture fixture, int n) {
    InstallOutcome result =
        fixture.put(fixture.store.lane(0), name(n), body(n), true, n % 2 == 1 ? "odd" : "even");
    assertEquals(InstallOutcome.INSTALLED, result);
  }

  static void fillTagged(StoreFixture fixture, int from, int to) {
    for (int n = from; n < to; n++) {
      putTagged(fixture, n);
      fixture.steps(20);
    }
    settle(fixture);
  }

  static void settle(StoreFixture fixture) {
    fixture.clock.addAndGet(6_000);
    fixture.stepAll();
  }

  static void sweep(StoreFixture fixture) {
    fixture.clock.addAndGet(RETIRE_MILLIS);
    fixture.stepAll();
  }

  void kill(StoreFixture fixture) throws Exception {
    fixture.store.abandon();
    fixture.loseMemory();
    fixture.store = ObjectStore.open(fixture.settings);
  }

  /** All odd ones are gone, and not much of the others. */
  static void assertOnlyEvenAreLeft(StoreFixture fixture, int count) {
    int found = 0;
    for (int n = 0; n < count; n++) {
      byte[] body = read(fixture, name(n));
      if (n % 2 == 1) {
        assertNull(body, name(n));
      } else if (body != null) {
        assertArrayEquals(body(n), body, name(n));
        found++;
      }
      fixture.steps(20);
    }
    assertTrue(found > count / 4, "only " + found + " of " + count / 2 + " are left");
  }
}
