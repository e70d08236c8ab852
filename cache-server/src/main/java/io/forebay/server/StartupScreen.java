package io.forebay.server;

import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.deliver.CopyQuota;
import io.forebay.server.loop.Transport;
import io.forebay.server.node.NodeStatus.Listening;
import io.forebay.storage.ObjectStore;
import java.util.ArrayList;
import java.util.List;

/**
 * The lines that the node prints when it has started: loops, memory, stores, listeners and limits.
 */
final class StartupScreen {
  private StartupScreen() {}

  static List<String> lines(
      Server server,
      Transport transport,
      ObjectStore store,
      MemoryPlan.Sum memory,
      CopyQuota copies,
      ServerConfig config) {
    List<String> lines = new ArrayList<>();
    lines.add(row("java", Runtime.version() + ", " + System.getProperty("java.vm.name")));
    lines.add(row("transport", transport.name()));
    lines.add(row("loops", transport.loops().size() + ", " + transport.pinning()));
    lines.add(row("memory", memory.line()));
    lines.add(row("heap", "at most " + MemoryPlan.mebibytes(memory.heapBytes())));
    lines.add(
        row(
            "direct",
            "at most "
                + MemoryPlan.mebibytes(memory.directBytes())
                + ", of which "
                + MemoryPlan.mebibytes(copies.limitBytes())
                + " for stalled clients"));
    for (String line : store.budget()) {
      lines.add(row("store", line));
    }
    lines.add(row("data", config.store().data().toString()));
    for (OriginConfig origin : config.origins()) {
      lines.add(row("origin", origin.name() + " " + origin.source()));
    }
    for (Listening at : server.listening()) {
      lines.add(
          row(
              "listen",
              at.scheme() + "://" + hostPort(at.host(), at.port()) + speaks(at.name(), config)));
    }
    lines.add(row("admin", server.adminUrl()));
    return lines;
  }

  /** What a listener speaks besides HTTP/1.1, after a space; empty for nothing. */
  private static String speaks(String listener, ServerConfig config) {
    List<String> words = new ArrayList<>();
    for (ListenerConfig one : config.listeners()) {
      if (one.name().equals(listener)) {
        if (one.isTls()) {
          words.add("h2");
        }
        if (one.h2c()) {
          words.add("h2c");
        }
        if (config.http3().isOn(listener)) {
          words.add("h3");
        }
        if (one.proxyProtocol()) {
          words.add("PROXY protocol");
        }
      }
    }
    return words.isEmpty() ? "" : " (" + String.join(", ", words) + ")";
  }

  private static String row(String name, String text) {
    return String.format("%-10s %s", name, text);
  }

  static String hostPort(String host, int port) {
    if (host.startsWith("unix:")) {
      return host;
    }
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
