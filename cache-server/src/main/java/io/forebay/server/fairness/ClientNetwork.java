package io.forebay.server.fairness;

import io.forebay.core.http.FieldsView;
import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whose a request is, as a number: of an IPv4 address, or of the /64 that an IPv6 address lies in,
 * since whoever has one address of it has all.
 */
public final class ClientNetwork {

  /** Of those that are not counted: a trusted network, or no address at all. */
  public static final long NOBODY = -1;

  private static final int V6_NETWORK_BYTES = 8;

  private ClientNetwork() {}

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
    String forwarded = fields.combined("x-forwarded-for");
    String[] path = forwarded == null ? new String[0] : forwarded.split(",", -1);
    if (forwarded == null) {
      String elements = fields.combined("forwarded");
      path = elements == null ? path : elements.split(",", -1);
    }
    for (int i = path.length - 1; i >= 0; i--) {
      String address = forwarded == null ? forElement(path[i]) : bare(path[i].trim());
      if (address == null || number(address) == NOBODY) {
        return NOBODY;
      }
      if (!isTrusted.test(address)) {
        return number(address);
      }
    }
    return NOBODY;
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
