package io.forebay.server.counters;

/** The names by which the loops of one node count. Any thread. */
public record CounterNames(NameTable routes, NameTable origins, NameTable listeners) {
  public CounterNames() {
    this(new NameTable(), new NameTable(), new NameTable());
  }
}
