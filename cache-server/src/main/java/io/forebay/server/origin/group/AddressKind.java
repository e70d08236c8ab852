package io.forebay.server.origin.group;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Classifies IP addresses for the check of connection targets (IANA's registries of special-purpose
 * addresses, RFC 6890). An IPv6 address that contains an IPv4 address at a known position has the
 * kind of that address.
 */
enum AddressKind {
  PUBLIC("public"),
  LOOPBACK("loopback"),
  PRIVATE("private"),
  LINK_LOCAL("link-local"),
  /** Where clouds tell a machine its credentials; other such addresses are link-local. */
  METADATA("cloud metadata"),
  UNSPECIFIED("unspecified"),
  MULTICAST("multicast"),
  RESERVED("reserved"),
  /** 6to4, Teredo and local NAT64: the packets go to an IPv4 address that is not looked at. */
  TUNNEL("tunnel");

  private static final class Range {
    private final byte[] prefix;
    private final int bits;
    private final AddressKind kind;

    Range(String prefix, int bits, AddressKind kind) {
      this.prefix = InetAddress.ofLiteral(prefix).getAddress();
      this.bits = bits;
      this.kind = kind;
    }

    boolean contains(byte[] address) {
      if (address.length != prefix.length) {
        return false;
      }
      for (int bit = 0; bit < bits; bit += Byte.SIZE) {
        int left = Math.min(Byte.SIZE, bits - bit);
        int mask = 0xff << (Byte.SIZE - left);
        if (((address[bit / Byte.SIZE] ^ prefix[bit / Byte.SIZE]) & mask) != 0) {
          return false;
        }
      }
      return true;
    }
  }

  /** The first that contains an address gives its kind. */
  private static final List<Range> RANGES =
      List.of(
          range("100.100.100.200", 32, METADATA),
          range("168.63.129.16", 32, METADATA),
          range("fd00:ec2::", 32, METADATA),
          range("fd20:ce::254", 128, METADATA),
          range("0.0.0.0", 8, UNSPECIFIED),
          range("127.0.0.0", 8, LOOPBACK),
          range("169.254.0.0", 16, LINK_LOCAL),
          range("10.0.0.0", 8, PRIVATE),
          range("100.64.0.0", 10, PRIVATE),
          range("172.16.0.0", 12, PRIVATE),
          range("192.168.0.0", 16, PRIVATE),
          range("192.0.0.0", 24, RESERVED),
          range("192.88.99.0", 24, TUNNEL),
          range("224.0.0.0", 4, MULTICAST),
          range("240.0.0.0", 4, RESERVED),
          range("::", 128, UNSPECIFIED),
          range("::1", 128, LOOPBACK),
          range("fe80::", 10, LINK_LOCAL),
          range("fec0::", 10, PRIVATE),
          range("fc00::", 7, PRIVATE),
          range("ff00::", 8, MULTICAST),
          range("2002::", 16, TUNNEL),
          range("2001::", 32, TUNNEL),
          range("64:ff9b:1::", 48, TUNNEL));

  /** Prefixes of addresses whose last four bytes are an IPv4 address (RFC 4291, RFC 6052). */
  private static final List<Range> EMBEDDING =
      List.of(range("::", 96, PUBLIC), range("64:ff9b::", 96, PUBLIC));

  private static final int IPV4_OFFSET = 12;

  private final String text;

  AddressKind(String text) {
    this.text = text;
  }

  /** As in a sentence on an address. */
  String text() {
    return text;
  }

  static AddressKind of(InetAddress address) {
    byte[] bytes = address.getAddress();
    for (Range range : RANGES) {
      if (range.contains(bytes)) {
        return range.kind;
      }
    }
    InetAddress embedded = embedded(address);
    return embedded == null ? PUBLIC : of(embedded);
  }

  /** The IPv4 address that an IPv6 address carries in its last four bytes, or null. */
  static @Nullable InetAddress embedded(InetAddress address) {
    byte[] bytes = address.getAddress();
    for (Range range : EMBEDDING) {
      if (range.contains(bytes)) {
        return address(Arrays.copyOfRange(bytes, IPV4_OFFSET, bytes.length));
      }
    }
    return null;
  }

  private static Range range(String prefix, int bits, AddressKind kind) {
    return new Range(prefix, bits, kind);
  }

  private static InetAddress address(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
    }
  }
}
