package io.forebay.lab.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class ByteRangeTest {

  @Test
  void rangesEndWithTheBody() {
    assertEquals(new ByteRange(0, 10), ByteRange.of("bytes=0-9", 100));
    assertEquals(new ByteRange(90, 100), ByteRange.of("bytes=90-", 100));
    assertEquals(new ByteRange(90, 100), ByteRange.of("bytes=90-500", 100));
    assertEquals(new ByteRange(93, 100), ByteRange.of("bytes=-7", 100));
    assertEquals(new ByteRange(0, 100), ByteRange.of("bytes=-700", 100));
  }

  @Test
  void rangesBehindTheBodyAreUnsatisfiable() {
    for (String field : new String[] {"bytes=100-", "bytes=100-200", "bytes=-0"}) {
      ByteRange range = ByteRange.of(field, 100);
      assertNotNull(range);
      assertFalse(range.isSatisfiable(), field);
    }
  }

  @Test
  void whatIsNoSingleRangeIsIgnored() {
    for (String field :
        new String[] {
          "bytes=0-1,5-6", "bytes=-", "bytes=9-3", "lines=1-2", "bytes=a-b", "bytes= 0-1", ""
        }) {
      assertNull(ByteRange.of(field, 100), field);
    }
    assertNull(ByteRange.of(null, 100));
  }
}
