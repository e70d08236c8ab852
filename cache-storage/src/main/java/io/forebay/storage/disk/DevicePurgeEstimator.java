package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.purge.PurgeProbe;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts, for a dry run, the objects on one device that are not in memory and that a purge would
 * match. Reads directories, and heads where only their texts can tell; as many as its pace allows.
 * A thread of its own.
 */
final class DevicePurgeEstimator {
  private final Device device;
  private final PurgeProbe probe;
  private final DiskTier.Pace pace;
  private final ObjectIndex.Cursor cursor;
  private final IndexValue value = new IndexValue();
  private final DeviceDirectory directory;
  private final ByteBuffer buffer = DeviceRecords.buffer();
  private final List<Head> unread = new ArrayList<>();
  private boolean isOver;
  private long objects;
  private long bytes;

  private record Head(DiskLocation place, long bytes) {}

  DevicePurgeEstimator(Device device, PurgeProbe probe, DiskTier.Pace pace, ObjectIndex index) {
    this.device = device;
    this.probe = probe;
    this.pace = pace;
    this.cursor = index.blockingCursor();
    this.directory = device.directory();
  }

  DiskTier.Counted count() {
    boolean isRecovered = device.isRecovered();
    if (!device.isInUse()) {
      return counted("everything: the disk is not in use");
    }
    int regions = device.settings().regionCount();
    int done = 0;
    try {
      while (done < regions && !isOver) {
        count(done);
        if (!isOver) {
          done++;
        }
      }
    } catch (IOException e) {
      return counted("regions from " + done + " on: " + e.getMessage());
    }
    if (done < regions) {
      return counted("the time limit was reached after " + done + " of " + regions + " regions");
    }
    if (!isRecovered) {
      return counted("regions that recovery has not read yet");
    }
    return counted(device.isIdle() && !device.isFilling() ? "" : "objects that are being written");
  }

  private DiskTier.Counted counted(String uncounted) {
    return new DiskTier.Counted(device.name(), objects, bytes, uncounted);
  }

  private void count(int region) throws IOException {
    int generation = device.generation(region);
    int torn = 0;
    int most = device.settings().regionBytes() / DirectoryPage.LENGTH;
    int known = device.pages(region, generation);
    for (int number = 0;
        number < most && (number < known || torn < DeviceDirectory.TORN_PAGES);
        number++) {
      if (!device.isReadable(region, generation)) {
        break;
      }
      if (!mayRead()) {
        return;
      }
      ByteBuffer page = directory.page(region, number);
      if (page == null && directory.isDamaged(generation, number)) {
        // Perhaps the sweep was writing it: then it is whole now.
        page = directory.page(region, number);
      }
      if (page == null || page.getInt(DirectoryPage.GENERATION_OFFSET) != generation) {
        torn += directory.isDamaged(generation, number) ? 0 : 1;
        continue;
      }
      torn = 0;
      directory.forEach(page, one -> look(one, region, generation));
    }
    for (Head head : unread) {
      if (!mayRead()) {
        return;
      }
      if (device.records().read(head.place(), buffer)
          && RecordHeader.isRecord(
              MemorySegment.ofBuffer(buffer.clear()), 0, generation, head.place().length)
          && probe.matches(MemorySegment.ofBuffer(buffer.clear()), 0, false)) {
        add(head.bytes());
      }
    }
    unread.clear();
  }

  private boolean mayRead() {
    isOver |= !pace.mayRead();
    return !isOver;
  }

  private void look(PageEntry one, int region, int generation) {
    if (one.kind() != RecordHeader.KIND_OBJECT || one.isDead()) {
      return;
    }
    PurgeProbe.Match match = probe.matches(one.words(), one.birth(), one.bodyBirth());
    if (match == PurgeProbe.Match.NO
        || cursor.get(one.keyHigh(), one.keyLow(), value) != ObjectIndex.Outcome.DONE
        || value.isInMemory()
        || !value.isOnDiskAt(device.number(), region, generation, one.offset())) {
      return;
    }
    if (match == PurgeProbe.Match.YES) {
      add(one.totalBytes());
      return;
    }
    DiskLocation place =
        new DiskLocation()
            .at(device.number(), region, generation, one.offset(), one.recordLength());
    unread.add(new Head(place, one.totalBytes()));
  }

  private void add(long bodyBytes) {
    objects++;
    bytes += bodyBytes;
  }
}
