package io.forebay.server.listen.connection;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * The client address of a connection: the one named by a trusted proxy ({@code
 * ProxyProtocolHandler}), else that of the socket. Determined by the connection's event loop when
 * it begins.
 */
public final class Peer {

  private static final AttributeKey<InetSocketAddress> NAMED =
      AttributeKey.valueOf(Peer.class, "named");

  private Peer() {}

  /** Null for a Unix-domain socket, and for a connection that is gone before it was looked at. */
  public static @Nullable InetSocketAddress of(Channel channel) {
    InetSocketAddress named = channel.attr(NAMED).get();
    if (named != null) {
      return named;
    }
    return channel.remoteAddress() instanceof InetSocketAddress address ? address : null;
  }

  /**
   * A proxy says for whom it has connected.
   *
   * @return false when that is no address
   */
  public static boolean name(Channel channel, @Nullable String address, int port) {
    byte[] bytes = address == null ? null : NetUtil.createByteArrayFromIpAddressString(address);
    if (bytes == null) {
      return false;
    }
    try {
      channel.attr(NAMED).set(new InetSocketAddress(InetAddress.getByAddress(bytes), port));
      return true;
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
    }
  }
}
