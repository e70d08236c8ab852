package io.forebay.e2e.storm;

import io.forebay.testing.Commands;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Network namespaces on a bridge, in the network namespace of this process, which is one of the
 * test's own: all of it ends with the process.
 */
final class StormNetwork {
  /** The address of this process. */
  static final String HUB = "10.77.0.1";

  private static final String BRIDGE = "br0";

  private final Map<String, String> addresses = new TreeMap<>();
  private final AtomicInteger cuts = new AtomicInteger();

  StormNetwork() throws IOException, InterruptedException {
    run("ip", "link", "set", "lo", "up");
    run("ip", "link", "add", "name", BRIDGE, "type", "bridge");
    run("ip", "address", "add", HUB + "/24", "dev", BRIDGE);
    run("ip", "link", "set", BRIDGE, "up");
  }

  private static String run(String... command) throws IOException, InterruptedException {
    return Commands.run(command).orFail().out();
  }

  private static String runIn(String host, String... command)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(inside(host));
    all.addAll(List.of(command));
    return run(all.toArray(new String[0]));
  }

  /** Adds a host with an address of its own. */
  void add(String host, int number) throws IOException, InterruptedException {
    String address = "10.77.0." + number;
    String outside = "v" + number;
    run("ip", "netns", "add", host);
    run(
        "ip", "link", "add", "name", outside, "type", "veth", "peer", "name", "eth0", "netns",
        host);
    run("ip", "link", "set", outside, "master", BRIDGE, "up");
    runIn(host, "ip", "link", "set", "lo", "up");
    runIn(host, "ip", "address", "add", address + "/24", "dev", "eth0");
    runIn(host, "ip", "link", "set", "eth0", "up");
    addresses.put(host, address);
  }

  String address(String host) {
    String address = addresses.get(host);
    if (address == null) {
      throw new IllegalArgumentException("there is no host " + host);
    }
    return address;
  }

  /** The command that runs what follows it on a host. */
  static List<String> inside(String host) {
    return List.of("ip", "netns", "exec", host);
  }

  /** One direction between two hosts. */
  record Link(String from, String to) {}

  /** Both directions between each host of one side and each of the other. */
  static List<Link> between(List<String> one, List<String> other) {
    List<Link> links = new ArrayList<>(oneWay(one, other));
    links.addAll(oneWay(other, one));
    return links;
  }

  static List<Link> oneWay(List<String> from, List<String> to) {
    List<Link> links = new ArrayList<>();
    for (String sender : from) {
      for (String receiver : to) {
        if (!sender.equals(receiver)) {
          links.add(new Link(sender, receiver));
        }
      }
    }
    return links;
  }

  /** Drops all packets on these links until it is closed. */
  Cut cut(List<Link> links) throws IOException, InterruptedException {
    Cut cut = new Cut(links, "cut-" + cuts.incrementAndGet());
    for (Link link : links) {
      cut.rule("-A", link);
    }
    return cut;
  }

  /** Packets that are dropped where they would arrive. */
  final class Cut {
    private final List<Link> links;
    private final String name;

    private Cut(List<Link> links, String name) {
      this.links = links;
      this.name = name;
    }

    private void rule(String operation, Link link) throws IOException, InterruptedException {
      String ignored =
          runIn(
              link.to(),
              "iptables",
              "-w",
              operation,
              "INPUT",
              "-s",
              address(link.from()),
              "-m",
              "comment",
              "--comment",
              name,
              "-j",
              "DROP");
    }

    /** Lets packets pass again; how many were dropped. */
    long heal() throws IOException, InterruptedException {
      long dropped = 0;
      for (String host : links.stream().map(Link::to).distinct().toList()) {
        dropped += dropped(runIn(host, "iptables", "-w", "-nvxL", "INPUT"));
      }
      for (Link link : links) {
        rule("-D", link);
      }
      return dropped;
    }

    private long dropped(String rules) {
      Pattern line = Pattern.compile("^ *([0-9]+) .*/\\* " + name + " \\*/.*$");
      return rules
          .lines()
          .map(line::matcher)
          .filter(Matcher::matches)
          .mapToLong(matcher -> Long.parseLong(matcher.group(1)))
          .sum();
    }
  }
}
