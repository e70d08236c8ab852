package io.forebay.storage.evict;

/** An object being written, as the reclaimer sees it. */
public interface Fill {
  /** When it last took bytes in. */
  long progressMillis();

  /** Takes its space away, unless it is being written to this very moment. */
  boolean revoke();
}
