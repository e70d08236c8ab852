package io.forebay.server.origin;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which of the addresses a name resolves to may be connected to. Whoever controls a name must not
 * be able to point this node at itself, at its neighbours on the machine or at a cloud's metadata
 * service; what the operator wrote as an address, or as {@code localhost}, is meant.
 */
final class AddressPolicy {
  private AddressPolicy() {}

  /** The addresses that may be used, in order. */
  static List<InetAddress> allowed(Origin origin, Origins origins, List<InetAddress> addresses) {
    if (isUnrestricted(origin)) {
      return addresses;
    }
    List<InetAddress> allowed = new ArrayList<>(addresses.size());
    for (InetAddress address : addresses) {
      if (refusal(address) == null
          && !origins.isOwnListener(new InetSocketAddress(address, origin.port()))) {
        allowed.add(address);
      }
    }
    return allowed;
  }

  static boolean isUnrestricted(Origin origin) {
    return origin.literal() != null
        || origin.config().allowLoopbackNames()
        || origin.host().equals("localhost")
        || origin.host().equals("localhost.");
  }

  /** What kind of address that is if no name may stand for it, else null. */
  static @Nullable String refusal(InetAddress address) {
    if (address.isLoopbackAddress()) {
      return "loopback";
    }
    if (address.isLinkLocalAddress()) {
      return "link-local";
    }
    byte[] bytes = address.getAddress();
    if (address.isAnyLocalAddress() || (bytes.length == 4 && bytes[0] == 0)) {
      return "unspecified";
    }
    if (address instanceof Inet6Address && isEmbedded(bytes)) {
      return refusalOfEmbedded(bytes);
    }
    return null;
  }

  /** Addresses that carry an IPv4 address in their last four bytes: ::a.b.c.d and 64:ff9b::/96. */
  private static boolean isEmbedded(byte[] bytes) {
    boolean isTranslated =
        bytes[0] == 0 && bytes[1] == 0x64 && bytes[2] == (byte) 0xff && bytes[3] == (byte) 0x9b;
    for (int i = isTranslated ? 4 : 0; i < 12; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable String refusalOfEmbedded(byte[] bytes) {
    int first = bytes[12] & 0xff;
    return switch (first) {
      case 127 -> "loopback";
      case 0 -> "unspecified";
      case 169 -> (bytes[13] & 0xff) == 254 ? "link-local" : null;
      default -> null;
    };
  }
}
