package io.forebay.server.config;

import java.net.InetAddress;
import java.util.List;

/**
 * Configuration of the connections to an origin below HTTP and TLS.
 *
 * @param proxyProtocol whether each begins with a header of the PROXY protocol, version 2
 * @param sourceAddresses local addresses that they come from, at most one of each family; empty for
 *     the kernel's choice
 */
public record EgressConfig(boolean proxyProtocol, List<InetAddress> sourceAddresses) {

  /** What holds where nothing is configured. */
  public static final EgressConfig DEFAULT = new EgressConfig(false, List.of());
}
