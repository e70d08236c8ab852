package io.forebay.server.fairness;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts the permits that each client network holds, and limits them. It stores only networks with
 * permits, so their number never exceeds that of the permits. One instance per node; any thread.
 */
public final class ClientLimiter {

  /** What there are places of. */
  public enum Kind {
    /** Requests that wait for a fetch, of their own or of others. */
    WAITING,
    /** Requests that an origin is asked for. */
    FETCH,
    TUNNEL,
    CONNECTION,
    /** Connections of a network that an operator has chosen the size of. */
    CONNECTION_OF_NETWORK,
    /** Connections whose client asked for a name; the name is a number in place of a network. */
    CONNECTION_TO_NAME,
    /** Connections of a client's certificate, which is a number as well. */
    CONNECTION_OF_CERTIFICATE
  }

  private final Map<Kind, ConcurrentHashMap<Long, Integer>> taken = new EnumMap<>(Kind.class);

  public ClientLimiter() {
    for (Kind kind : Kind.values()) {
      taken.put(kind, new ConcurrentHashMap<>());
    }
  }

  private ConcurrentHashMap<Long, Integer> of(Kind kind) {
    ConcurrentHashMap<Long, Integer> places = taken.get(kind);
    if (places == null) {
      throw new IllegalStateException("no places of " + kind);
    }
    return places;
  }

  /**
   * Takes a place if the network has fewer than {@code most}; each that is taken is given back
   * once.
   *
   * @param network not {@link ClientNetwork#NOBODY}
   */
  public boolean take(Kind kind, long network, int most) {
    if (of(kind).merge(network, 1, Integer::sum) > most) {
      giveBack(kind, network);
      return false;
    }
    return true;
  }

  public void giveBack(Kind kind, long network) {
    of(kind).computeIfPresent(network, (key, count) -> count == 1 ? null : count - 1);
  }

  /** Networks that have places of that kind. */
  public int networks(Kind kind) {
    return of(kind).size();
  }
}
