package io.forebay.server.fairness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.network.IpAddress;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ClientNetworkTest {
  private static boolean isProxy(String address) {
    return address.startsWith("10.");
  }

  private static long number(String address) {
    return ClientNetwork.of(InetAddress.ofLiteral(address));
  }

  private static long behind(String... fields) {
    return ClientNetwork.of("10.0.0.1", HeaderFields.of(fields), ClientNetworkTest::isProxy);
  }

  @Test
  void addressesOfOneSlash64AreOneClient() {
    assertEquals(number("2001:db8:1:2::1"), number("2001:db8:1:2:ffff::9"));
    assertNotEquals(number("2001:db8:1:2::1"), number("2001:db8:1:3::1"));
    assertNotEquals(number("192.0.2.1"), number("192.0.2.2"));
    assertEquals(number("192.0.2.1"), number("::ffff:192.0.2.1"));
    assertEquals(
        number("192.0.2.1"),
        ClientNetwork.of("::ffff:192.0.2.1", HeaderFields.EMPTY, address -> false));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "192.0.2.1",
        "255.255.255.255",
        "::ffff:192.0.2.1",
        "2001:db8:1:2::1",
        "fe80::1%1",
        "ffff::",
        "",
        "unknown"
      })
  void anAddressThatIsANumberAlreadyIsTheSameClient(String peer) {
    assertEquals(
        ClientNetwork.of(peer, HeaderFields.EMPTY, address -> false),
        ClientNetwork.of(IpAddress.of(peer)));
  }

  @Test
  void whoIsNotTrustedSpeaksForNobodyElse() {
    HeaderFields said = HeaderFields.of("x-forwarded-for", "192.0.2.7");
    assertEquals(
        number("192.0.2.1"), ClientNetwork.of("192.0.2.1", said, ClientNetworkTest::isProxy));
  }

  @Test
  void aTrustedProxyNamesTheClient() {
    assertEquals(number("192.0.2.7"), behind("x-forwarded-for", "192.0.2.7"));
    assertEquals(number("192.0.2.7"), behind("x-forwarded-for", "1.1.1.1, 192.0.2.7, 10.9.9.9"));
    assertEquals(number("192.0.2.7"), behind("x-forwarded-for", "192.0.2.7:4711"));
    assertEquals(number("2001:db8::1"), behind("x-forwarded-for", "[2001:db8::1]:4711"));
    assertEquals(
        number("2001:db8::1"),
        behind("forwarded", "for=1.1.1.1, proto=https;FOR=\"[2001:db8::1]:47\";by=_x"));
  }

  @Test
  void whoIsNotNamedIsNotCounted() {
    assertEquals(ClientNetwork.NOBODY, behind());
    assertEquals(ClientNetwork.NOBODY, behind("x-forwarded-for", ""));
    assertEquals(ClientNetwork.NOBODY, behind("x-forwarded-for", "unknown"));
    assertEquals(ClientNetwork.NOBODY, behind("x-forwarded-for", "10.0.0.9"));
    assertEquals(ClientNetwork.NOBODY, behind("forwarded", "for=_hidden"));
    assertEquals(
        ClientNetwork.NOBODY, ClientNetwork.of("unix", HeaderFields.EMPTY, address -> false));
  }

  private static @Nullable String address(String peer, String... fields) {
    return ClientNetwork.address(peer, HeaderFields.of(fields), ClientNetworkTest::isProxy);
  }

  @Test
  void anAddressThatDecidesIsThePeersOrWhatATrustedProxySays() {
    assertEquals("192.0.2.1", address("192.0.2.1"));
    assertEquals("10.0.0.1", address("10.0.0.1"));
    assertEquals("192.0.2.7", address("10.0.0.1", "x-forwarded-for", "1.1.1.1, 192.0.2.7"));
    assertEquals("192.0.2.7", address("10.0.0.1", "x-forwarded-for", "192.0.2.7:80, 10.0.0.2"));
    assertEquals("10.0.0.3", address("10.0.0.1", "x-forwarded-for", "10.0.0.3, 10.0.0.2"));
    assertEquals("2001:db8::1", address("10.0.0.1", "forwarded", "for=\"[2001:db8::1]:4\""));
  }

  @Test
  void anAddressOfWhichNobodyIsSureDecidesNothing() {
    for (String field : new String[] {"x-forwarded-for", "forwarded", "x-real-ip", "via"}) {
      assertNull(address("192.0.2.1", field, "192.0.2.1"), field);
    }
    assertNull(address("10.0.0.1", "x-forwarded-for", ""));
    assertNull(address("10.0.0.1", "x-forwarded-for", "192.0.2.1, unknown"));
    assertNull(address("10.0.0.1", "forwarded", "for=_hidden"));
    assertNull(address("unix"));
  }

  @Test
  void onlyNetworksWithPlacesAreRemembered() {
    ClientLimiter places = new ClientLimiter();
    assertTrue(places.take(ClientLimiter.Kind.FETCH, 1, 2));
    assertTrue(places.take(ClientLimiter.Kind.FETCH, 1, 2));
    assertFalse(places.take(ClientLimiter.Kind.FETCH, 1, 2));
    assertTrue(places.take(ClientLimiter.Kind.FETCH, 2, 2));
    assertTrue(places.take(ClientLimiter.Kind.TUNNEL, 1, 1));
    assertEquals(2, places.networks(ClientLimiter.Kind.FETCH));
    places.giveBack(ClientLimiter.Kind.FETCH, 1);
    assertTrue(places.take(ClientLimiter.Kind.FETCH, 1, 2));
    places.giveBack(ClientLimiter.Kind.FETCH, 1);
    places.giveBack(ClientLimiter.Kind.FETCH, 1);
    places.giveBack(ClientLimiter.Kind.FETCH, 2);
    assertEquals(0, places.networks(ClientLimiter.Kind.FETCH));
  }
}
