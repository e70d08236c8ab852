package io.forebay.storage.index;

/**
 * The index from a 128-bit key to an {@link IndexValue}. Derived data: it can be rebuilt from the
 * directories of the regions. It is not iterable.
 */
public interface ObjectIndex extends AutoCloseable {
  /** How an operation ended. */
  enum Outcome {
    /** Found, or changed as the decision said. */
    DONE,
    /** No such key; for an update: the decision was to leave it so. */
    ABSENT,
    /** The decision was to leave what is there. */
    KEPT,
    /** The key's lock was held for longer than this cursor waits; nothing was done. */
    BUSY,
    /** No room for the key: an update was not asked, or the key names nothing now. */
    FULL
  }

  /** What an update wants done. */
  enum Verdict {
    KEEP,
    PUT,
    REMOVE
  }

  /** Decides the update of an entry under the key's lock. Must be short and must not throw. */
  interface Update {
    /**
     * Looks at what is there. To put, changes {@code value} to what shall be there.
     *
     * @param isPresent whether the key was there and {@code value} holds what it named
     */
    Verdict decide(boolean isPresent, IndexValue value);

    /**
     * Whether it may bring a record into memory that is not there: then it is asked only if there
     * is room for another key. An index without tables of disks asks no update without room.
     */
    default boolean isForMemory() {
      return false;
    }
  }

  /** One thread's way into the index. */
  interface Cursor {
    Outcome get(long high, long low, IndexValue into);

    Outcome update(long high, long low, Update update);
  }

  /** A cursor that gives up after a bounded spin, for event loops. */
  Cursor nonBlockingCursor();

  /** A cursor that waits for locks, for other threads. */
  Cursor blockingCursor();

  long count();

  long capacity();

  @Override
  void close();
}
