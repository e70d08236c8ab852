package io.forebay.storage.inspect;

import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.purge.PurgeVerdicts;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * A copy of a head record.
 *
 * @param head the caller's own bytes
 * @param slices of its body; 0 where that lies in the head
 * @param classOnDisk the number of its storage class as a record on a disk has it; 0 in memory
 */
@SuppressWarnings("ArrayRecordComponent")
public record Head(
    byte[] keyText,
    byte[] head,
    long[] scopes,
    long objectId,
    long birth,
    long bodyBirth,
    long expiresAtMillis,
    long totalLength,
    int sliceBytes,
    boolean isInline,
    int slices,
    int classOnDisk) {
  /** More slices than any object has; what says more is damaged. */
  private static final int MAX_SLICES = 1 << 24;

  /** The head at a place that has been found to be a well-formed record. */
  static Head copy(MemorySegment memory, long record) {
    int scopeCount = memory.get(Layouts.INT, record + HeadRecord.SCOPE_COUNT_OFFSET);
    int keyLength = memory.get(Layouts.INT, record + HeadRecord.KEY_LENGTH_OFFSET);
    int headLength = memory.get(Layouts.INT, record + HeadRecord.HEAD_LENGTH_OFFSET);
    long[] scopes = new long[scopeCount];
    byte[] keyText = new byte[keyLength];
    byte[] head = new byte[headLength];
    MemorySegment.copy(
        memory, Layouts.LONG, record + HeadRecord.SCOPES_OFFSET, scopes, 0, scopeCount);
    MemorySegment.copy(
        memory, Layouts.BYTE, record + HeadRecord.keyOffset(scopeCount), keyText, 0, keyLength);
    MemorySegment.copy(
        memory,
        Layouts.BYTE,
        record + HeadRecord.headOffset(scopeCount, keyLength),
        head,
        0,
        headLength);
    long total = Math.max(0, memory.get(Layouts.LONG, record + HeadRecord.TOTAL_LENGTH_OFFSET));
    int sliceBytes = Math.max(1, memory.get(Layouts.INT, record + HeadRecord.SLICE_BYTES_OFFSET));
    boolean isInline =
        (memory.get(Layouts.INT, record + HeadRecord.FLAGS_OFFSET) & HeadRecord.FLAG_INLINE) != 0;
    return new Head(
        keyText,
        head,
        scopes,
        memory.get(Layouts.LONG, record + HeadRecord.OBJECT_OFFSET),
        memory.get(Layouts.LONG, record + HeadRecord.BIRTH_OFFSET),
        memory.get(Layouts.LONG, record + HeadRecord.BODY_BIRTH_OFFSET),
        memory.get(Layouts.LONG, record + HeadRecord.EXPIRES_OFFSET),
        total,
        sliceBytes,
        isInline,
        isInline ? 0 : (int) Math.min(MAX_SLICES, (total + sliceBytes - 1) / sliceBytes),
        RecordHeader.classOnDisk(memory, record));
  }

  /** What purges say of it. */
  int fate(PurgeVerdicts fates) {
    return fates.check(scopes, birth, bodyBirth, keyText, keyText.length, head);
  }

  /** The key as people read it. */
  public String key() {
    return new String(keyText, StandardCharsets.ISO_8859_1);
  }
}
