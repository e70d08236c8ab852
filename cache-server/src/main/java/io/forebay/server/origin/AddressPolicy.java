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
  static List<InetAddress> allowed(
      OriginServer server, Origins origins, List<InetAddress> addresses) {
    if (!server.isNamed()) {
      return addresses;
    }
    List<InetAddress> allowed = new ArrayList<>(addresses.size());
    for (InetAddress address : addresses) {
      if (refusal(server, origins, address) == null) {
        allowed.add(address);
      }
    }
    return allowed;
  }

  /** Why that address may not stand behind the server's name, for the log; null where it may. */
  static @Nullable String refusal(OriginServer server, Origins origins, InetAddress address) {
    AddressKind kind = AddressKind.of(address);
    String setting =
        switch (kind) {
          case PUBLIC -> null;
          case LOOPBACK -> mayBeLoopback(server) ? null : "allow-loopback-names";
          case PRIVATE -> server.config().allowPrivateNames() ? null : "allow-private-names";
          default -> "";
        };
    if (setting != null) {
      String what = "a " + kind.text() + " address";
      return setting.isEmpty()
          ? what + ", which no origin name may resolve to"
          : what + "; origins." + server.config().name() + "." + setting + " is false";
    }
    return isOwn(server, origins, address) ? "where this node itself listens" : null;
  }

  private static boolean isOwn(OriginServer server, Origins origins, InetAddress address) {
    InetAddress embedded = AddressKind.embedded(address);
    return origins.isOwnListener(new InetSocketAddress(address, server.port()))
        || (embedded != null
            && origins.isOwnListener(new InetSocketAddress(embedded, server.port())));
  }

  private static boolean mayBeLoopback(OriginServer server) {
    return server.config().allowLoopbackNames()
        || server.host().equals("localhost")
        || server.host().equals("localhost.");
  }
}
