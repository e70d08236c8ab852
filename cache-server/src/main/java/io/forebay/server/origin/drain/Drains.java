package io.forebay.server.origin.drain;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All drains of a node. Immutable; there are few, and they are looked through only when one changes
 * or an endpoint is added.
 */
public final class Drains {
  /** Drains that a node keeps (I5). */
  public static final int MAX = 256;

  public static final Drains NONE = new Drains(List.of());

  private final List<Drain> all;

  private Drains(List<Drain> all) {
    this.all = all;
  }

  static Drains of(List<Drain> all) {
    return all.isEmpty() ? NONE : new Drains(List.copyOf(all));
  }

  /** In the order in which they began. */
  public List<Drain> all() {
    return all;
  }

  public boolean isFull() {
    return all.size() >= MAX;
  }

  /** The drain of a server's URL, or of an {@code address:port}; null if there is none. */
  public @Nullable Drain find(String origin, String target) {
    for (Drain drain : all) {
      if (drain.target().equals(target) && drain.origin().equals(origin)) {
        return drain;
      }
    }
    return null;
  }

  /** The drain that holds for an address of a server: that of the server, or its own; or null. */
  public @Nullable Drain find(String origin, String url, String address) {
    Drain ofServer = find(origin, url);
    return ofServer != null ? ofServer : find(origin, address);
  }

  public Drains with(Drain added) {
    List<Drain> next = new ArrayList<>(all);
    next.add(added);
    return of(next);
  }

  public Drains without(Drain removed) {
    return of(all.stream().filter(drain -> !drain.equals(removed)).toList());
  }
}
