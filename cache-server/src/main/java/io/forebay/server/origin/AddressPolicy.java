package io.forebay.server.origin;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which of a name's addresses may be connected to. The owner of a name must not be able to
 * direct this node at itself, at its neighbours or at a cloud's metadata service. Applied after
 * each resolution, so a changed name is checked again. IP addresses in the configuration are not
 * checked.
 */
final class AddressPolicy {
  private AddressPolicy() {}

  /** The addresses that may be used, in order. */
  static List<InetAddress> allowed(Origin origin, Origins origins, List<InetAddress> addresses) {
    if (origin.literal() != null) {
      return addresses;
    }
    List<InetAddress> allowed = new ArrayList<>(addresses.size());
    for (InetAddress address : addresses) {
      if (refusal(origin, origins, address) == null) {
        allowed.add(address);
      }
    }
    return allowed;
  }

  /** Why that address may not stand behind the origin's name, for the log; null where it may. */
  static @Nullable String refusal(Origin origin, Origins origins, InetAddress address) {
    AddressKind kind = AddressKind.of(address);
    String setting =
        switch (kind) {
          case PUBLIC -> null;
          case LOOPBACK -> mayBeLoopback(origin) ? null : "allow-loopback-names";
          case PRIVATE -> origin.config().allowPrivateNames() ? null : "allow-private-names";
          default -> "";
        };
    if (setting != null) {
      String what = "a " + kind.text() + " address";
      return setting.isEmpty()
          ? what + ", which no origin name may resolve to"
          : what + "; origins." + origin.name() + "." + setting + " is false";
    }
    return isOwn(origin, origins, address) ? "where this node itself listens" : null;
  }

  private static boolean isOwn(Origin origin, Origins origins, InetAddress address) {
    InetAddress embedded = AddressKind.embedded(address);
    return origins.isOwnListener(new InetSocketAddress(address, origin.port()))
        || (embedded != null
            && origins.isOwnListener(new InetSocketAddress(embedded, origin.port())));
  }

  private static boolean mayBeLoopback(Origin origin) {
    return origin.config().allowLoopbackNames()
        || origin.host().equals("localhost")
        || origin.host().equals("localhost.");
  }
}
