package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.vcl.VclProgram.Acl;
import io.forebay.cli.importer.vcl.VclProgram.Entry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** ACLs as lists of networks. */
final class AclImport {
  private static final int MAX_NETWORKS = 1000;

  private final ImportReport report;
  private final Map<String, Acl> acls;

  AclImport(ImportReport report, Map<String, Acl> acls) {
    this.report = report;
    this.acls = acls;
  }

  boolean has(String name) {
    return acls.containsKey(name);
  }

  /** A condition that the client is in the networks of an ACL. */
  Condition condition(String name) throws UntranslatableException {
    List<String> in = networks(name, false);
    List<String> out = networks(name, true);
    Condition inside = in.isEmpty() ? Condition.never() : clients(in);
    return out.isEmpty() ? inside : inside.and(Condition.not(clients(out)));
  }

  private static Condition clients(List<String> networks) {
    return new Condition.OnRequest("client", networks, false, "");
  }

  /** A condition that the client has an address. */
  Condition ofAddress(String address) throws UntranslatableException {
    if (!address.matches("[0-9a-fA-F:.]+")) {
      throw new UntranslatableException("clients have addresses");
    }
    return clients(List.of(address));
  }

  /** The networks of those who may purge. */
  List<String> networks(String name) throws UntranslatableException {
    if (!networks(name, true).isEmpty()) {
      throw new UntranslatableException("purge.from has no exceptions");
    }
    return networks(name, false);
  }

  private List<String> networks(String name, boolean isNegated) throws UntranslatableException {
    Acl acl = acls.get(name);
    if (acl == null) {
      throw new UntranslatableException("there is no ACL " + name);
    }
    report.taken(acl.of());
    List<String> networks = new ArrayList<>();
    for (Entry entry : acl.entries()) {
      if (entry.isNegated() != isNegated) {
        continue;
      }
      if (isNegated && isWithinExclusion(entry, acl)) {
        throw new UntranslatableException("a network within an exception of the ACL");
      }
      if (entry.address().equals("localhost")) {
        networks.add("127.0.0.1");
        networks.add("::1");
        report.adapted(entry.of(), "127.0.0.1 and ::1");
      } else if (!entry.address().matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) {
        report.left(entry.of(), "networks are addresses or CIDR blocks, not names");
      } else {
        String network = masked(entry.address(), entry.bits());
        if (network.isEmpty()) {
          report.left(entry.of(), "no address");
        } else {
          networks.add(network);
          report.taken(entry.of());
        }
      }
    }
    if (networks.size() > MAX_NETWORKS) {
      throw new UntranslatableException("more than " + MAX_NETWORKS + " networks");
    }
    return networks;
  }

  /** The most specific network decides: whether one that is let in lies within the exception. */
  private static boolean isWithinExclusion(Entry entry, Acl acl) {
    String excluded = masked(entry.address(), entry.bits());
    return acl.entries().stream()
        .anyMatch(other ->
            !other.isNegated()
                && masked(other.address(), entry.bits()).equals(excluded)
                && (other.bits() < 0 || other.bits() > entry.bits()));
  }

  /** A network whose address has no bits beyond its prefix. */
  static String masked(String address, int bits) {
    byte[] bytes;
    try {
      // A literal: no name is looked up.
      bytes = InetAddress.ofLiteral(address).getAddress();
    } catch (IllegalArgumentException e) {
      return "";
    }
    if (bits < 0 || bits >= bytes.length * 8) {
      return bits > bytes.length * 8 ? "" : address;
    }
    byte[] given = bytes.clone();
    for (int i = 0; i < bytes.length; i++) {
      int kept = Math.clamp(bits - i * 8L, 0, 8);
      bytes[i] &= (byte) (0xff << (8 - kept));
    }
    if (Arrays.equals(given, bytes)) {
      return address + "/" + bits;
    }
    try {
      return InetAddress.getByAddress(bytes).getHostAddress() + "/" + bits;
    } catch (UnknownHostException e) {
      return "";
    }
  }
}
