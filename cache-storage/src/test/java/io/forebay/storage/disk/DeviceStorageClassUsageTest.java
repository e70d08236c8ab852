package io.forebay.storage.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What classes take of a device, and what a checkpoint keeps of that. */
final class DeviceStorageClassUsageTest {
  private static final int REGIONS = 20;

  private final DeviceStorageClassUsage usage = new DeviceStorageClassUsage(REGIONS);

  @Test
  void aRecordCountsUntilItsRegionIsFree() {
    usage.add(3, 2, 100);
    usage.add(3, 5, 64);
    usage.add(4, 2, 1);
    usage.add(4, 0, 1_000);
    int space = DeviceStorageClassUsage.spaceOf(100);
    assertEquals(space, usage.bytes(3, 2));
    assertEquals(space + DeviceStorageClassUsage.spaceOf(1), usage.bytes(2));
    assertEquals(0, usage.bytes(0), "the default class is not counted");
    usage.clear(3);
    assertEquals(DeviceStorageClassUsage.spaceOf(1), usage.bytes(2));
    assertEquals(0, usage.bytes(5));
    assertEquals(0, usage.bytes(3, 5));
  }

  @Test
  void adoptedRegionsAreUnknownUntilTheyAreFoundOrFree() {
    usage.adopt(1);
    usage.adopt(7);
    assertEquals(1, usage.nextUnknown());
    assertEquals(0, usage.save().remaining(), "half of it would pass for all");
    usage.found(1, new int[] {7, 64, 0, 128});
    assertEquals(7, usage.nextUnknown());
    assertEquals(64, usage.bytes(1));
    assertEquals(128, usage.bytes(1, 3));
    usage.found(1, new int[] {0, 64});
    assertEquals(0, usage.bytes(3));
    usage.clear(7);
    assertEquals(-1, usage.nextUnknown());
  }

  @Test
  void aCheckpointKeepsAllOfIt() {
    SplittableRandom random = new SplittableRandom(4);
    for (int n = 0; n < 200; n++) {
      usage.add(random.nextInt(REGIONS), random.nextInt(32), 1 + random.nextInt(10_000));
    }
    DeviceStorageClassUsage other = adopted();
    other.read(usage.save());
    assertEquals(-1, other.nextUnknown());
    for (int n = 0; n < 32; n++) {
      assertEquals(usage.bytes(n), other.bytes(n));
      for (int region = 0; region < REGIONS; region++) {
        assertEquals(usage.bytes(region, n), other.bytes(region, n));
      }
    }
  }

  private static DeviceStorageClassUsage adopted() {
    DeviceStorageClassUsage adopted = new DeviceStorageClassUsage(REGIONS);
    for (int region = 0; region < REGIONS; region++) {
      adopted.adopt(region);
    }
    return adopted;
  }

  @Test
  void whatNoCheckpointCanSayLeavesAllUnknown() {
    refused();
    refused(-1);
    refused(2, 1, 1, 64);
    refused(1, REGIONS, 1, 64);
    refused(1, -1, 1, 64);
    refused(1, 0, 0, 64);
    refused(1, 0, 32, 64);
    refused(1, 0, 1, 0);
    refused(1, 0, 1, 64, 0);
  }

  private static void refused(int... words) {
    ByteBuffer bytes =
        ByteBuffer.allocate(words.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int word : words) {
      bytes.putInt(word);
    }
    DeviceStorageClassUsage adopted = adopted();
    adopted.read(bytes.flip());
    assertEquals(0, adopted.nextUnknown());
    assertEquals(0, adopted.bytes(1));
  }
}
