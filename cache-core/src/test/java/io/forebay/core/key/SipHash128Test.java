package io.forebay.core.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class SipHash128Test {

  private static final byte[] KEY = ascending(16);

  @Test
  void givesTheReferenceVectors() throws IOException {
    SipHash128 hash = new SipHash128(KEY);
    List<String> lines = vectors();
    assertEquals(64, lines.size());
    for (String line : lines) {
      List<String> parts = List.of(line.split(" ", -1));
      byte[] text = ascending(Integer.parseInt(parts.get(0)));
      assertEquals(parts.get(1), hex(hash.hash64(text, 0, text.length)), line);
      hash.hash(text, 0, text.length);
      assertEquals(parts.get(2), hex(hash.lo()) + hex(hash.hi()), line);
    }
  }

  @Test
  void hashesTheRangeAskedForOnly() {
    SipHash128 hash = new SipHash128(KEY);
    byte[] alone = ascending(21);
    byte[] inside = new byte[40];
    System.arraycopy(alone, 0, inside, 5, alone.length);
    assertEquals(hash.hash64(alone, 0, alone.length), hash.hash64(inside, 5, alone.length));
  }

  @Test
  void dependsOnTheSecret() {
    byte[] other = KEY.clone();
    other[15] ^= 1;
    byte[] text = ascending(9);
    assertNotEquals(
        new SipHash128(KEY).hash64(text, 0, 9), new SipHash128(other).hash64(text, 0, 9));
    assertThrows(IllegalArgumentException.class, () -> new SipHash128(new byte[15]));
  }

  private static List<String> vectors() throws IOException {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(SipHash128Test.class.getResourceAsStream("siphash-2-4.txt")),
                StandardCharsets.UTF_8))) {
      return reader.lines().filter(line -> !line.startsWith("#")).toList();
    }
  }

  private static byte[] ascending(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) i;
    }
    return bytes;
  }

  private static String hex(long value) {
    byte[] bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
    return HexFormat.of().formatHex(bytes);
  }
}
