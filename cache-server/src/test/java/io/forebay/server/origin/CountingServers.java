package io.forebay.server.origin;

import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.testing.ScriptedOrigin;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Servers of an origin that answer everything with their number, and count. */
final class CountingServers implements AutoCloseable {
  private final List<ScriptedOrigin> servers = new ArrayList<>();
  private final List<AtomicInteger> counts = new ArrayList<>();

  /** As many servers, each with a port of its own on 127.0.0.1. */
  CountingServers(int count) {
    for (int i = 0; i < count; i++) {
      add(ScriptedOrigin.start());
    }
  }

  /** Servers with one port, one on each address. */
  CountingServers(String... addresses) {
    ScriptedOrigin first = ScriptedOrigin.start(addresses[0], null);
    add(first);
    for (int i = 1; i < addresses.length; i++) {
      add(ScriptedOrigin.startAt(addresses[i], first.port()));
    }
  }

  private void add(ScriptedOrigin server) {
    AtomicInteger count = new AtomicInteger();
    String number = Integer.toString(servers.size());
    counts.add(count);
    servers.add(server);
    server.serve(connection -> {
      while (true) {
        connection.head();
        count.incrementAndGet();
        connection.respond(number);
      }
    });
  }

  OriginServerConfig server(int index) {
    return OriginServerConfig.of(servers.get(index).url());
  }

  OriginServerConfig server(int index, int weight) {
    return new OriginServerConfig(servers.get(index).url(), weight, false, 0);
  }

  OriginServerConfig backup(int index) {
    return new OriginServerConfig(servers.get(index).url(), 1, true, 0);
  }

  OriginServerConfig[] all() {
    return servers.stream()
        .map(server -> OriginServerConfig.of(server.url()))
        .toArray(OriginServerConfig[]::new);
  }

  int port() {
    return servers.getFirst().port();
  }

  /** Requests that a server got. */
  int count(int index) {
    return counts.get(index).get();
  }

  /** Connections that a server got. */
  int accepted(int index) {
    return servers.get(index).accepted();
  }

  List<Integer> counts() {
    return counts.stream().map(AtomicInteger::get).toList();
  }

  /** A server takes no more connections, and those it has are closed. */
  void stop(int index) throws IOException {
    servers.get(index).close();
  }

  @Override
  public void close() throws IOException {
    for (ScriptedOrigin server : servers) {
      server.close();
    }
  }
}
