package io.forebay.core.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class StoredMetaTest {

  @Test
  void givesBackWhatWasEncodedAtAnyOffset() {
    long seed = 5;
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    StoredMeta meta = new StoredMeta();
    byte[] arena = new byte[16 * 1024];
    MemorySegment segment = MemorySegment.ofArray(arena);
    for (int i = 0; i < 5000; i++) {
      MetaValues values = random(random);
      byte[] record = StoredMeta.encode(values);
      int offset = random.nextInt(arena.length - record.length);
      System.arraycopy(record, 0, arena, offset, record.length);
      assertTrue(meta.wrap(segment, offset));
      String message = "seed " + seed + " " + values;
      assertEquals(record.length, meta.length(), message);
      assertEquals(values, read(meta), message);
      assertEquals(values.etag() != null, meta.hasEtag(), message);
      assertEquals(values.lastModified() != null, meta.hasLastModified(), message);
      assertEquals(
          values.etag() == null ? "" : values.etag(),
          new String(
              arena, (int) meta.etagOffset(), meta.etagLength(), StandardCharsets.ISO_8859_1));
    }
  }

  private static MetaValues random(RandomGenerator random) {
    List<String> selecting = new ArrayList<>();
    for (int n = random.nextInt(3); n > 0; n--) {
      selecting.add("f" + random.nextInt(5));
    }
    return new MetaValues(
        random.nextInt(200, 600),
        random.nextInt(128),
        random.nextLong(),
        random.nextLong(),
        random.nextLong(),
        random.nextBoolean() ? HttpDate.INVALID : random.nextLong(),
        random.nextLong(),
        random.nextBoolean() ? -1 : random.nextLong(),
        random.nextBoolean() ? -1 : random.nextLong(),
        random.nextLong(),
        text(random),
        text(random),
        List.copyOf(selecting),
        random.nextBoolean() ? "" : "surrogate-control: max-age=" + random.nextInt(9) + "\r\n");
  }

  private static @Nullable String text(RandomGenerator random) {
    return random.nextBoolean() ? null : "\"\u00e4".repeat(random.nextInt(1, 513));
  }

  private static MetaValues read(StoredMeta meta) {
    return new MetaValues(
        meta.status(),
        meta.flags(),
        meta.requestTimeMillis(),
        meta.responseTimeMillis(),
        meta.dateMillis(),
        meta.lastModifiedMillis(),
        meta.freshnessLifetimeMillis(),
        meta.staleWhileRevalidateMillis(),
        meta.staleIfErrorMillis(),
        meta.ageValueSeconds(),
        meta.etag(),
        meta.lastModified(),
        meta.selectingFields(),
        meta.consumedLines());
  }

  @Test
  void theLayoutIsTheOneInThePicture() {
    MetaValues values =
        new MetaValues(
            404, 3, 1, 2, 3, 4, 5, 6, 7, 8, "\"e\"", "m", List.of("a", "bc"), "x: y\r\n");
    byte[] record = StoredMeta.encode(values);
    assertEquals(80 + 3 + 1 + 4 + 6, record.length);
    assertEquals(2, record[0]);
    assertEquals(404, (record[2] & 0xff) | (record[3] & 0xff) << 8);
    assertEquals(3, record[4]);
    for (int i = 0; i < 8; i++) {
      assertEquals(i + 1, record[8 + 8 * i]);
    }
    assertEquals(3, record[72]);
    assertEquals(1, record[74]);
    assertEquals(4, record[76]);
    assertEquals(6, record[78]);
    assertEquals("\"e\"ma,bcx: y\r\n", new String(record, 80, 14, StandardCharsets.ISO_8859_1));
    assertEquals("y", StoredMeta.of(record).consumedFields().first("x"));
  }

  @Test
  void refusesWhatDoesNotFit() {
    byte[] record = StoredMeta.encode(random(random(1)));
    StoredMeta meta = new StoredMeta();
    MemorySegment segment = MemorySegment.ofArray(record);
    assertTrue(meta.wrap(segment, 0));
    for (int length = 0; length < record.length; length++) {
      assertFalse(meta.wrap(segment.asSlice(0, length), 0), "cut to " + length);
    }
    assertFalse(meta.wrap(segment, -1));
    assertFalse(meta.wrap(segment, record.length));
    assertEquals(0, meta.status());
    assertFalse(meta.isVaryMarker());
    assertThrows(IndexOutOfBoundsException.class, meta::dateMillis);
  }

  @Test
  void refusesOtherVersionsAndImpossibleLengths() {
    byte[] record = StoredMeta.encode(random(random(2)));
    for (int offset : new int[] {0, 5, 7, 73, 75, 77, 79}) {
      byte[] broken = record.clone();
      broken[offset] = (byte) 0xff;
      assertFalse(new StoredMeta().wrap(MemorySegment.ofArray(broken), 0), "byte " + offset);
      assertThrows(IllegalArgumentException.class, () -> StoredMeta.of(broken));
    }
  }

  @Test
  void randomBytesNeverReadPastTheSegment() {
    long seed = 9;
    RandomGenerator random = random(seed);
    StoredMeta meta = new StoredMeta();
    int wrapped = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(400)];
      random.nextBytes(bytes);
      for (int at : new int[] {5, 6, 7, 73, 75, 77, 79}) {
        if (at < bytes.length) {
          bytes[at] = 0;
        }
      }
      if (bytes.length > 4) {
        bytes[0] = StoredMeta.VERSION;
        bytes[4] &= 127;
      }
      if (meta.wrap(MemorySegment.ofArray(bytes), 0)) {
        wrapped++;
        assertTrue(meta.length() <= bytes.length, "seed " + seed);
        read(meta);
      }
    }
    assertTrue(wrapped > 0, "seed " + seed);
  }

  @Test
  void aCodedCopyHasTheTimesOfItsSourceAndNamesIt() {
    RandomGenerator random = random(3);
    for (int i = 0; i < 500; i++) {
      MetaValues values = random(random);
      HeaderFields fields =
          i % 2 == 0
              ? HeaderFields.of("content-type", "text/plain")
              : HeaderFields.of("vary", "x, Accept-Encoding");
      byte[] record = StoredMeta.compressible(StoredMeta.encode(values), fields);
      StoredMeta source = StoredMeta.of(record);
      assertTrue(source.isCompressible());
      assertEquals(i % 2 == 0, source.lacksVary());
      assertFalse(source.isCodedCopy());
      assertEquals(record.length, source.length());

      byte[] copied = source.codedCopy("\"tag\"", 7 + i, -8);
      StoredMeta copy = StoredMeta.of(copied);
      assertEquals(copied.length, copy.length());
      assertTrue(copy.isCodedCopy());
      assertFalse(copy.isCompressible());
      assertFalse(copy.lacksVary());
      assertEquals(7 + i, copy.sourceObjectId());
      assertEquals(-8, copy.sourceBirth());
      assertEquals("\"tag\"", copy.etag());
      assertEquals(source.lastModified(), copy.lastModified());
      assertEquals(source.selectingFields(), copy.selectingFields());
      assertEquals(source.responseTimeMillis(), copy.responseTimeMillis());
      assertEquals(source.freshnessLifetimeMillis(), copy.freshnessLifetimeMillis());
      assertNull(StoredMeta.of(source.codedCopy(null, 1, 2)).etag());
      for (int cut = 1; cut <= 16; cut++) {
        MemorySegment part = MemorySegment.ofArray(copied).asSlice(0, copied.length - cut);
        assertFalse(new StoredMeta().wrap(part, 0));
      }
    }
  }

  @Test
  void overlongValidatorsCountAsAbsent() {
    String tooLong = "x".repeat(StoredMeta.MAX_TEXT_LENGTH + 1);
    MetaValues values =
        new MetaValues(200, 0, 0, 0, 0, 0, 0, -1, -1, 0, tooLong, tooLong, List.of());
    StoredMeta meta = StoredMeta.of(StoredMeta.encode(values));
    assertNull(meta.etag());
    assertFalse(meta.hasValidator());
    assertThrows(
        IllegalArgumentException.class, () -> StoredMeta.encodeVaryMarker(List.of(tooLong), 0));
  }

  @Test
  void selectingFieldsAreDecodedOnceWhileTheyStayTheSame() {
    MemorySegment one = MemorySegment.ofArray(StoredMeta.encodeVaryMarker(List.of("a", "b"), 1));
    MemorySegment two = MemorySegment.ofArray(StoredMeta.encodeVaryMarker(List.of("a", "c"), 1));
    StoredMeta meta = new StoredMeta();
    assertTrue(meta.wrap(one, 0));
    List<String> first = meta.selectingFields();
    assertSame(first, meta.selectingFields());
    assertTrue(meta.wrap(two, 0));
    assertEquals(List.of("a", "c"), meta.selectingFields());
    assertEquals(List.of("a", "b"), first);
  }

  private static RandomGenerator random(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }
}
