package io.forebay.storage.object;

/** The result of an install. */
public enum InstallOutcome {
  /** It is what lookups find from now on. */
  INSTALLED,
  /** A purge that it predates matches it, or may have matched it. */
  PURGED,
  /** What is there was born later, or at the same time. */
  OLDER,
  /** There is no space for its record or no room in the index. */
  NO_SPACE,
  /** The index is busy: call again, or give up. */
  BUSY,
  /** The object it belongs to is not there any more. */
  GONE,
  /** The body is not as long as it was said to be. */
  INCOMPLETE
}
