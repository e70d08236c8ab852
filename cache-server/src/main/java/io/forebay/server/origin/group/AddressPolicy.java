package io.forebay.server.origin.group;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Decides which of a name's addresses may be connected to. The owner of a name must not be able to
 * direct this node at itself, at its neighbours or at a cloud's metadata service. Applied after
 * each resolution, so a changed name is checked again. IP addresses in the configuration are not
 * checked.
 */
public final class AddressPolicy {
  private AddressPolicy() {}

  /** Why that address may not stand behind the server's name, for the log; null where it may. */
  public static @Nullable String refusal(
      OriginServer server, Origins origins, InetSocketAddress address) {
    AddressKind kind = AddressKind.of(address.getAddress());
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
    return isOwn(origins, address) ? "where this node itself listens" : null;
  }

  private static boolean isOwn(Origins origins, InetSocketAddress address) {
    InetAddress embedded = AddressKind.embedded(address.getAddress());
    return origins.isOwnListener(address)
        || (embedded != null
            && origins.isOwnListener(new InetSocketAddress(embedded, address.getPort())));
  }

  private static boolean mayBeLoopback(OriginServer server) {
    return server.config().allowLoopbackNames()
        || (server.service() == null
            && (server.host().equals("localhost") || server.host().equals("localhost.")));
  }
}
