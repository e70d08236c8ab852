package io.forebay.server.listen.connection;

import io.forebay.server.config.ConnectionLimits;
import io.forebay.server.fairness.ClientNetwork;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.Locale;

/** What connections are counted by, besides addresses, as numbers. */
final class ConnectionKeys {
  private static final long SEED = new SecureRandom().nextLong();
  private static final long PRIME = 0x100000001b3L;
  private static final int LONG_BITS = Long.SIZE;

  /** Keeps the networks of IPv4 apart from those of IPv6. */
  private static final long IPV4 = 1L << 32;

  private ConnectionKeys() {}

  /** The network of an address. */
  static long network(InetAddress address, ConnectionLimits limits) {
    long number = ClientNetwork.of(address);
    return address instanceof Inet6Address
        ? number & (-1L << (LONG_BITS - limits.ipv6Prefix()))
        : IPV4 | (number & (-1L << (Integer.SIZE - limits.ipv4Prefix())));
  }

  /** A name of a server, which has no case. Two names may share a number, which is rare. */
  static long serverName(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    long hash = SEED;
    for (int i = 0; i < lower.length(); i++) {
      hash = (hash ^ lower.charAt(i)) * PRIME;
    }
    return hash;
  }
}
