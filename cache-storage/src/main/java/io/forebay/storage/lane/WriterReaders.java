package io.forebay.storage.lane;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who reads what a writer writes and depends on it. One reader, the first, may begin whatever was
 * released; the others may not once the writer {@linkplain #narrow narrows}. Any thread.
 *
 * <pre>
 *   bit  30       29         28       27      26 .. 0
 *        closed   revoking   narrow   first   number of others
 * </pre>
 */
final class WriterReaders {
  private static final int FIRST = 1 << 27;
  private static final int NARROW = 1 << 28;
  private static final int REVOKING = 1 << 29;
  private static final int CLOSED = 1 << 30;
  private static final int NUMBER = FIRST - 1;

  private final AtomicInteger word = new AtomicInteger();

  /** A reader begins; false where it may not. */
  boolean begin(boolean isFirst) {
    int refused = CLOSED | REVOKING | (isFirst ? 0 : NARROW);
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

  /** Whether anybody reads. */
  boolean isAny() {
    return (word.get() & (FIRST | NUMBER)) != 0;
  }

  /** Nobody but the first reader may begin from now on. */
  void narrow() {
    word.getAndUpdate(now -> now | NARROW);
  }

  boolean isNarrow() {
    return (word.get() & NARROW) != 0;
  }

  /** Keeps all readers from beginning; false, and nothing done, where one reads. */
  boolean tryRevoke() {
    return word.compareAndSet(0, REVOKING) || word.compareAndSet(NARROW, NARROW | REVOKING);
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
