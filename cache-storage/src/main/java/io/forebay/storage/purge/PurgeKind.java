package io.forebay.storage.purge;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The kinds of purges: what their scopes stand for. */
public enum PurgeKind {
  EVERYTHING,
  URL,
  HOST,
  PREFIX,
  TAG,
  PATTERN,
  /** A group of responses of an origin (RFC 9875), which clients invalidate. */
  GROUP,
  /** Not a purge: takes back a soft one. */
  UNDO;

  private static final PurgeKind[] ALL = values();

  /** The number of this kind in the journal; new kinds come last. */
  public int code() {
    return ordinal();
  }

  /** The kind with that number, or null where a later version wrote it. */
  public static @Nullable PurgeKind of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : null;
  }

  /** The name in JSON and on the command line. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
