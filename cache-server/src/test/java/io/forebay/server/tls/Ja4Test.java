package io.forebay.server.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fingerprints of FoxIO's documentation, of hellos that are built here from their parts. */
final class Ja4Test {
  /** Of a Chrome, with the values that count nowhere. */
  private static final int[] CIPHERS = {
    0x0a0a, 0x1301, 0x1302, 0x1303, 0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8, 0xc013, 0xc014,
    0x009c, 0x009d, 0x002f, 0x0035
  };

  private static final int[] EXTENSIONS = {
    0x1a1a, 0x001b, 0x0000, 0x0033, 0x0010, 0x4469, 0x0017, 0x002d, 0x000d, 0x0005, 0x0023, 0x0012,
    0x002b, 0xff01, 0x000b, 0x000a, 0x0015, 0xfafa
  };

  private static final int[] SIGNATURES = {
    0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601
  };

  private static ByteBuf hello(int[] ciphers, int @Nullable [] extensions, byte[] protocol) {
    ByteBuf hello = Unpooled.buffer();
    hello.writeShort(0x0303).writeZero(32).writeByte(32).writeZero(32);
    hello.writeShort(2 * ciphers.length);
    for (int cipher : ciphers) {
      hello.writeShort(cipher);
    }
    hello.writeByte(1).writeByte(0);
    if (extensions == null) {
      return hello;
    }
    ByteBuf all = Unpooled.buffer();
    for (int type : extensions) {
      ByteBuf content = Unpooled.buffer();
      switch (type) {
        case 0x0010 -> {
          content.writeShort(protocol.length + 1).writeByte(protocol.length);
          content.writeBytes(protocol);
        }
        case 0x000d -> {
          content.writeShort(2 * SIGNATURES.length);
          for (int signature : SIGNATURES) {
            content.writeShort(signature);
          }
        }
        case 0x002b ->
            content.writeByte(6).writeShort(0x5a5a).writeShort(0x0303).writeShort(0x0304);
        default -> content.writeZero(type & 3);
      }
      all.writeShort(type).writeShort(content.readableBytes()).writeBytes(content);
    }
    return hello.writeShort(all.readableBytes()).writeBytes(all);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void aChromeHasTheFingerprintOfTheDocumentation() {
    ByteBuf hello = hello(CIPHERS, EXTENSIONS, ascii("h2"));
    int before = hello.readerIndex();
    assertEquals("t13d1516h2_8daaf6152771_e5627efa2ab1", Ja4.of(hello));
    assertEquals(before, hello.readerIndex());
  }

  @ParameterizedTest
  @CsvSource({
    "6832,h2",
    "687474702f312e31,h1",
    "78,xx",
    "ab,ab",
    "abcd,ad",
    "30ab,3b",
    "302f312f,3f",
    "3031abcd,3d"
  })
  void theProtocolIsItsFirstAndLastCharacter(String name, String expected) {
    String fingerprint = Ja4.of(hello(CIPHERS, EXTENSIONS, HexFormat.of().parseHex(name)));
    assertEquals("t13d1516" + expected + "_8daaf6152771_e5627efa2ab1", fingerprint);
  }

  @Test
  void whatIsNotThereCountsAsNothing() {
    assertEquals(
        "t12i000000_000000000000_000000000000", Ja4.of(hello(new int[0], null, new byte[0])));
    assertEquals(
        "t12i000000_000000000000_000000000000",
        Ja4.of(hello(new int[] {0x0a0a}, new int[] {0x2a2a}, new byte[0])));
    String none = String.valueOf(Ja4.of(hello(CIPHERS, new int[] {0x0000}, new byte[0])));
    assertEquals("t12d150100_8daaf6152771_000000000000", none);
    int[] many = new int[150];
    Arrays.fill(many, 0xc030);
    assertTrue(String.valueOf(Ja4.of(hello(many, null, new byte[0]))).startsWith("t12i990000_"));
  }

  @Test
  void theOrderOfExtensionsDoesNotMatter() {
    int[] reversed = new int[EXTENSIONS.length];
    for (int i = 0; i < reversed.length; i++) {
      reversed[i] = EXTENSIONS[EXTENSIONS.length - 1 - i];
    }
    assertEquals(
        Ja4.of(hello(CIPHERS, EXTENSIONS, ascii("h2"))),
        Ja4.of(hello(CIPHERS, reversed, ascii("h2"))));
  }

  @Test
  void aHelloThatIsCutOrDamagedHasAFingerprintOrNone() {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("Ja4Test: -Dtest.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    ByteBuf good = hello(CIPHERS, EXTENSIONS, ascii("h2"));
    int length = good.readableBytes();
    for (int cut = 0; cut < length; cut++) {
      boolean isWithoutExtensions = cut == 2 + 32 + 33 + 2 + 2 * CIPHERS.length + 2;
      if (!isWithoutExtensions) {
        assertNull(Ja4.of(good.slice(0, cut)), "cut at " + cut);
      }
    }
    for (int i = 0; i < 20_000; i++) {
      ByteBuf bad = good.copy();
      for (int k = random.nextInt(1, 4); k > 0; k--) {
        bad.setByte(random.nextInt(length), random.nextInt());
      }
      String fingerprint = Ja4.of(bad);
      assertTrue(
          fingerprint == null
              || fingerprint.matches(
                  "t(13|12|11|10|s3|s2|00)[di][0-9]{4}[0-9A-Za-z]{2}_[0-9a-f]{12}_[0-9a-f]{12}"),
          fingerprint);
    }
  }
}
