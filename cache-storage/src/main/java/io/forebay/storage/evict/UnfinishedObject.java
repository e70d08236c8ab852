package io.forebay.storage.evict;

/** An object that is being written, as the reclaimer sees it. */
public interface UnfinishedObject {
  /** When it last took bytes in. */
  long progressMillis();

  /** Whether a reader depends on the written bytes: then it cannot be revoked. */
  boolean isReadFrom();

  /** Takes its space away, unless it is being written to this very moment, or read from. */
  boolean revoke();
}
