package io.forebay.storage.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.layout.DirectoryPage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A directory that is read in large pieces says what its pages say one by one. */
class DirectoryReaderTest {
  private static final int REGION_BYTES = 8 << 20;
  private static final int REGIONS = 3;
  private static final int GENERATION = 77;

  /** A file in memory that counts reads. */
  private static final class MemoryFile implements BlockFile {
    private final ByteBuffer bytes =
        ByteBuffer.allocate((int) DeviceDirectory.base(REGIONS, REGION_BYTES));
    private int reads;

    @Override
    public void read(ByteBuffer into, long at) {
      reads++;
      into.put(bytes.slice((int) at, into.remaining()));
    }

    @Override
    public void write(ByteBuffer from, long at) {
      bytes.put((int) at, from, from.position(), from.remaining());
      from.position(from.limit());
    }

    @Override
    public void force() {}

    @Override
    public void close() {}
  }

  private final MemoryFile file = new MemoryFile();
  private final DeviceHeaderPages head = new DeviceHeaderPages(file);

  private void writePage(int region, int number, int generation, int tombstonePage, int entries) {
    ByteBuffer page = DirectoryPages.begin();
    for (int n = 0; n < entries; n++) {
      DirectoryPages.putTombstone(page, new Tombstone(number, n, 5));
    }
    DirectoryPages.seal(
        page, head.device(), generation, number, 9, 0, tombstonePage, RecentRegions.NONE);
    file.write(page.clear(), DirectoryReader.at(region, REGION_BYTES, number, 1));
  }

  private static void note(List<String> found, PageEntry one) {
    found.add(one.keyHigh() + "/" + one.keyLow());
  }

  private void format() throws IOException {
    head.format(new byte[16], 1, REGION_BYTES, REGIONS, 0, 0);
  }

  @Test
  void findsWhatIsFoundPageByPageWhateverIsDamaged() throws Exception {
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    format();
    DeviceDirectory single = new DeviceDirectory(file, head, REGION_BYTES);
    DirectoryReader reader =
        new DirectoryReader(
            file, head, REGION_BYTES, ByteBuffer.allocateDirect(DirectoryReader.BYTES));
    int longest = 0;
    for (int round = 0; round < 60; round++) {
      int region = random.nextInt(REGIONS);
      int pages = random.nextInt(round % 3 == 0 ? 1_500 : 40);
      for (int number = 0; number < pages; number++) {
        int generation = random.nextInt(50) == 0 ? GENERATION + 1 : GENERATION;
        int tombstonePage =
            random.nextInt(4) == 0 ? random.nextInt(30) : DirectoryPage.NO_TOMBSTONES;
        writePage(region, number, generation, tombstonePage, random.nextInt(4));
        if (random.nextInt(40) == 0) {
          int at = (int) DirectoryReader.at(region, REGION_BYTES, number, 1);
          int changed = at + random.nextInt(DirectoryPage.LENGTH);
          file.bytes.put(changed, (byte) (file.bytes.get(changed) ^ 1));
        }
      }
      int known = random.nextInt(pages + 1);
      List<String> expected = new ArrayList<>();
      DeviceDirectory.Reading read =
          single.forEach(region, GENERATION, known, one -> note(expected, one));
      reader.begin();
      for (int time = 0; time < 2; time++) {
        List<String> found = new ArrayList<>();
        assertEquals(
            read, reader.forEach(region, GENERATION, known, one -> note(found, one)), "" + seed);
        assertEquals(expected, found, "seed " + seed);
      }
      longest = Math.max(longest, read.pages());
    }
    assertTrue(longest * DirectoryPage.LENGTH > DirectoryReader.BYTES, longest + " pages");
  }

  @Test
  void readsTheDirectoryOfARegionAtOnceAndOnlyOnce() throws Exception {
    format();
    for (int number = 0; number < 400; number++) {
      writePage(1, number, GENERATION, DirectoryPage.NO_TOMBSTONES, 3);
    }
    DirectoryReader reader =
        new DirectoryReader(
            file, head, REGION_BYTES, ByteBuffer.allocateDirect(DirectoryReader.BYTES));
    reader.begin();
    file.reads = 0;
    for (int time = 0; time < 2; time++) {
      int[] entries = new int[1];
      DeviceDirectory.Reading read = reader.forEach(1, GENERATION, 400, one -> entries[0]++);
      assertEquals(new DeviceDirectory.Reading(400, 0, 0), read);
      assertEquals(1_200, entries[0]);
    }
    assertEquals(1, file.reads);
    reader.begin();
    DeviceDirectory.Reading again = reader.forEach(1, GENERATION, 400, one -> {});
    assertEquals(400, again.pages());
    assertEquals(2, file.reads);
  }
}
