package io.forebay.cli.doctor;

import io.forebay.cli.console.ByteSizes;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Settings of the kernel for TCP and UDP. */
final class NetworkChecks {
  private static final Topic BACKLOG =
      new Topic(
          "listen-backlog",
          "Connections that come in a burst wait there until a loop accepts them; more are dropped.");
  private static final Topic SEND_BUFFERS =
      new Topic(
          "tcp-send-buffers",
          "A connection sends no more than this within one round trip to a client.");
  private static final Topic RECEIVE_BUFFERS =
      new Topic(
          "tcp-receive-buffers",
          "A connection gets no more than this from an origin within one round trip.");
  private static final Topic SLOW_START =
      new Topic(
          "tcp-slow-start",
          "A player's connection is idle between segments and would begin slowly at each.");
  private static final Topic CONGESTION =
      new Topic(
          "tcp-congestion",
          "CUBIC takes a lost packet for a full path, and is slow to clients of mobile networks.");
  private static final Topic PACING =
      new Topic(
          "pacing-qdisc",
          "With fq the kernel spaces packets of BBR and of paced routes in the queue; otherwise each"
              + " connection has a timer for it, which costs CPU.");
  private static final Topic LOCAL_PORTS =
      new Topic(
          "local-ports", "Each connection to an address of an origin takes one of these ports.");
  private static final Topic UDP_BUFFERS =
      new Topic("udp-buffers", "Packets of HTTP/3 that do not fit are dropped.");
  private static final Topic CONNTRACK =
      new Topic(
          "conntrack", "Where the kernel tracks connections, those beyond its table are dropped.");

  /** What listeners ask for. */
  private static final int LISTENERS_BACKLOG = 4096;

  /** What sockets of HTTP/3 ask for. */
  private static final long DATAGRAM_BYTES = 2 << 20;

  private static final long LOW_SEND_BYTES = 1 << 20;
  private static final long GOOD_SEND_BYTES = 16 << 20;
  private static final long GOOD_RECEIVE_BYTES = 6 << 20;

  /** Of a client that is far away. */
  private static final double ROUND_TRIP_SECONDS = 0.08;

  private NetworkChecks() {}

  static List<Finding> of(Subject subject) {
    KernelFiles machine = subject.machine();
    List<Finding> findings = new ArrayList<>();
    OptionalLong backlog = machine.sysctl("net.core.somaxconn");
    findings.add(
        BACKLOG.warningUnless(
            backlog.orElse(LISTENERS_BACKLOG) >= LISTENERS_BACKLOG,
            named("net.core.somaxconn", backlog) + ", listeners ask for " + LISTENERS_BACKLOG,
            "sysctl -w net.core.somaxconn=" + LISTENERS_BACKLOG));
    findings.add(sendBuffers(machine.sysctl("net.ipv4.tcp_wmem", 2)));
    findings.add(receiveBuffers(machine.sysctl("net.ipv4.tcp_rmem", 2)));
    OptionalLong slowStart = machine.sysctl("net.ipv4.tcp_slow_start_after_idle");
    findings.add(
        SLOW_START.hintUnless(
            slowStart.orElse(0) == 0,
            named("net.ipv4.tcp_slow_start_after_idle", slowStart),
            "sysctl -w net.ipv4.tcp_slow_start_after_idle=0"));
    findings.add(congestion(machine));
    findings.add(pacing(machine));
    findings.add(localPorts(subject));
    findings.add(udpBuffers(subject));
    findings.add(conntrack(subject));
    return findings;
  }

  private static String named(String name, OptionalLong value) {
    return name + (value.isEmpty() ? " is unknown" : " = " + value.getAsLong());
  }

  private static Finding sendBuffers(OptionalLong most) {
    if (most.isEmpty()) {
      return SEND_BUFFERS.ok("unknown");
    }
    long bytes = most.getAsLong();
    String found =
        "net.ipv4.tcp_wmem allows "
            + ByteSizes.text(bytes)
            + ", "
            + Math.round(bytes * 8 / ROUND_TRIP_SECONDS / 1e6)
            + " Mbit/s to a client 80 ms away";
    String fix = "sysctl -w net.ipv4.tcp_wmem='4096 65536 " + GOOD_SEND_BYTES + "'";
    return bytes < LOW_SEND_BYTES
        ? SEND_BUFFERS.warning(found, fix)
        : SEND_BUFFERS.hintUnless(bytes >= GOOD_SEND_BYTES, found, fix);
  }

  private static Finding receiveBuffers(OptionalLong most) {
    long bytes = most.orElse(GOOD_RECEIVE_BYTES);
    return RECEIVE_BUFFERS.hintUnless(
        bytes >= GOOD_RECEIVE_BYTES,
        most.isEmpty() ? "unknown" : "net.ipv4.tcp_rmem allows " + ByteSizes.text(bytes),
        "sysctl -w net.ipv4.tcp_rmem='4096 131072 " + GOOD_SEND_BYTES + "'");
  }

  private static Finding congestion(KernelFiles machine) {
    String used = machine.text("proc/sys/net/ipv4/tcp_congestion_control");
    String available = machine.text("proc/sys/net/ipv4/tcp_available_congestion_control");
    if (used == null) {
      return CONGESTION.ok("unknown");
    }
    boolean isLoaded = available != null && List.of(available.split("\\s+", -1)).contains("bbr");
    return CONGESTION.hintUnless(
        used.startsWith("bbr"),
        used + (isLoaded ? "; bbr is available" : "; bbr is not loaded"),
        (isLoaded ? "" : "modprobe tcp_bbr && ") + "sysctl -w net.ipv4.tcp_congestion_control=bbr");
  }

  private static Finding pacing(KernelFiles machine) {
    String discipline = machine.text("proc/sys/net/core/default_qdisc");
    return PACING.hintUnless(
        discipline == null || discipline.equals("fq"),
        "net.core.default_qdisc = " + (discipline == null ? "unknown" : discipline),
        "sysctl -w net.core.default_qdisc=fq, and for a card that is up: tc qdisc replace dev CARD"
            + " root fq");
  }

  private static Finding localPorts(Subject subject) {
    OptionalLong from = subject.machine().sysctl("net.ipv4.ip_local_port_range", 0);
    OptionalLong to = subject.machine().sysctl("net.ipv4.ip_local_port_range", 1);
    if (from.isEmpty() || to.isEmpty()) {
      return LOCAL_PORTS.ok("unknown");
    }
    long ports = to.getAsLong() - from.getAsLong() + 1;
    long most =
        subject.config().origins().stream()
            .mapToLong(origin -> origin.maxConnections())
            .max()
            .orElse(0);
    String range = "net.ipv4.ip_local_port_range = " + from.getAsLong() + " " + to.getAsLong();
    // Ports of connections that were closed stay taken for a minute.
    return LOCAL_PORTS.warningUnless(
        ports >= 2 * most,
        range + ", " + ports + " ports for " + most + " connections to an origin",
        "sysctl -w net.ipv4.ip_local_port_range='1024 65000', or a smaller max-connections of the"
            + " origin");
  }

  private static Finding udpBuffers(Subject subject) {
    if (subject.config().http3().listeners().isEmpty()) {
      return UDP_BUFFERS.ok("not needed, HTTP/3 is off");
    }
    OptionalLong receive = subject.machine().sysctl("net.core.rmem_max");
    OptionalLong send = subject.machine().sysctl("net.core.wmem_max");
    return UDP_BUFFERS.warningUnless(
        receive.orElse(DATAGRAM_BYTES) >= DATAGRAM_BYTES
            && send.orElse(DATAGRAM_BYTES) >= DATAGRAM_BYTES,
        named("net.core.rmem_max", receive)
            + ", "
            + named("net.core.wmem_max", send)
            + ", HTTP/3 asks for "
            + DATAGRAM_BYTES,
        "sysctl -w net.core.rmem_max=" + DATAGRAM_BYTES + " net.core.wmem_max=" + DATAGRAM_BYTES);
  }

  private static Finding conntrack(Subject subject) {
    OptionalLong most = subject.machine().sysctl("net.netfilter.nf_conntrack_max");
    if (most.isEmpty()) {
      return CONNTRACK.ok("not loaded");
    }
    long needed = 2 * (subject.config().limits().connections() + subject.originConnections());
    return CONNTRACK.warningUnless(
        most.getAsLong() >= needed,
        named("net.netfilter.nf_conntrack_max", most)
            + ", "
            + named(
                "nf_conntrack_count", subject.machine().sysctl("net.netfilter.nf_conntrack_count"))
            + ", for "
            + needed / 2
            + " connections and closed ones",
        "sysctl -w net.netfilter.nf_conntrack_max="
            + needed
            + ", or no tracking of the node's ports"
            + " (nft: notrack)");
  }
}
