package io.forebay.server.text;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/** Socket addresses as the configuration has them. */
public final class AddressText {
  private AddressText() {}

  /** {@code 192.0.2.1:80}, {@code [2001:db8::1]:80}, or {@code unix:/run/app.sock}. */
  public static String of(SocketAddress address) {
    return switch (address) {
      case InetSocketAddress ip -> host(ip) + ":" + ip.getPort();
      case UnixDomainSocketAddress file -> "unix:" + file.getPath();
      default -> address.toString();
    };
  }

  private static String host(InetSocketAddress address) {
    InetAddress resolved = address.getAddress();
    String host = resolved == null ? address.getHostString() : resolved.getHostAddress();
    return host.indexOf(':') < 0 ? host : "[" + host + "]";
  }
}
