package io.forebay.server.network;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses and sets of networks, beside other implementations of the same. */
final class NetworkSetTest {
  private static final String[] V6_FORMS = {
    "::",
    "::1",
    "1::",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7::",
    "::2:3:4:5:6:7:8",
    "1::8",
    "fe80::1",
    "2001:db8::192.0.2.7",
    "::ffff:192.0.2.7",
    "::192.0.2.7",
    "1:2:3:4:5:6:192.0.2.7",
    "A:b::C",
    "1:2:3::6:7:8",
    "0:0:0:0:0:0:0:0",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "1:2:3:4::8"
  };

  @TempDir Path directory;

  private static byte[] bytes(IpAddress address) {
    byte[] bytes = new byte[16];
    for (int i = 0; i < 8; i++) {
      bytes[i] = (byte) (address.hi() >>> (56 - 8 * i));
      bytes[8 + i] = (byte) (address.lo() >>> (56 - 8 * i));
    }
    return bytes;
  }

  private static boolean contains(NetworkSet set, String address) {
    IpAddress read = IpAddress.parse(address);
    assertNotNull(read, address);
    return set.contains(read);
  }

  @Test
  void everyFormOfAnAddressIsReadAsOthersReadIt() throws IOException {
    for (String text : V6_FORMS) {
      IpAddress read = IpAddress.parse(text);
      assertNotNull(read, text);
      byte[] expected = InetAddress.ofLiteral(text).getAddress();
      BigInteger other = new BigInteger(1, expected);
      if (expected.length == 4) {
        other = other.or(BigInteger.valueOf(0xffff).shiftLeft(32));
      }
      assertEquals(other, new BigInteger(1, bytes(read)), text);
    }
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 2000; i++) {
      byte[] raw = new byte[i % 2 == 0 ? 4 : 16];
      random.nextBytes(raw);
      for (int at = 0; raw.length == 16 && at < 16; at += 2) {
        if (random.nextInt(3) == 0) {
          raw[at] = 0;
          raw[at + 1] = 0;
        }
      }
      String text = NetUtil.toAddressString(InetAddress.getByAddress(raw));
      IpAddress read = IpAddress.parse(text);
      assertNotNull(read, text);
      assertTrue(
          new BigInteger(1, bytes(read)).toString(16).endsWith(new BigInteger(1, raw).toString(16)),
          text);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "1",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.256",
        "01.2.3.4",
        "1.2.3.04",
        "1..3.4",
        ".1.2.3.4",
        "1.2.3.4.",
        "1.2.3.4 ",
        "1.2.3.0000",
        "a.b.c.d",
        ":",
        ":::",
        "1:::2",
        "1::2::3",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8",
        "12345::",
        "g::",
        "1:2:",
        ":1:2",
        "1.2.3.4::",
        "::1.2.3",
        "::1.2.3.4:5",
        "[::1]",
        "::1/64",
        "1:2:3:4:5:6:7:1.2.3.4",
        "\u0661::"
      })
  void whatIsNoAddressIsNotRead(String text) {
    assertNull(IpAddress.parse(text));
  }

  @Test
  void bothSpellingsOfAnIpv4ClientAreTheSame() {
    NetworkSet set = NetworkSet.of(List.of("192.0.2.0/24"));
    assertTrue(contains(set, "192.0.2.7"));
    assertTrue(contains(set, "::ffff:192.0.2.7"));
    assertFalse(contains(set, "::192.0.2.7"));
    assertTrue(contains(NetworkSet.of(List.of("::ffff:192.0.2.7/128")), "192.0.2.7"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"::/0", "::/16", "::/64", "::/72"})
  void aNetworkOfIpv6HoldsNoIpv4Address(String network) {
    NetworkSet set = NetworkSet.of(List.of(network));
    for (String address : List.of("0.0.0.0", "10.1.2.3", "255.255.255.255", "::ffff:10.1.2.3")) {
      assertFalse(contains(set, address), address);
    }
    assertTrue(contains(set, "::1"));
    assertTrue(contains(set, "::fffe:ffff:ffff"));
    assertTrue(contains(set, "::1:0:0:0"));
    assertTrue(contains(NetworkSet.of(List.of("::ffff:0:0/96")), "10.1.2.3"));
    assertTrue(contains(NetworkSet.of(List.of(network, "10.0.0.0/8")), "10.1.2.3"));
  }

  @Test
  void anIpv4NetworkOfLengthZeroIsNotAllOfIpv6() {
    NetworkSet all = NetworkSet.of(List.of("0.0.0.0/0"));
    assertTrue(contains(all, "255.255.255.255"));
    assertFalse(contains(all, "2001:db8::1"));
    NetworkSet everything = NetworkSet.of(List.of("::/0"));
    assertTrue(contains(everything, "ffff::ffff"));
    assertTrue(contains(everything, "::"));
    assertEquals(everything, NetworkSet.union(List.of(everything)));
  }

  @Test
  void aSetOfThousandsAnswersAsASearchThroughAllOfThem() {
    long seed = 20_261_126L;
    SplittableRandom random = new SplittableRandom(seed);
    List<String> networks = new ArrayList<>();
    List<int[]> plain = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      int bits = 8 + random.nextInt(25);
      int mask = -1 << (32 - bits);
      int address = random.nextInt() & mask;
      plain.add(new int[] {address, mask});
      networks.add(dotted(address) + "/" + bits);
    }
    NetworkSet set = NetworkSet.of(networks);
    assertEquals(3000, set.networks());
    int inside = 0;
    for (int i = 0; i < 20_000; i++) {
      int address =
          i % 3 == 0
              ? random.nextInt()
              : plain.get(random.nextInt(plain.size()))[0] + random.nextInt(-2, 3);
      boolean expected = plain.stream().anyMatch(one -> (address & one[1]) == one[0]);
      assertEquals(
          expected, contains(set, dotted(address)), "seed " + seed + " " + dotted(address));
      inside += expected ? 1 : 0;
    }
    assertTrue(inside > 1000 && inside < 19_000, inside + " inside");
  }

  private static String dotted(int address) {
    return (address >>> 24)
        + "."
        + (address >>> 16 & 255)
        + "."
        + (address >>> 8 & 255)
        + "."
        + (address & 255);
  }

  @Test
  void bitsBeyondThePrefixAreRefusedUnlessTheyAreMasked() {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> NetworkSet.of(List.of("10.1.2.3/8")));
    assertEquals("10.1.2.3/8 has bits set beyond its prefix length", refused.getMessage());
    assertTrue(contains(NetworkSet.masked(List.of("10.1.2.3/8")), "10.9.9.9"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.0.0.0/33",
        "::/129",
        "10.0.0.0/",
        "10.0.0.0/-1",
        "10.0.0.0/08",
        "10/8",
        "x/8",
        "10.0.0.0/8/8"
      })
  void whatIsNoNetworkIsRefused(String network) {
    IllegalArgumentException ignored =
        assertThrows(IllegalArgumentException.class, () -> NetworkSet.of(List.of(network)));
  }

  @Test
  void aFileOfAHundredThousandNetworksIsRead() throws IOException {
    StringBuilder text = new StringBuilder("# a list\r\n\n");
    for (int i = 0; i < 100_000; i++) {
      text.append("10.").append(i >> 16).append('.').append(i >> 8 & 255).append('.');
      text.append(i & 255).append(i % 2 == 0 ? "/32 # even\n" : "\n");
    }
    Path file = Files.writeString(directory.resolve("list"), text);
    NetworkSet set = NetworkFile.read(file);
    assertEquals(100_000, set.networks());
    assertTrue(contains(set, "10.1.134.159"));
    assertFalse(contains(set, "10.1.134.160"));
  }

  @Test
  void aBadLineIsNamed() throws IOException {
    Path file = Files.writeString(directory.resolve("list"), "10.0.0.0/8\n\n10.0.0.0/8x # ten\n");
    assertEquals(
        "line 3: \"10.0.0.0/8x\" has no prefix length of 0 to 32",
        assertThrows(IOException.class, () -> NetworkFile.read(file)).getMessage());
    Files.write(file, "10.0.0.1\n\u00e4\n".getBytes(StandardCharsets.ISO_8859_1));
    String message =
        String.valueOf(assertThrows(IOException.class, () -> NetworkFile.read(file)).getMessage());
    assertTrue(message.endsWith("is not UTF-8"), message);
  }
}
