package io.forebay.storage.lane;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the readers that depend on what a writer writes. The first reader may begin even after
 * bytes were released; others may not once {@link #refuseNewReaders} was called. Any thread.
 *
 * <pre>
 *   bit  30       29         28       27      26 .. 0
 *        closed   revoking   no new   first   number of others
 * </pre>
 */
final class ReaderCount {
  private static final int FIRST = 1 << 27;
  private static final int NO_NEW = 1 << 28;
  private static final int REVOKING = 1 << 29;
  private static final int CLOSED = 1 << 30;
  private static final int NUMBER = FIRST - 1;

  private final AtomicInteger word = new AtomicInteger();

  /** A reader begins; false where it may not. */
  boolean begin(boolean isFirst) {
    int refused = CLOSED | REVOKING | (isFirst ? 0 : NO_NEW);
    int now;
    do {
      now = word.get();
      if ((now & refused) != 0) {
        return false;
      }
    } while (!word.compareAndSet(now, isFirst ? now | FIRST : now + 1));
    return true;
  }

  /** A reader has ended; true if it was the last and none will begin any more. */
  boolean end(boolean isFirst) {
    return isOver(word.addAndGet(isFirst ? -FIRST : -1));
  }

  /** Whether others than the first one read. */
  boolean hasOthers() {
    return (word.get() & NUMBER) != 0;
  }

  /** Whether there are readers. */
  boolean isAny() {
    return (word.get() & (FIRST | NUMBER)) != 0;
  }

  /** Nobody but the first reader may begin from now on. */
  void refuseNewReaders() {
    word.getAndUpdate(now -> now | NO_NEW);
  }

  boolean refusesNewReaders() {
    return (word.get() & NO_NEW) != 0;
  }

  /** Keeps all readers from beginning; false, and nothing done, where one reads. */
  boolean tryRevoke() {
    return word.compareAndSet(0, REVOKING) || word.compareAndSet(NO_NEW, NO_NEW | REVOKING);
  }

  /** Takes {@link #tryRevoke} back. */
  void undoRevoke() {
    word.getAndUpdate(now -> now & ~REVOKING);
  }

  /** Nobody begins any more. */
  Close close() {
    int before = word.getAndUpdate(now -> now | CLOSED);
    if ((before & CLOSED) != 0) {
      return Close.AGAIN;
    }
    return isOver(before | CLOSED) ? Close.UNREAD : Close.READ;
  }

  /** What {@link #close} met. */
  enum Close {
    /** It was closed before. */
    AGAIN,
    /** Nobody reads. */
    UNREAD,
    /** Somebody reads; the last to end is told so. */
    READ
  }

  private static boolean isOver(int now) {
    return (now & CLOSED) != 0 && (now & (FIRST | NUMBER)) == 0;
  }
}
