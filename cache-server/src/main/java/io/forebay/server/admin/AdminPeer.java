package io.forebay.server.admin;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process at the other end of a Unix-domain socket, as the kernel knows it.
 *
 * @param user its name, or its number if it has none
 * @param group the same of its group
 */
record AdminPeer(String user, String group) {
  private static final Logger LOG = LoggerFactory.getLogger(AdminPeer.class);
  private static final ChannelOption<UnixDomainPrincipal> CREDENTIALS =
      NioChannelOption.of(ExtendedSocketOptions.SO_PEERCRED);

  /** The user that opened a connection; null if the kernel does not tell. */
  static @Nullable AdminPeer of(Channel channel) {
    try {
      UnixDomainPrincipal principal = channel.config().getOption(CREDENTIALS);
      return principal == null
          ? null
          : new AdminPeer(principal.user().getName(), principal.group().getName());
    } catch (RuntimeException e) {
      LOG.debug("admin: the peer of a socket is unknown: {}", e.toString());
      return null;
    }
  }
}
