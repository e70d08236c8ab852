package io.forebay.server.origin.dns;

import java.net.InetAddress;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One DNS query. Called, and completed, on the resolver's thread. */
interface NameLookup {

  void lookup(String name, Consumer<Answer> done);

  /**
   * Outcome of one lookup.
   *
   * @param addresses empty when it failed
   * @param ttlSeconds how long the addresses hold
   * @param failure why there are none, or null
   * @param rcode what the name server answered with then, such as {@code NXDOMAIN}, if it did
   */
  record Answer(
      List<InetAddress> addresses,
      long ttlSeconds,
      @Nullable String failure,
      @Nullable String rcode) {

    static Answer found(List<InetAddress> addresses, long ttlSeconds) {
      return new Answer(List.copyOf(addresses), ttlSeconds, null, null);
    }

    static Answer failed(String failure, @Nullable String rcode) {
      return new Answer(List.of(), 0, failure, rcode);
    }
  }
}
