package io.forebay.storage;

import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.lock.DirectoryInUseException;
import io.forebay.storage.lock.DirectoryLock;
import io.forebay.storage.memory.AddressRange;
import io.forebay.storage.memory.MiddleTierFile;
import io.forebay.storage.memory.TierFile;
import io.forebay.storage.region.Regions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The regions of the memory tiers at rest, as a start would take them up. */
final class OfflineTiers {
  private OfflineTiers() {}

  /**
   * Maps the files read-only.
   *
   * @param first null where there is no first tier
   * @param directories of the middle tiers, in their order
   * @param start the number that they have to have
   * @param owned takes what has to be closed again
   * @param problems takes what a start would not take up
   */
  static Regions open(
      @Nullable TierFile first,
      List<Path> directories,
      long start,
      Deque<AutoCloseable> owned,
      List<String> problems)
      throws IOException {
    List<MiddleTierFile> middle = new ArrayList<>();
    int regionBytes = first == null ? 0 : first.regionBytes();
    for (Path directory : directories) {
      MiddleTierFile file = open(directory, start, owned, problems);
      if (file == null) {
        continue;
      }
      regionBytes = regionBytes == 0 ? file.regionBytes() : regionBytes;
      if (file.regionBytes() == regionBytes) {
        middle.add(file);
      } else {
        problems.add(file.file() + " has regions of another size: the next start opens it empty");
      }
    }
    if (middle.isEmpty()) {
      return first == null
          ? new Regions(MemorySegment.NULL, 0, 0)
          : new Regions(first.memory(), regionBytes, first.regionCount());
    }
    int[] counts = new int[middle.size() + 1];
    counts[0] = first == null ? 0 : first.regionCount();
    MemorySegment all = map(first, middle, regionBytes, counts, owned);
    return new Regions(all, regionBytes, counts, List.of());
  }

  private static @Nullable MiddleTierFile open(
      Path directory, long start, Deque<AutoCloseable> owned, List<String> problems)
      throws IOException {
    try {
      owned.push(DirectoryLock.share(directory));
      MiddleTierFile file = MiddleTierFile.open(directory);
      owned.push(file);
      if (start != 0 && file.start() == start) {
        return file;
      }
      problems.add(file.file() + " missed a start of this store: the next start opens it empty");
    } catch (DirectoryInUseException e) {
      throw e;
    } catch (IOException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
    return null;
  }

  private static MemorySegment map(
      @Nullable TierFile first,
      List<MiddleTierFile> middle,
      int regionBytes,
      int[] counts,
      Deque<AutoCloseable> owned)
      throws IOException {
    long at = TierHeader.LENGTH + (long) counts[0] * regionBytes;
    long aligned = 0;
    long unit = 1;
    long[] places = new long[middle.size()];
    for (int n = 0; n < places.length; n++) {
      places[n] = at;
      counts[n + 1] = middle.get(n).regionCount();
      at += (long) counts[n + 1] * regionBytes;
      if (middle.get(n).unit() > Math.max(unit, TierHeader.LENGTH)) {
        aligned = places[n];
        unit = middle.get(n).unit();
      }
    }
    AddressRange range = AddressRange.reserve(at, aligned, unit);
    owned.push(range);
    if (first != null) {
      first.mapInto(range);
    }
    for (int n = 0; n < places.length; n++) {
      middle.get(n).mapInto(range, places[n]);
    }
    return range.segment();
  }
}
