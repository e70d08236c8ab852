package io.forebay.lab.run;

import io.forebay.lab.scenario.Setup.Network;
import io.forebay.lab.target.Programs;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Delays and loses packets between clients and servers, by netem on the loopback interface of a
 * network namespace that is the lab's own. The interface of the machine is never touched.
 *
 * <pre>
 *   lo ── prio ── 1:1 … 1:3   all other packets: origin, admin
 *           └──── 1:4 netem   packets from and to the servers' ports
 * </pre>
 */
interface PacketNetwork {

  /** Whether delay and loss can be emulated. */
  boolean isAvailable();

  /** Emulates between clients and these servers; what was emulated before ends. */
  void apply(Network network, List<URI> servers) throws IOException, InterruptedException;

  /** In which nothing can be emulated. */
  PacketNetwork PLAIN =
      new PacketNetwork() {
        @Override
        public boolean isAvailable() {
          return false;
        }

        @Override
        public void apply(Network network, List<URI> servers) {}
      };

  /** Of the namespace that this process is in, which must be its own. */
  static PacketNetwork ofNamespace() throws InterruptedException {
    try {
      Namespace.tc("qdisc", "replace", "dev", "lo", "root", "netem", "delay", "1ms");
      Namespace.tc("qdisc", "del", "dev", "lo", "root");
      return new Namespace();
    } catch (IOException noNetem) {
      return PLAIN;
    }
  }

  /** By the program tc. */
  final class Namespace implements PacketNetwork {
    private boolean isApplied;

    private Namespace() {}

    @Override
    public boolean isAvailable() {
      return true;
    }

    @Override
    public void apply(Network network, List<URI> servers) throws IOException, InterruptedException {
      if (isApplied) {
        tc("qdisc", "del", "dev", "lo", "root");
        isApplied = false;
      }
      if (network.isPlain()) {
        return;
      }
      tc("qdisc", "add", "dev", "lo", "root", "handle", "1:", "prio", "bands", "4");
      isApplied = true;
      tc(
          "qdisc",
          "add",
          "dev",
          "lo",
          "parent",
          "1:4",
          "handle",
          "40:",
          "netem",
          "delay",
          network.delayMillis() + "ms",
          "loss",
          String.format(Locale.ROOT, "%.4f%%", network.loss() * 100),
          "limit",
          "100000");
      for (URI server : servers) {
        for (String side : List.of("sport", "dport")) {
          tc(
              "filter",
              "add",
              "dev",
              "lo",
              "parent",
              "1:0",
              "protocol",
              "ip",
              "prio",
              "1",
              "u32",
              "match",
              "ip",
              side,
              Integer.toString(server.getPort()),
              "0xffff",
              "flowid",
              "1:4");
        }
      }
    }

    static void tc(String... arguments) throws IOException, InterruptedException {
      List<String> command = new ArrayList<>(List.of("tc"));
      command.addAll(List.of(arguments));
      Programs.output(command);
    }
  }
}
