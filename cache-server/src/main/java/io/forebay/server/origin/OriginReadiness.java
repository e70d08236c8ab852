package io.forebay.server.origin;

import io.forebay.core.policy.ProxyStatus;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.dns.NameResolver;
import io.forebay.server.origin.dns.NameResolver.Resolution;
import io.forebay.server.origin.group.AddressPolicy;
import io.forebay.server.origin.group.Origin;
import io.forebay.server.origin.group.OriginServer;
import io.forebay.server.origin.group.Origins;
import io.forebay.server.origin.group.ServerAddress;
import io.forebay.server.text.AddressText;
import io.forebay.server.text.Printable;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reports origins none of whose servers has an address that may be used. Any thread. */
public final class OriginReadiness {
  private OriginReadiness() {}

  /** One origin that cannot be used now, and why. */
  public record Problem(String origin, String detail) {}

  /** Origins whose names give no address that may be used; empty when all is well. */
  public static List<Problem> problems(Origins origins, NameResolver names) {
    List<Problem> problems = new ArrayList<>();
    for (Origin origin : origins.all()) {
      String detail = problem(origin, origins, names);
      if (detail != null) {
        problems.add(new Problem(origin.name(), detail));
      }
    }
    return problems;
  }

  /** Null if at least one server can be used; otherwise what is wrong with the first one. */
  private static @Nullable String problem(Origin origin, Origins origins, NameResolver names) {
    String first = null;
    for (OriginServer server : origin.servers()) {
      String detail = problem(server, origins, names);
      if (detail == null) {
        return null;
      }
      first = first == null ? detail : first;
    }
    return first;
  }

  /** Why a server has no address that may be used, or null. */
  static @Nullable String problem(OriginServer server, Origins origins, NameResolver names) {
    if (!server.isNamed()) {
      return null;
    }
    Resolution resolution = names.latest(server.lookupName());
    if (resolution == null) {
      return server.label() + ": name " + server.shownName() + " has not been resolved yet";
    }
    if (resolution.addresses().isEmpty()) {
      return server.label()
          + ": name "
          + server.shownName()
          + " does not resolve: "
          + resolution.failure();
    }
    if (ServerAddress.allowed(server, origins, resolution).isEmpty()) {
      return refused(server, origins, resolution);
    }
    return null;
  }

  /** The failure of a call for a name without addresses. */
  static OriginFailure unresolved(OriginServer server, @Nullable Resolution resolution) {
    String failure = resolution == null ? null : resolution.failure();
    String rcode = resolution == null ? null : resolution.rcode();
    return new OriginFailure(
        OriginFailure.Kind.NAME_NOT_RESOLVED,
        server.label()
            + ": name "
            + server.shownName()
            + " does not resolve: "
            + Printable.line(failure == null ? "no address" : failure),
        rcode == null ? ProxyStatus.NO_MORE : ProxyStatus.rcode(rcode));
  }

  /** The sentence for a name all of whose addresses are refused. */
  static String refused(OriginServer server, Origins origins, Resolution resolution) {
    InetSocketAddress address = ServerAddress.all(server, resolution).getFirst().address();
    String refusal = AddressPolicy.refusal(server, origins, address);
    return server.label()
        + ": name "
        + server.shownName()
        + " resolves to "
        + (server.service() == null
            ? address.getAddress().getHostAddress()
            : AddressText.of(address))
        + ", "
        // The machine's addresses may have changed since it was refused.
        + (refusal == null ? "rejected recently" : refusal);
  }
}
