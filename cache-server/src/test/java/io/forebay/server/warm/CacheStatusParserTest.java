package io.forebay.server.warm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CacheStatusParserTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "edge; hit|hit",
        "edge;hit;ttl=1|hit",
        "edge; fwd=uri-miss; stored|uri-miss",
        "far; hit, edge; fwd=stale; fwd-status=304|stale",
        "far; fwd=miss, edge; hit|hit",
        "\"a, b; hit\"; fwd=bypass|bypass",
        "\"a\\\"; hit, x\"; fwd=request|request",
        "edge; detail=\"hit, hit\"; fwd=vary-miss|vary-miss",
        "edge|unknown",
        "''|unknown",
        "edge; hit=?0|unknown",
        "edge; fwd=\"x\"|unknown",
      })
  void readsTheCacheNearestToTheClient(String field, String result) {
    assertEquals(result, CacheStatusParser.result(field));
  }

  @Test
  void nothingSaidIsUnknown() {
    assertEquals("unknown", CacheStatusParser.result(null));
  }
}
