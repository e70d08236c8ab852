package io.forebay.server.fairness;

import io.forebay.core.http.FieldsView;
import io.forebay.server.network.IpAddress;
import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The network of a client as a number: an IPv4 address, or the /64 of an IPv6 address, because one
 * client usually controls a whole /64.
 */
public final class ClientNetwork {

  /** Of those that are not counted: a trusted network, or no address at all. */
  public static final long NOBODY = -1;

  private static final int V6_NETWORK_BYTES = 8;
  private static final long V4_BITS = 0xffff_ffffL;

  /** A peer that sends one of these is a proxy, not the client. */
  private static final List<String> PROXY_FIELDS =
      List.of("x-forwarded-for", "forwarded", "x-real-ip", "via");

  private ClientNetwork() {}

  /** Of a peer that is not trusted. */
  public static long of(IpAddress peer) {
    if (peer.equals(IpAddress.UNKNOWN)) {
      return NOBODY;
    }
    return peer.isV4() ? peer.lo() & V4_BITS : peer.hi();
  }

  public static long of(InetAddress address) {
    byte[] bytes = address.getAddress();
    int length = address instanceof Inet6Address ? V6_NETWORK_BYTES : bytes.length;
    long value = 0;
    for (int i = 0; i < length; i++) {
      value = value << Byte.SIZE | (bytes[i] & 0xff);
    }
    return value;
  }

  /**
   * The network a request comes from. Where the peer is a trusted proxy, it is the last address of
   * X-Forwarded-For, or else of Forwarded, that is not trusted itself: those before it are what the
   * client said.
   *
   * @param peer the peer's IP address
   */
  public static long of(String peer, FieldsView fields, Predicate<String> isTrusted) {
    if (!isTrusted.test(peer)) {
      return number(peer);
    }
    for (String address : path(fields).reversed()) {
      if (number(address) == NOBODY) {
        return NOBODY;
      }
      if (!isTrusted.test(address)) {
        return number(address);
      }
    }
    return NOBODY;
  }

  /**
   * The address of the client that a request comes from, for a decision about what it may do; null
   * where it is not known for sure.
   *
   * <ul>
   *   <li>From a peer that is not trusted it is the peer's, if nothing in the request says that the
   *       peer is a proxy. What such a proxy says of its clients does not count, and its own
   *       address is not theirs.
   *   <li>From a trusted peer it is the last address of X-Forwarded-For, or else of Forwarded, that
   *       is not trusted itself; the first where all are; the peer's where neither field is there.
   * </ul>
   *
   * @param peer the peer's IP address
   */
  public static @Nullable String address(
      String peer, FieldsView fields, Predicate<String> isTrusted) {
    if (!isTrusted.test(peer)) {
      boolean isProxy = PROXY_FIELDS.stream().anyMatch(name -> fields.first(name) != null);
      return isProxy || number(peer) == NOBODY ? null : peer;
    }
    String client = peer;
    for (String address : path(fields).reversed()) {
      if (number(address) == NOBODY) {
        return null;
      }
      client = address;
      if (!isTrusted.test(address)) {
        break;
      }
    }
    return client;
  }

  /** The addresses that proxies have noted, first to last; not valid ones are among them. */
  private static List<String> path(FieldsView fields) {
    List<String> addresses = new ArrayList<>();
    String forwarded = fields.combined("x-forwarded-for");
    String[] path = forwarded == null ? new String[0] : forwarded.split(",", -1);
    if (forwarded == null) {
      String elements = fields.combined("forwarded");
      path = elements == null ? path : elements.split(",", -1);
    }
    for (String element : path) {
      String address = forwarded == null ? forElement(element) : bare(element.trim());
      addresses.add(address == null ? "" : address);
    }
    return addresses;
  }

  /** The address of an element {@code for=...;proto=...} (RFC 7239 §4), or null. */
  private static @Nullable String forElement(String element) {
    for (String pair : element.split(";", -1)) {
      String trimmed = pair.trim();
      if (trimmed.regionMatches(true, 0, "for=", 0, 4)) {
        String node = trimmed.substring(4);
        boolean isQuoted = node.length() > 1 && node.startsWith("\"") && node.endsWith("\"");
        return bare(isQuoted ? node.substring(1, node.length() - 1) : node);
      }
    }
    return null;
  }

  /** Without the brackets of IPv6 and without a port. */
  private static String bare(String node) {
    if (node.startsWith("[")) {
      int end = node.indexOf(']');
      return end < 0 ? node : node.substring(1, end);
    }
    int colon = node.indexOf(':');
    return colon >= 0 && colon == node.lastIndexOf(':') ? node.substring(0, colon) : node;
  }

  private static long number(String address) {
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
    if (bytes == null) {
      return NOBODY;
    }
    try {
      return of(InetAddress.getByAddress(bytes));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
    }
  }
}
