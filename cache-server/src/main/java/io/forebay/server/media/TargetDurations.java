package io.forebay.server.media;

import io.forebay.core.http.RequestView;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Target durations of the playlists that were fetched lately, by host and path: for how long a
 * request waits that the origin holds. A direct-mapped table, created with its first entry; a newer
 * playlist may replace another one, whose requests then wait for the usual time. Any thread.
 */
public final class TargetDurations {
  private static final int ENTRIES = 1024;
  private static final long MILLIS_MASK = 0xffff_ffffL;

  /** Target durations for which a request waits (RFC 8216bis §6.2.5.2). */
  private static final int TARGETS = 3;

  private static final Duration USUAL = Duration.ofSeconds(18);
  private static final Duration SHORTEST = Duration.ofSeconds(3);
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private volatile @Nullable AtomicLongArray entries;

  /** Remembers what a playlist says. */
  public void learn(RequestView request, HlsPlaylist playlist) {
    Duration target = playlist.targetDuration();
    if (target.isZero()) {
      return;
    }
    AtomicLongArray table = entries;
    if (table == null) {
      // Of two loops that do this at once one entry is lost, which the next fetch writes again.
      table = new AtomicLongArray(ENTRIES);
      entries = table;
    }
    long hash = hash(request);
    table.setOpaque(slot(hash), (hash & ~MILLIS_MASK) | (target.toMillis() & MILLIS_MASK));
  }

  /** For how long a blocking reload waits: three target durations, from 3 s to 60 s. */
  public Duration patience(RequestView request) {
    AtomicLongArray table = entries;
    if (table == null) {
      return USUAL;
    }
    long hash = hash(request);
    long entry = table.getOpaque(slot(hash));
    if (entry == 0 || (entry & ~MILLIS_MASK) != (hash & ~MILLIS_MASK)) {
      return USUAL;
    }
    Duration wait = Duration.ofMillis((entry & MILLIS_MASK) * TARGETS);
    return wait.compareTo(SHORTEST) < 0 ? SHORTEST : wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
  }

  private static int slot(long hash) {
    return (int) hash & (ENTRIES - 1);
  }

  /** Two names with the same hash share a wait, which is bounded for both. */
  private static long hash(RequestView request) {
    long hash = request.authority().hashCode() * 31L + request.path().hashCode();
    hash = (hash ^ (hash >>> 32)) * 0x9e3779b97f4a7c15L;
    return hash ^ (hash >>> 29);
  }
}
