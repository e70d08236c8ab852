package io.forebay.server.origin.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AddressKindTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "192.0.2.1",
        "1.0.0.0",
        "126.255.255.255",
        "128.0.0.1",
        "169.253.255.255",
        "169.255.0.0",
        "168.63.129.15",
        "168.63.129.17",
        "192.0.1.0",
        "192.88.98.255",
        "192.88.100.0",
        "223.255.255.255",
        "2001:db8::1",
        "2001:1::1",
        "2003::1",
        "2001:4860::8888",
        "64:ff9b::c000:201"
      })
  void anyOtherAddressIsPublic(String address) {
    assertEquals(AddressKind.PUBLIC, AddressKind.of(InetAddress.ofLiteral(address)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.0.0.0",
        "10.255.255.255",
        "100.64.0.0",
        "100.127.255.255",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "fc00::1",
        "fdff::1",
        "fec0::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1"
      })
  void aPrivateAddressIsOfItsOwnKind(String address) {
    assertEquals(AddressKind.PRIVATE, AddressKind.of(InetAddress.ofLiteral(address)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0"})
  void aNeighbourOfAPrivateRangeIsPublic(String address) {
    assertEquals(AddressKind.PUBLIC, AddressKind.of(InetAddress.ofLiteral(address)));
  }
}
