package io.forebay.server.config;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of the connections to an origin below HTTP and TLS.
 *
 * @param proxyProtocol whether each begins with a header of the PROXY protocol, version 2
 * @param sourceAddresses local addresses that they come from, at most one of each family; empty for
 *     the kernel's choice
 * @param proxy through which they go, or null
 * @param otherFamilyAfter how long one address is tried while the server has an untried address of
 *     the other family
 */
public record EgressConfig(
    boolean proxyProtocol,
    List<InetAddress> sourceAddresses,
    @Nullable ProxyConfig proxy,
    Duration otherFamilyAfter) {
  private static final Duration OTHER_FAMILY_AFTER = Duration.ofMillis(250);

  /** With the default time for an address family. */
  public EgressConfig(
      boolean proxyProtocol, List<InetAddress> sourceAddresses, @Nullable ProxyConfig proxy) {
    this(proxyProtocol, sourceAddresses, proxy, OTHER_FAMILY_AFTER);
  }

  @Nullable String proxyUrl() {
    return proxy == null ? null : proxy.url();
  }

  @Nullable String proxyUser() {
    return proxy == null ? null : proxy.user();
  }

  /** Where it does not come from a file. */
  @Nullable String proxyPassword() {
    return proxy == null || proxy.passwordFile() != null || proxy.password().isEmpty()
        ? null
        : proxy.password();
  }

  @Nullable Path proxyPasswordFile() {
    return proxy == null ? null : proxy.passwordFile();
  }

  /** What holds where nothing is configured. */
  public static final EgressConfig DEFAULT = new EgressConfig(false, List.of(), null);
}
