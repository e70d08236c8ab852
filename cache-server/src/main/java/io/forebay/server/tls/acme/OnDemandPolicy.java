package io.forebay.server.tls.acme;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Which names a handshake may add, and how many in an hour. Anybody can open handshakes, so what is
 * not listed or is over the limit is refused. Guarded by its own lock, for a few instructions.
 */
final class OnDemandPolicy {
  static final int MAX_NAMES = 1000;
  private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();

  private final List<String> patterns;
  private final int perHour;

  /** When the last names were added, the oldest first; at most {@code perHour}. */
  private final Deque<Long> addedAtMillis = new ArrayDeque<>();

  OnDemandPolicy(List<String> patterns, int perHour) {
    this.patterns = patterns;
    this.perHour = perHour;
  }

  /** Whether a pattern stands for the name, which is in lower case. */
  boolean matches(String name) {
    int dot = name.indexOf('.');
    if (dot <= 0 || !AcmeFiles.isHost(name)) {
      return false;
    }
    String wildcard = "*" + name.substring(dot);
    return patterns.contains(name) || patterns.contains(wildcard);
  }

  /** Takes one of the names of this hour. */
  synchronized boolean admit(long nowMillis) {
    while (!addedAtMillis.isEmpty()
        && Math.abs(nowMillis - addedAtMillis.getFirst()) >= HOUR_MILLIS) {
      addedAtMillis.removeFirst();
    }
    if (addedAtMillis.size() >= perHour) {
      return false;
    }
    addedAtMillis.addLast(nowMillis);
    return true;
  }
}
