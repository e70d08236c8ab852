package io.forebay.server.origin;

import io.forebay.server.origin.dns.NameResolver;
import io.forebay.server.origin.dns.NameResolver.Resolution;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reports whether the names of origins resolve. Any thread. */
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

  private static @Nullable String problem(Origin origin, Origins origins, NameResolver names) {
    if (origin.literal() != null) {
      return null;
    }
    Resolution resolution = names.latest(origin.host());
    if (resolution == null) {
      return origin.label() + ": name " + origin.host() + " has not been resolved yet";
    }
    if (resolution.addresses().isEmpty()) {
      return origin.label()
          + ": name "
          + origin.host()
          + " does not resolve: "
          + resolution.failure();
    }
    if (AddressPolicy.allowed(origin, origins, resolution.addresses()).isEmpty()) {
      return refused(origin, origins, resolution.addresses());
    }
    return null;
  }

  /** The sentence for a name all of whose addresses are refused. */
  static String refused(Origin origin, Origins origins, List<InetAddress> addresses) {
    InetAddress address = addresses.getFirst();
    String refusal = AddressPolicy.refusal(origin, origins, address);
    return origin.label()
        + ": name "
        + origin.host()
        + " resolves to "
        + address.getHostAddress()
        + ", "
        // The machine's addresses may have changed since it was refused.
        + (refusal == null ? "rejected recently" : refusal);
  }
}
