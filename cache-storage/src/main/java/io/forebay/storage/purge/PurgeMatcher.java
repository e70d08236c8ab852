package io.forebay.storage.purge;

import java.lang.foreign.MemorySegment;

/**
 * Evaluates a predicate on a stored object. The store passes the key text and the head; the
 * implementation knows their contents.
 */
@FunctionalInterface
public interface PurgeMatcher {

  /**
   * Any thread, event loops included: bounded in time whatever the texts hold, and without waiting.
   * In doubt, as when a text is too long to be looked at, the answer is yes.
   */
  boolean matches(
      MemorySegment memory, long keyOffset, int keyLength, long headOffset, int headLength);

  /** Reads the text of a predicate, as it stands in the journal. */
  @FunctionalInterface
  interface Compiler {
    /** For stores that are given no predicates: what the journal holds of them can't be read. */
    Compiler NONE =
        text -> {
          throw new IllegalArgumentException("this store supports no predicates");
        };

    /**
     * Makes of a text what it asks.
     *
     * @throws IllegalArgumentException when the text is no predicate
     */
    PurgeMatcher compile(String text);
  }
}
