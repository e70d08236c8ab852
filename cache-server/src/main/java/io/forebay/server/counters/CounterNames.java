package io.forebay.server.counters;

/**
 * The names of routes, origins, their servers and listeners by which the event loops of a node
 * count. Any thread.
 */
public record CounterNames(
    NameTable routes, NameTable origins, NameTable originServers, NameTable listeners) {
  public CounterNames() {
    this(new NameTable(), new NameTable(), new NameTable(), new NameTable());
  }
}
