package io.forebay.server.compress.copy;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.core.policy.BodyRemainder;
import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.core.policy.StoredHeader;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.compress.ContentCoding;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The head of a copy says of its bytes what is true of them, and else what its source says. */
final class CopyHeadTest {

  /** The copy's metadata and lines, of a response with these fields. */
  private static Head copy(String... fields) {
    List<String> all = new ArrayList<>(List.of("cache-control", "max-age=100"));
    all.addAll(List.of(fields));
    HeaderFields response = HeaderFields.of(all.toArray(String[]::new));
    StoreVerdict.Store verdict =
        (StoreVerdict.Store)
            ResponsePolicy.judge(
                SyntheticRequest.of(
                    "GET", new TargetUri("http", "example.com", "/", null), HeaderFields.of()),
                Route.toOrigin("main"),
                200,
                response,
                1_000,
                2_000);
    byte[] meta = StoredMeta.compressible(verdict.meta(), response);
    byte[] block =
        requireNonNull(StoredHeader.encode(200, response, verdict.omittedFields(), 2_000));
    byte[] source = Arrays.copyOf(meta, meta.length + block.length);
    System.arraycopy(block, 0, source, meta.length, block.length);
    byte[] head =
        requireNonNull(
            CopyHead.of(
                StoredMeta.of(meta),
                MemorySegment.ofArray(source),
                0,
                source.length,
                77,
                88,
                CopyForm.of(ContentCoding.GZIP, 6),
                CopyForm.of(ContentCoding.GZIP, 6).tagSuffix(5)));
    StoredMeta copied = StoredMeta.of(head);
    return new Head(
        copied,
        new String(
            head, copied.length(), head.length - copied.length(), StandardCharsets.ISO_8859_1));
  }

  private record Head(StoredMeta meta, String lines) {}

  @Test
  void linesAboutTheBytesAreThoseOfTheCopy() {
    Head head =
        copy(
            "content-type", "text/plain",
            "strict-transport-security", "max-age=9",
            "etag", "\"1\"",
            "content-digest", "sha-256=:AAAA:",
            "digest", "sha-256=AAAA",
            "content-md5", "AAAA",
            "x-own", "kept",
            "date", "Thu, 01 Jan 2026 00:00:00 GMT");
    assertEquals(
        """
        strict-transport-security: max-age=9\r
        cache-control: max-age=100\r
        content-type: text/plain\r
        x-own: kept\r
        date: Thu, 01 Jan 2026 00:00:00 GMT\r
        accept-ranges: bytes\r
        content-encoding: gzip\r
        etag: "1-gzip6.15"\r
        vary: accept-encoding\r
        """,
        head.lines());
    StoredMeta meta = head.meta();
    assertEquals("\"1-gzip6.15\"", meta.etag());
    assertEquals(77, meta.sourceObjectId());
    assertEquals(88, meta.sourceBirth());
    assertEquals(1_000, meta.requestTimeMillis());
    assertEquals(2_000, meta.responseTimeMillis());
    assertEquals(100_000, meta.freshnessLifetimeMillis());
    assertTrue(meta.isCodedCopy());
    assertFalse(meta.isCompressible());
    assertNull(BodyRemainder.of(meta, 10), "no origin has these bytes");
  }

  @Test
  void withoutAStrongTagThereAreNoRangesOfIt() {
    assertFalse(copy("etag", "W/\"1\"").lines().contains("accept-ranges"));
    assertTrue(copy("etag", "W/\"1\"").lines().contains("etag: W/\"1-gzip6.15\"\r\n"));
    Head none = copy("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT");
    assertFalse(none.lines().contains("accept-ranges"));
    assertNull(none.meta().etag());
    assertEquals("Thu, 01 Jan 2026 00:00:00 GMT", none.meta().lastModified());
    // A tag that can't be told from that of the source is none.
    Head odd = copy("etag", "odd", "last-modified", "Thu, 01 Jan 2026 00:00:00 GMT");
    assertFalse(odd.lines().contains("etag"));
  }

  @Test
  void aNewHeadOfTheSameCopyKeepsItsTag() {
    assertEquals("-gzip6.15", CopyHead.tagSuffix("\"1-gzip6.15\""));
    assertNull(CopyHead.tagSuffix("\"1\""));
    assertNull(CopyHead.tagSuffix((String) null));
  }

  @Test
  void varyIsAddedWhereItIsMissing() {
    assertTrue(copy("vary", "X-Color").lines().endsWith("vary: accept-encoding\r\n"));
    assertEquals(1, copy("vary", "X-Color, Accept-Encoding").lines().split("vary:", -1).length - 1);
  }

  @Test
  void aConfirmedTagTakesThePlaceOfTheSources() {
    assertEquals(
        "a: b\r\netag: \"1-br4.1\"\r\n",
        new String(
            CopyHead.withTag(
                "etag: \"1\"\r\na: b\r\n".getBytes(StandardCharsets.ISO_8859_1), "\"1-br4.1\""),
            StandardCharsets.ISO_8859_1));
  }
}
