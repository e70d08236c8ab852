package io.forebay.server.network;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.handler.ipfilter.IpFilterRuleType;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Networks hold the same addresses as those of Netty. */
final class NetworkSetByNettyTest {

  private static boolean isIn(NetworkSet set, String address) {
    IpAddress read = IpAddress.parse(address);
    return read != null && set.contains(read);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.0.1, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "10.0.0.0/8, ::ffff:10.1.2.3, true",
    "192.0.2.7, 192.0.2.7, true",
    "192.0.2.7, 192.0.2.8, false",
    "0.0.0.0/0, 255.255.255.255, true",
    "0.0.0.0/0, 2001:db8::1, false",
    "2001:db8::/32, 2001:db8:ffff::1, true",
    "2001:db8::/32, 2001:db9::, false",
    "2001:db8::/96, 2001:db8:0:0:0:0:0:1, true",
    "::1, ::1, true",
    "::/0, fe80::1%eth0, true",
    "::/0, 10.0.0.1, false",
    "::/64, ::1:0:0:1, true",
    "::ffff:10.0.0.0/104, 10.1.2.3, true",
    "::/0, x, false",
  })
  void networksHoldTheirAddresses(String network, String address, boolean isIn) {
    assertEquals(isIn, isIn(NetworkSet.masked(List.of(network)), address));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1",
        "1.2.3",
        "1.2.3.4.5",
        "256.1.1.1",
        "1.2.3.",
        "1..2.3",
        "a.b.c.d",
        ":",
        ":::",
        "1:",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "12345::",
        "::1::",
        "1:2:3:4:5:6:7:1.2.3.4",
        "g::",
      })
  void whatIsNoAddressIsInNoNetwork(String text) {
    assertNull(IpAddress.parse(text), text);
    assertThrows(IllegalArgumentException.class, () -> NetworkSet.masked(List.of(text)));
  }

  @Test
  void itReadsAddressesAsNettyDoesAndHoldsTheSameOnes() throws UnknownHostException {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 300; round++) {
      List<String> networks = new ArrayList<>();
      for (int i = random.nextInt(1, 20); i > 0; i--) {
        byte[] address = address(random);
        networks.add(text(address, random) + "/" + random.nextInt(address.length * 8 + 1));
      }
      NetworkSet set = NetworkSet.masked(networks);
      for (int i = 0; i < 50; i++) {
        byte[] address = address(random);
        InetSocketAddress peer = new InetSocketAddress(InetAddress.getByAddress(address), 0);
        boolean expected =
            networks.stream()
                .anyMatch(network ->
                    new IpSubnetFilterRule(network, IpFilterRuleType.ACCEPT).matches(peer));
        String text = text(address, random);
        assertEquals(expected, isIn(set, text), () -> text + " " + networks + " seed " + seed);
      }
    }
    assertTrue(isIn(NetworkSet.masked(List.of("::ffff:1.2.3.4")), "1.2.3.4"));
  }

  /** Few different bits, so that networks and addresses meet. */
  private static byte[] address(SplittableRandom random) {
    byte[] address = new byte[random.nextBoolean() ? 4 : 16];
    // No IPv4-mapped address, which is the same as an IPv4 address here.
    address[0] = 32;
    for (int i = 1; i < address.length; i++) {
      address[i] = (byte) (random.nextInt(4) == 0 ? random.nextInt(256) : 0);
    }
    return address;
  }

  private static String text(byte[] address, SplittableRandom random) throws UnknownHostException {
    InetAddress of = InetAddress.getByAddress(address);
    return random.nextBoolean() ? of.getHostAddress() : NetUtil.toAddressString(of);
  }
}
