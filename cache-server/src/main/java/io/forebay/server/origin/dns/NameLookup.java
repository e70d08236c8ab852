package io.forebay.server.origin.dns;

import java.net.InetAddress;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One DNS query, or the queries for one SRV name. Called, and completed, on the resolver's thread.
 */
interface NameLookup {

  /**
   * Asks for a name.
   *
   * @param before the latest good answer for an SRV name: targets that fail keep their addresses
   */
  void lookup(String name, List<ServiceAddress> before, Consumer<Answer> done);

  /**
   * Outcome of one lookup.
   *
   * @param addresses empty when it failed
   * @param ttlSeconds how long the addresses hold
   * @param failure why there are none, or why some of an SRV name's may be those of before; or null
   * @param rcode what the name server answered with then, such as {@code NXDOMAIN}, if it did
   * @param services of an SRV name, in order of priority; their addresses are in {@code addresses}
   * @param isWithdrawn whether the failure is a statement that there is nothing, so that earlier
   *     addresses do not hold any more
   */
  record Answer(
      List<InetAddress> addresses,
      long ttlSeconds,
      @Nullable String failure,
      @Nullable String rcode,
      List<ServiceAddress> services,
      boolean isWithdrawn) {

    static Answer found(List<InetAddress> addresses, long ttlSeconds) {
      return new Answer(List.copyOf(addresses), ttlSeconds, null, null, List.of(), false);
    }

    static Answer failed(String failure, @Nullable String rcode) {
      return new Answer(List.of(), 0, failure, rcode, List.of(), false);
    }

    static Answer services(
        List<ServiceAddress> services, long ttlSeconds, @Nullable String failure) {
      List<InetAddress> addresses = services.stream().map(ServiceAddress::address).toList();
      return new Answer(addresses, ttlSeconds, failure, null, List.copyOf(services), false);
    }

    static Answer withdrawn(String failure) {
      return new Answer(List.of(), 0, failure, null, List.of(), true);
    }
  }
}
