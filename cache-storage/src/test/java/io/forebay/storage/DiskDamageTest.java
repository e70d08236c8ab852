package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.RecordHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Damages each structure of a disk at rest that contains live, replaced and purged objects, and
 * looks all of them up: purged or replaced objects never return, whether the index exists or the
 * directories are read.
 */
@Tag("full")
class DiskDamageTest {
  private static final long SEED = 4711;
  private static final int PAGE = DirectoryPage.LENGTH;
  private static final int REGION = BitFlipTest.DEVICE_REGION;

  @TempDir Path directory;

  /** What of the store is there at the start. */
  enum Start {
    /** Everything: nothing of the disk is read before it is asked for or swept. */
    WARM,
    /** The disk after a clean stop, and no memory: its directories are read. */
    COLD,
    /** The disk after a kill, and no memory. */
    KILLED
  }

  /** One structure, and what is done to it. */
  private record Damage(String name, List<Integer> bits, List<Integer> pages) {
    static Damage flip(String name, int offset) {
      return new Damage(name, List.of(offset), List.of());
    }

    static Damage zero(String name, List<Integer> pages) {
      return new Damage(name, List.of(), List.copyOf(pages));
    }

    void apply(byte[] bytes) {
      for (int offset : bits) {
        bytes[offset] ^= 4;
      }
      for (int page : pages) {
        Arrays.fill(bytes, page, page + PAGE, (byte) 0);
      }
    }
  }

  private static boolean isPage(ByteBuffer disk, int at) {
    return disk.getInt(at) == DirectoryPage.MAGIC;
  }

  private static boolean hasTombstones(ByteBuffer disk, int at) {
    return disk.getInt(at + DirectoryPage.COUNT_OFFSET) > 0
        && disk.get(at + DirectoryPage.ENTRIES_OFFSET) == DirectoryPage.KIND_TOMBSTONE;
  }

  private static List<Damage> damages(ByteBuffer disk) {
    List<Damage> all = new ArrayList<>();
    all.add(Damage.flip("header, magic", DeviceHeader.MAGIC_OFFSET));
    all.add(Damage.flip("header, number", DeviceHeader.NUMBER_OFFSET));
    all.add(Damage.flip("header, identity", DeviceHeader.DEVICE_OFFSET));
    for (int n = 1; n <= DeviceHeader.STATE_PAGES; n++) {
      int state = n * DeviceHeader.PAGE;
      all.add(Damage.flip("turn " + n, state + DeviceHeader.TURN_OFFSET));
      all.add(Damage.flip("swept through " + n, state + DeviceHeader.SWEPT_OFFSET));
      all.add(Damage.flip("clean mark " + n, state + DeviceHeader.CLEAN_OFFSET));
      all.add(Damage.zero("state " + n, List.of(state)));
    }
    int[] fields = {
      DirectoryPage.MAGIC_OFFSET,
      DirectoryPage.CRC_OFFSET,
      DirectoryPage.GENERATION_OFFSET,
      DirectoryPage.NUMBER_OFFSET,
      DirectoryPage.AGE_OFFSET,
      DirectoryPage.COUNT_OFFSET,
      DirectoryPage.DATA_END_OFFSET
    };
    int field = 0;
    for (int base = DeviceHeader.LENGTH; base < disk.capacity(); base += REGION) {
      List<Integer> tombstonePages = new ArrayList<>();
      List<Integer> pages = new ArrayList<>();
      String region = "region " + (base - DeviceHeader.LENGTH) / REGION;
      for (int number = 0; number < REGION / PAGE; number++) {
        int page = base + REGION - (number + 1) * PAGE;
        if (!isPage(disk, page)) {
          continue;
        }
        boolean hasTombstones = hasTombstones(disk, page);
        String name = region + ", page " + number + (hasTombstones ? " (tombstones)" : "");
        pages.add(page);
        if (hasTombstones) {
          tombstonePages.add(page);
        }
        all.add(Damage.flip(name + ", field " + field, page + fields[field++ % fields.length]));
        all.add(Damage.flip(name + ", entry", page + DirectoryPage.ENTRIES_OFFSET + 9));
        if (!hasTombstones) {
          int mark = DirectoryPage.ENTRIES_OFFSET + DirectoryPage.OFFSET + 3;
          all.add(Damage.flip(name + ", dead mark", page + mark));
        }
      }
      if (!pages.isEmpty()) {
        all.add(Damage.zero(region + ", directory", pages));
        all.add(Damage.flip(region + ", record kind", base + RecordHeader.KIND_OFFSET));
        all.add(Damage.flip(region + ", record body", base + 1_000));
      }
      if (!tombstonePages.isEmpty()) {
        all.add(Damage.zero(region + ", tombstones", tombstonePages));
      }
    }
    return all;
  }

  @ParameterizedTest
  @EnumSource
  void nothingComesBack(Start start) throws Exception {
    Path template = directory.resolve("template");
    Map<String, BitFlipTest.Truth> truth =
        BitFlipTest.make(
            template,
            start == Start.KILLED ? BitFlipTest.Stop.KILLED : BitFlipTest.Stop.CLEAN,
            SEED);
    byte[] good = Files.readAllBytes(template.resolve("disk/disk.store"));
    List<Damage> damages = damages(ByteBuffer.wrap(good).order(ByteOrder.LITTLE_ENDIAN));
    Set<String> failed = new TreeSet<>();
    int hits = 0;
    int tombstonePages = 0;
    for (Damage damage : damages) {
      tombstonePages += damage.name().contains("tombstones") ? 1 : 0;
      BitFlipTest.Findings findings = new BitFlipTest.Findings();
      try {
        ask(template, good, damage, start, truth, findings);
      } catch (StoreException e) {
        findings.threw++;
        findings.note(e.toString());
        BitFlipTest.delete(directory.resolve("damaged"));
      }
      hits += findings.hits;
      if (!findings.isGood()) {
        failed.add(damage.name() + ": " + findings);
      }
    }
    assertNotEquals(0, tombstonePages, "no tombstones on the disk");
    assertNotEquals(0, hits, "nothing is served at all");
    assertEquals(Set.of(), failed, () -> failed.size() + " of " + damages.size());
  }

  private void ask(
      Path template,
      byte[] good,
      Damage damage,
      Start start,
      Map<String, BitFlipTest.Truth> truth,
      BitFlipTest.Findings findings)
      throws Exception {
    Path at = directory.resolve("damaged");
    BitFlipTest.copy(template, at);
    byte[] bytes = good.clone();
    damage.apply(bytes);
    Files.write(at.resolve("disk/disk.store"), bytes);
    StoreFixture fixture = open(at, start != Start.WARM);
    try {
      // All purges are swept and forgotten before anything is asked for.
      for (int round = 0; round < 20 && fixture.store.stats().purgeScopes() > 0; round++) {
        BitFlipTest.stepAll(fixture, findings);
      }
      assertEquals(0, fixture.store.stats().purgeScopes(), damage::name);
      BitFlipTest.askAll(fixture, truth, findings);
    } finally {
      fixture.store.close();
    }
    // What the first start made of it holds for the next one.
    fixture = open(at, true);
    try {
      BitFlipTest.stepAll(fixture, findings);
      BitFlipTest.askAll(fixture, truth, findings);
    } finally {
      fixture.store.close();
    }
    BitFlipTest.delete(at);
  }

  private static StoreFixture open(Path at, boolean withoutMemory)
      throws StoreException, IOException {
    if (withoutMemory) {
      BitFlipTest.delete(at.resolve("memory"));
    }
    StoreFixture fixture = new StoreFixture(BitFlipTest.settings(at));
    return fixture;
  }
}
