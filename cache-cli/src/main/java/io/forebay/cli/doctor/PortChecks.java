package io.forebay.cli.doctor;

import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Ports that the node listens on: whether they are free, and may be taken. */
final class PortChecks {
  private static final Topic PORTS =
      new Topic("ports", "A node whose ports are taken does not start.");

  private static final String LISTENING = "0A";
  private static final int STATE = 3;

  /** Before an IPv4 address of a socket for IPv6. */
  private static final String MAPPED = "0000000000000000FFFF0000";

  private static final String RESERVED = "proc/sys/net/ipv4/ip_local_reserved_ports";

  /** Below it only privileged users may listen, unless the kernel is told otherwise. */
  private static final int FIRST_UNPRIVILEGED = 1024;

  private record Wanted(String name, Address address, String table) {
    String text() {
      return name + " " + (address.host().isEmpty() ? "*" : address.host()) + ":" + address.port();
    }
  }

  private PortChecks() {}

  static List<Finding> of(Subject subject) {
    List<Wanted> all = wanted(subject);
    List<Finding> findings = new ArrayList<>();
    List<String> taken =
        all.stream().filter(one -> isTaken(one, subject.machine())).map(Wanted::text).toList();
    if (!taken.isEmpty() && taken.size() == all.size()) {
      findings.add(PORTS.ok("all taken, as by a running node: " + String.join(", ", taken)));
    } else if (!taken.isEmpty()) {
      findings.add(
          PORTS.error(
              "taken: " + String.join(", ", taken),
              "ss -lntup shows the process that has them; stop it, or name another port in listen"));
    }
    OptionalLong first = subject.machine().sysctl("net.ipv4.ip_unprivileged_port_start");
    long unprivileged = first.orElse(FIRST_UNPRIVILEGED);
    List<String> privileged =
        all.stream().filter(one -> one.address.port() < unprivileged).map(Wanted::text).toList();
    if (!privileged.isEmpty()
        && !subject.machine().hasCapability(KernelFiles.CAP_NET_BIND_SERVICE)) {
      findings.add(
          PORTS.error(
              "not allowed for this user: " + String.join(", ", privileged),
              "systemd: AmbientCapabilities=CAP_NET_BIND_SERVICE; or sysctl -w"
                  + " net.ipv4.ip_unprivileged_port_start=80"));
    }
    OptionalLong from = subject.machine().sysctl("net.ipv4.ip_local_port_range", 0);
    OptionalLong to = subject.machine().sysctl("net.ipv4.ip_local_port_range", 1);
    List<String> borrowed =
        all.stream()
            .filter(one ->
                one.address.port() >= from.orElse(Long.MAX_VALUE)
                    && one.address.port() <= to.orElse(0))
            .map(Wanted::text)
            .toList();
    if (!borrowed.isEmpty() && subject.machine().text(RESERVED) == null) {
      findings.add(
          PORTS.hint(
              "within net.ipv4.ip_local_port_range, so a connection may have one at a start: "
                  + String.join(", ", borrowed),
              "sysctl -w net.ipv4.ip_local_reserved_ports="
                  + String.join(
                      ",",
                      all.stream()
                          .filter(one -> borrowed.contains(one.text()))
                          .map(one -> Integer.toString(one.address.port()))
                          .distinct()
                          .toList())));
    }
    return findings.isEmpty()
        ? List.of(PORTS.ok("free: " + String.join(", ", all.stream().map(Wanted::text).toList())))
        : findings;
  }

  /** Files of Unix-domain sockets and ports that the kernel chooses are never taken. */
  private static List<Wanted> wanted(Subject subject) {
    List<Wanted> all = new ArrayList<>();
    for (ListenerConfig listener : subject.config().listeners()) {
      all.add(new Wanted(listener.name(), listener.address(), "tcp"));
      if (subject.config().http3().isOn(listener.name())) {
        all.add(new Wanted(listener.name() + " (HTTP/3)", listener.address(), "udp"));
      }
    }
    all.add(new Wanted("admin", subject.config().admin().address(), "tcp"));
    return all.stream().filter(one -> one.address.port() > 0).toList();
  }

  private static boolean isTaken(Wanted one, KernelFiles machine) {
    return Stream.of("", "6")
        .flatMap(version -> machine.lines("proc/net/" + one.table + version).stream())
        .anyMatch(line -> isTaken(one, line));
  }

  /** {@code 0: 0100007F:1F90 00000000:0000 0A …}: a socket that listens. */
  private static boolean isTaken(Wanted one, String line) {
    String[] words = line.strip().split("\\s+", -1);
    if (words.length <= STATE || (one.table.equals("tcp") && !words[STATE].equals(LISTENING))) {
      return false;
    }
    int colon = words[1].lastIndexOf(':');
    if (colon < 0 || !words[1].substring(colon + 1).equals(port(one.address.port()))) {
      return false;
    }
    String address = words[1].substring(0, colon);
    String host = one.address.host();
    boolean isEvery = host.isEmpty() || host.equals("*") || address.matches("0+");
    String own = hexadecimal(host);
    return isEvery || address.equals(own) || address.equals(MAPPED + own);
  }

  private static String port(int port) {
    return String.format("%04X", port);
  }

  /** As the kernel of a little-endian machine shows an address of four bytes; else empty. */
  private static String hexadecimal(String host) {
    if (!host.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}")) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    for (String part : host.split("\\.", -1)) {
      text.insert(0, String.format("%02X", Integer.parseInt(part)));
    }
    return text.toString();
  }
}
