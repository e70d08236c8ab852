package io.forebay.server.origin.dns;

import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Resolves origin names without blocking event loops. Any thread may call. A name is a host, or an
 * SRV name behind {@link #SRV}.
 */
public interface NameResolver {
  /** What a name begins with that stands for SRV records; no host has a colon. */
  String SRV = "srv:";

  /**
   * Asks for the addresses of a name.
   *
   * @param name a host name, not an address literal, or an SRV name behind {@link #SRV}
   * @param loop where the answer is wanted; if the caller is on it, and the answer is known, it may
   *     come before this method returns
   */
  void resolve(String name, EventExecutor loop, Consumer<Resolution> answer);

  /** The present answer for a name, or null before its first query. */
  @Nullable Resolution latest(String name);

  /** Names to be kept resolved without anyone asking; replaces the set before. */
  void watch(Set<String> names);

  /**
   * What is known of a name. Addresses and failure together mean that the last good answer is still
   * used while the name does not resolve.
   *
   * @param addresses in order of preference; empty when there never was a good answer
   * @param failure why the newest lookup failed, or null
   * @param rcode what the name server answered with then, if it did
   * @param services of an SRV name, in order of priority; empty for a host
   */
  record Resolution(
      List<InetAddress> addresses,
      @Nullable String failure,
      @Nullable String rcode,
      List<ServiceAddress> services) {

    /** What is known of a host. */
    public Resolution(
        List<InetAddress> addresses, @Nullable String failure, @Nullable String rcode) {
      this(addresses, failure, rcode, List.of());
    }
  }
}
