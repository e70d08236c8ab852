package io.forebay.storage;

import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.RegionHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.layout.TierHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Reads the file of a memory tier by its layout alone: the complete objects whose heads are in full
 * regions. The store's view of the same file is compared with it.
 */
final class SealedHeads {
  private record Slice(long objectId, int number) {}

  private record Head(String name, long birth, long bodyBirth, long objectId, int slices) {}

  private final ByteBuffer tier;
  private final int regionBytes;
  private final Set<Slice> slices = new HashSet<>();
  private final Map<String, Head> heads = new HashMap<>();

  private SealedHeads(ByteBuffer tier, int regionBytes) {
    this.tier = tier;
    this.regionBytes = regionBytes;
  }

  /** Names of the objects, and when their bodies were born. */
  static Map<String, Long> of(Path file, int regionBytes) throws IOException {
    ByteBuffer tier = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    return new SealedHeads(tier, regionBytes).read();
  }

  private Map<String, Long> read() {
    int count = (tier.capacity() - TierHeader.LENGTH) / regionBytes;
    long[] youngest = new long[3];
    for (int region = 0; region < count; region++) {
      int segment = tier.getInt(base(region) + RegionHeader.SEGMENT_OFFSET);
      youngest[segment] =
          Math.max(youngest[segment], tier.getLong(base(region) + RegionHeader.AGE_OFFSET));
    }
    for (int region = 0; region < count; region++) {
      int segment = tier.getInt(base(region) + RegionHeader.SEGMENT_OFFSET);
      long age = tier.getLong(base(region) + RegionHeader.AGE_OFFSET);
      read(region, segment != 0 && age < youngest[segment]);
    }
    Map<String, Long> whole = new HashMap<>();
    for (Head head : heads.values()) {
      boolean isWhole = true;
      for (int n = 0; n < head.slices(); n++) {
        isWhole &= slices.contains(new Slice(head.objectId(), n));
      }
      if (isWhole) {
        whole.put(head.name(), head.bodyBirth());
      }
    }
    return whole;
  }

  private int base(int region) {
    return TierHeader.LENGTH + region * regionBytes;
  }

  private void read(int region, boolean isSealed) {
    int generation = tier.getInt(base(region) + RegionHeader.GENERATION_OFFSET);
    int slots = tier.getInt(base(region) + RegionHeader.RESERVATION_OFFSET);
    for (int slot = 0; slot < slots; slot++) {
      int entry = base(region) + regionBytes - (slot + 1) * DirectoryEntry.LENGTH;
      if (tier.getInt(entry + DirectoryEntry.COMMIT_OFFSET) != generation
          || tier.get(entry + DirectoryEntry.LIVE_OFFSET) != DirectoryEntry.LIVE) {
        continue;
      }
      if (tier.get(entry + DirectoryEntry.KIND_OFFSET) == RecordHeader.KIND_SLICE) {
        slices.add(
            new Slice(
                tier.getLong(entry + DirectoryEntry.OBJECT_OFFSET),
                tier.getInt(
                    base(region)
                        + tier.getInt(entry + DirectoryEntry.OFFSET_OFFSET)
                        + SliceRecord.SLICE_OFFSET)));
      } else if (isSealed) {
        head(base(region) + tier.getInt(entry + DirectoryEntry.OFFSET_OFFSET));
      }
    }
  }

  private void head(int record) {
    int scopes = tier.getInt(record + HeadRecord.SCOPE_COUNT_OFFSET);
    byte[] key = new byte[tier.getInt(record + HeadRecord.KEY_LENGTH_OFFSET)];
    tier.get(record + HeadRecord.keyOffset(scopes), key);
    long total = tier.getLong(record + HeadRecord.TOTAL_LENGTH_OFFSET);
    int sliceBytes = tier.getInt(record + HeadRecord.SLICE_BYTES_OFFSET);
    boolean isInline =
        (tier.getInt(record + HeadRecord.FLAGS_OFFSET) & HeadRecord.FLAG_INLINE) != 0;
    Head head =
        new Head(
            new String(key, StandardCharsets.UTF_8),
            tier.getLong(record + HeadRecord.BIRTH_OFFSET),
            tier.getLong(record + HeadRecord.BODY_BIRTH_OFFSET),
            tier.getLong(record + HeadRecord.OBJECT_OFFSET),
            isInline ? 0 : (int) ((total + sliceBytes - 1) / sliceBytes));
    heads.merge(head.name(), head, (one, other) -> one.birth() > other.birth() ? one : other);
  }
}
