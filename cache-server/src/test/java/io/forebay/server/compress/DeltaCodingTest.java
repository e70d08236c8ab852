package io.forebay.server.compress;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.forebay.core.http.HeaderFields;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients say of deltas. */
final class DeltaCodingTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gzip, deflate, br, zstd, dcb, dcz | 1000 | 1000",
        "dcb;q=0.5, DCZ ; Q=0.25 | 500 | 250",
        "dcb;q=0, dcz;q=0.000 | 0 | 0",
        "dcb;q=1.0;x | 0 | 0",
        "dcb;q=high | 0 | 0",
        "dcb;level=1 | 0 | 0",
        "dcb, dcb;q=0 | 1000 | 0",
        "dcb;q=0, dcb | 0 | 0",
        "* | 0 | 0",
        "gzip, br | 0 | 0",
        "dcbx, xdcz | 0 | 0",
        ",,dcz, | 0 | 1000",
      })
  void theirWeightsAreReadAndAStarIsNotAboutThem(String line, int dcb, int dcz) {
    long weights = DeltaCoding.weights(List.of(line));
    assertEquals(dcb, DeltaCoding.DCB.weight(weights));
    assertEquals(dcz, DeltaCoding.DCZ.weight(weights));
  }

  @Test
  void linesCountTogether() {
    long weights = DeltaCoding.weights(List.of("gzip, dcz;q=0.1", "dcb;q=0.2"));
    assertEquals(200, DeltaCoding.DCB.weight(weights));
    assertEquals(100, DeltaCoding.DCZ.weight(weights));
    assertEquals(0, DeltaCoding.DCB.weight(DeltaCoding.weights(List.of())));
  }

  @Test
  void theHashOfADictionaryIsAByteSequence() {
    byte[] hash = new byte[32];
    hash[0] = -1;
    String text = ":" + Base64.getEncoder().encodeToString(hash) + ":";
    assertArrayEquals(hash, AvailableDictionary.of(HeaderFields.of("Available-Dictionary", text)));
    assertNull(AvailableDictionary.of(HeaderFields.of()));
    assertNull(
        AvailableDictionary.of(
            HeaderFields.of("available-dictionary", text, "available-dictionary", text)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "::",
        "pZGm1Av0IEBKARczz7exkNYsZb8LzaMrV7J32a2fFG4=",
        ":pZGm1Av0IEBKARczz7exkNYsZb8LzaMrV7J32a2fFG4=",
        ":pZGm1Av0IEBKARczz7exkNYsZb8LzaMrV7J32a2fFG4:",
        ":pZGm1Av0IEBKARczz7exkNYsZb8LzaMrV7J32a2fFG4_:",
        ":pZGm1Av0IEBKARczz7exkNYsZb8LzaMrV7J32a2fFG==:",
        ":pZGm1Av0IEBKARczz7exkNYsZb8LzaMrV7J32a2fFG4==:",
        "\":pZGm1Av0IEBKARczz7exkNYsZb8LzaMrV7J32a2fFG4=:\"",
        ":pZGm1Av0IEBKARczz7exkNYsZb8LzaMrV7J32a2fFG4=:;a=1",
      })
  void whatIsNoHashIsNone(String text) {
    assertNull(AvailableDictionary.of(HeaderFields.of("available-dictionary", text)));
  }
}
