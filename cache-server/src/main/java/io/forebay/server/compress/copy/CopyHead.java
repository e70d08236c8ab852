package io.forebay.server.compress.copy;

import io.forebay.core.policy.StoredHeader;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.compress.CodedTag;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The head of a coded copy, made of the head of its source: the same metadata and field lines,
 * except those about the bytes of the body.
 */
public final class CopyHead {

  /** Digests of the source's bytes (RFC 9530, RFC 3230, RFC 1864). */
  private static final Set<String> LEFT_OUT =
      Set.of("content-digest", "repr-digest", "digest", "content-md5", "content-encoding", "etag");

  private CopyHead() {}

  /**
   * The bytes that are stored with the copy; null where they would be too long.
   *
   * @param bytes where the head of the source lies
   * @param headOffset of its metadata
   * @param headLength of metadata and field lines
   * @param tagSuffix what its entity tag has beside that of the source
   */
  static byte @Nullable [] of(
      StoredMeta source,
      MemorySegment bytes,
      int headOffset,
      int headLength,
      long sourceObjectId,
      long sourceBirth,
      CopyForm form,
      String tagSuffix) {
    byte[] block = new byte[headLength - source.length()];
    MemorySegment.copy(
        bytes, ValueLayout.JAVA_BYTE, headOffset + source.length(), block, 0, block.length);
    String own = source.etag();
    String etag = own == null ? null : own.substring(0, own.length() - 1) + tagSuffix + '"';
    if (etag != null && etag.length() > StoredMeta.MAX_TEXT_LENGTH) {
      etag = null;
    }
    StringBuilder lines = new StringBuilder(block.length + 96);
    for (String line : lines(block)) {
      String name = name(line);
      // What has no strong tag of its own can't be told from other codings by a range of it.
      boolean isLeftOut =
          LEFT_OUT.contains(name)
              || (name.equals("accept-ranges")
                  && (form.isDelta() || etag == null || etag.startsWith("W/")));
      if (!isLeftOut) {
        lines.append(line);
      }
    }
    lines.append("content-encoding: ").append(form.coding()).append("\r\n");
    if (etag != null) {
      lines.append("etag: ").append(etag).append("\r\n");
    }
    if (source.lacksVary()) {
      lines.append("vary: accept-encoding\r\n");
    }
    if (lines.length() > StoredHeader.MAX_LENGTH) {
      return null;
    }
    byte[] meta = source.codedCopy(etag, sourceObjectId, sourceBirth);
    byte[] fields = lines.toString().getBytes(StandardCharsets.ISO_8859_1);
    byte[] head = Arrays.copyOf(meta, meta.length + fields.length);
    System.arraycopy(fields, 0, head, meta.length, fields.length);
    return head;
  }

  /** The suffix of the tag of a copy that is there, or null. */
  static @Nullable String tagSuffix(@Nullable String copyTag) {
    int end = copyTag == null ? 0 : CodedTag.strip(copyTag).length() - 1;
    return copyTag == null || end >= copyTag.length() - 1
        ? null
        : copyTag.substring(end, copyTag.length() - 1);
  }

  /** Field lines with another entity tag. */
  public static byte[] withTag(byte[] block, String etag) {
    StringBuilder lines = new StringBuilder(block.length + 32);
    for (String line : lines(block)) {
      if (!name(line).equals("etag")) {
        lines.append(line);
      }
    }
    lines.append("etag: ").append(etag).append("\r\n");
    return lines.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Each with its end. */
  private static String[] lines(byte[] block) {
    return block.length == 0
        ? new String[0]
        : new String(block, StandardCharsets.ISO_8859_1).split("(?<=\n)", -1);
  }

  private static String name(String line) {
    int colon = line.indexOf(':');
    return colon < 0 ? "" : line.substring(0, colon);
  }
}
