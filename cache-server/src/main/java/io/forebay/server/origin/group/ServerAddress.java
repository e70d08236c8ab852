package io.forebay.server.origin.group;

import io.forebay.server.origin.dns.NameResolver.Resolution;
import io.forebay.server.origin.dns.ServiceAddress;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One address that a server's name stands for, with what the name says of its use. A host has the
 * port and weight of the configuration; an SRV name has those of its records, and a priority.
 *
 * @param target the host that has the address
 * @param level 0 for the first priority, 1 for the next
 * @param weight share of the requests, at least 1
 */
public record ServerAddress(InetSocketAddress address, String target, int level, int weight) {
  /** Addresses of one name that are in use at a time; more are ignored (I5). */
  public static final int MAX = 64;

  /** More than {@link #rank} says of any. */
  public static final int RANKS = 2 * MAX;

  /**
   * Those that the filter lets through, each once, in order: of an SRV name the first ones, of a
   * host all, since those in use stay so while name servers rotate them.
   */
  public static List<ServerAddress> allowed(
      OriginServer server, Origins origins, Resolution resolution) {
    List<ServerAddress> allowed = new ArrayList<>();
    Set<InetSocketAddress> seen = new HashSet<>();
    for (ServerAddress one : all(server, resolution)) {
      if ((server.service() == null || allowed.size() < MAX)
          && AddressPolicy.refusal(server, origins, one.address) == null
          && seen.add(one.address)) {
        allowed.add(one);
      }
    }
    return allowed;
  }

  /** All that the name stands for. */
  public static List<ServerAddress> all(OriginServer server, Resolution resolution) {
    List<ServerAddress> all = new ArrayList<>();
    if (server.service() == null) {
      for (InetAddress ip : resolution.addresses()) {
        InetSocketAddress address = new InetSocketAddress(ip, server.port());
        all.add(new ServerAddress(address, server.host(), 0, server.settings().weight()));
      }
      return all;
    }
    List<Integer> priorities =
        resolution.services().stream().map(ServiceAddress::priority).distinct().sorted().toList();
    for (ServiceAddress one : resolution.services()) {
      all.add(
          new ServerAddress(
              new InetSocketAddress(one.address(), one.port()),
              one.target(),
              Math.min(priorities.indexOf(one.priority()), MAX - 1),
              // Beside others, weight 0 gets one request of their sum and one more (RFC 2782).
              Math.max(1, one.weight())));
    }
    return all;
  }

  /**
   * Its rank among the addresses of the server, of which lower ones are used first: priorities in
   * order, and in each the IPv6 addresses of a host behind its IPv4 addresses.
   */
  public int rank(Collection<ServerAddress> of) {
    boolean isBehind =
        address.getAddress() instanceof Inet6Address
            && of.stream()
                .anyMatch(other ->
                    other.target.equals(target)
                        && !(other.address.getAddress() instanceof Inet6Address));
    return 2 * level + (isBehind ? 1 : 0);
  }
}
