package io.forebay.server.compress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.forebay.core.http.HeaderFields;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a client gets for its Accept-Encoding. */
final class CodingWeightsTest {

  private static String chosen(CompressionSettings settings, String field) {
    ContentCoding coding = settings.choose(CodingWeights.of(field));
    return coding == null ? "identity" : coding.token();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gzip, deflate, br, zstd | br",
        "gzip, deflate, zstd | zstd",
        "gzip, deflate | gzip",
        "x-gzip | gzip",
        "GZIP | gzip",
        "deflate | identity",
        "identity | identity",
        "'' | identity",
        "br;q=0.5, gzip;q=0.8 | gzip",
        "br;q=0.8, gzip;q=0.8 | br",
        "br;q=0.801, gzip;q=0.802, zstd;q=0.8 | gzip",
        "br;q=0, gzip | gzip",
        "br ; Q=0.0 , gzip;q=0.001 | gzip",
        "identity;q=1, *;q=0 | identity",
        "identity;q=1, gzip;q=0.5 | identity",
        "identity;q=0.5, gzip;q=0.5 | gzip",
        "gzip;q=1.0, identity; q=0.5, *;q=0 | gzip",
        "* | identity",
        "identity;q=0, * | br",
        "identity;q=0, br;q=0, * | zstd",
        "*;q=0 | identity",
        "br;level=1, gzip | gzip",
        "br;q=x, gzip;q=2 | identity",
        "br;q=0.5;q=1, gzip;q=0.1 | gzip",
      })
  void theCodingWithTheMostWeightAndThenTheRoutesOrder(String field, String coding) {
    assertEquals(coding, chosen(CompressionSettings.DEFAULT, field));
  }

  @Test
  void onlyCodingsOfTheRouteCount() {
    CompressionSettings settings =
        CompressionSettings.DEFAULT.with(List.of(ContentCoding.GZIP, ContentCoding.ZSTD));
    assertEquals("zstd", chosen(settings, "br, gzip, zstd"));
    assertEquals("gzip", chosen(settings, "br, gzip;q=0.1"));
    assertEquals("identity", chosen(settings, "br"));
    assertEquals("identity", chosen(CompressionSettings.OFF, "br, gzip"));
  }

  @Test
  void severalLinesAreOneField() {
    HeaderFields fields =
        HeaderFields.of("accept-encoding", "gzip;q=0.5", "accept-encoding", "zstd;q=0.6");
    assertEquals(ContentCoding.ZSTD, CompressionSettings.DEFAULT.choose(CodingWeights.of(fields)));
    assertNull(CompressionSettings.DEFAULT.choose(CodingWeights.of(HeaderFields.EMPTY)));
  }
}
