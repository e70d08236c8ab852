package io.forebay.storage.purge;

import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The purges by predicate that are in force, oldest first. Unlike scopes, each has to be evaluated.
 * Immutable; a change creates a new list. They apply to objects only: a vary marker contains
 * nothing that is served.
 */
final class ActivePredicates {
  static final ActivePredicates NONE = new ActivePredicates(new Predicate[0]);

  /**
   * One of them.
   *
   * @param order as it stands in the journal; it is limited to what has one of its scopes, if any
   */
  record Predicate(JournalRecord order, PurgeMatcher matcher) {
    long sequence() {
      return order.sequence();
    }

    /** Whether something born then is old enough: hard ones ask for the body, soft for the head. */
    boolean isAfter(long birth, long bodyBirth) {
      return (order.soft() ? birth : bodyBirth) < order.sequence();
    }

    int fate() {
      return order.soft() ? PurgeTable.STALE : PurgeTable.DEAD;
    }
  }

  private final Predicate[] all;

  private ActivePredicates(Predicate[] all) {
    this.all = all;
  }

  int size() {
    return all.length;
  }

  /** The sequence of the newest, 0 if there is none. */
  long newest() {
    return all.length == 0 ? 0 : all[all.length - 1].sequence();
  }

  Predicate get(int n) {
    return all[n];
  }

  /** Added in the order of their sequences. */
  ActivePredicates with(Predicate added) {
    Predicate[] more = Arrays.copyOf(all, all.length + 1);
    more[all.length] = added;
    return new ActivePredicates(more);
  }

  /** Without those up to a sequence. */
  ActivePredicates after(long through) {
    int from = 0;
    while (from < all.length && all[from].sequence() <= through) {
      from++;
    }
    return from == 0 ? this : new ActivePredicates(Arrays.copyOfRange(all, from, all.length));
  }

  /** Without those that are forgotten: hard and soft ones up to a sequence each. */
  ActivePredicates without(long hard, long soft) {
    return where(one -> one.sequence() > (one.order().soft() ? soft : hard));
  }

  /** Without one that is undone. */
  ActivePredicates without(long sequence) {
    return where(one -> one.sequence() != sequence);
  }

  /** The oldest soft one; above all where there is none. */
  long oldestSoft() {
    for (Predicate one : all) {
      if (one.order().soft()) {
        return one.sequence();
      }
    }
    return Long.MAX_VALUE;
  }

  private ActivePredicates where(java.util.function.Predicate<Predicate> kept) {
    if (all.length == 0) {
      return this;
    }
    Predicate[] left = Arrays.stream(all).filter(kept).toArray(Predicate[]::new);
    return left.length == all.length ? this : new ActivePredicates(left);
  }

  /** What the sweep of a disk has to look for: all but soft ones above a sequence. */
  ActivePredicates swept(long soft) {
    return where(one -> !one.order().soft() || one.sequence() <= soft);
  }

  /** The soft ones up to a sequence. */
  ActivePredicates closing(long soft) {
    return where(one -> one.order().soft() && one.sequence() <= soft);
  }

  /** Of a head record in memory, by those that are newer than what has been looked at already. */
  int check(MemorySegment memory, long record, long birth, long bodyBirth, long seen) {
    if (newest() <= seen
        || memory.get(Layouts.INT, record + RecordHeader.KIND_OFFSET) != RecordHeader.KIND_OBJECT) {
      return PurgeTable.ALIVE;
    }
    int scopes = memory.get(Layouts.INT, record + HeadRecord.SCOPE_COUNT_OFFSET);
    int keyLength = memory.get(Layouts.INT, record + HeadRecord.KEY_LENGTH_OFFSET);
    int headLength = memory.get(Layouts.INT, record + HeadRecord.HEAD_LENGTH_OFFSET);
    int result = PurgeTable.ALIVE;
    for (Predicate one : all) {
      if (one.sequence() > seen
          && one.fate() > result
          && one.isAfter(birth, bodyBirth)
          && isWithin(one, memory, record, scopes)
          && matches(
              one,
              memory,
              record + HeadRecord.keyOffset(scopes),
              keyLength,
              record + HeadRecord.headOffset(scopes, keyLength),
              headLength)) {
        result = one.fate();
      }
    }
    return result;
  }

  private static boolean isWithin(Predicate one, MemorySegment memory, long record, int scopes) {
    for (long limit : one.order().scopes()) {
      for (int n = 0; n < scopes; n++) {
        if (memory.get(Layouts.LONG, record + HeadRecord.SCOPES_OFFSET + (long) n * Long.BYTES)
            == limit) {
          return true;
        }
      }
    }
    return one.order().scopes().length == 0;
  }

  /** Of an object that is not written yet. */
  int check(long[] scopes, long birth, long bodyBirth, byte[] keyText, int keyLength, byte[] head) {
    int result = PurgeTable.ALIVE;
    for (Predicate one : all) {
      if (one.fate() > result && one.isAfter(birth, bodyBirth) && isWithin(one, scopes)) {
        MemorySegment text = MemorySegment.ofArray(Arrays.copyOf(keyText, keyLength + head.length));
        MemorySegment.copy(head, 0, text, Layouts.BYTE, keyLength, head.length);
        if (matches(one, text, 0, keyLength, keyLength, head.length)) {
          result = one.fate();
        }
      }
    }
    return result;
  }

  private static boolean isWithin(Predicate one, long[] scopes) {
    for (long limit : one.order().scopes()) {
      if (Arrays.stream(scopes).anyMatch(scope -> scope == limit)) {
        return true;
      }
    }
    return one.order().scopes().length == 0;
  }

  /**
   * Whether anything here might apply to an object of which only scopes and births are known, so
   * that its texts have to be read.
   */
  boolean mayApply(long[] scopes, long birth, long bodyBirth) {
    for (Predicate one : all) {
      if (one.isAfter(birth, bodyBirth) && isWithin(one, scopes)) {
        return true;
      }
    }
    return false;
  }

  private static boolean matches(
      Predicate one, MemorySegment memory, long key, int keyLength, long head, int headLength) {
    try {
      return one.matcher().matches(memory, key, keyLength, head, headLength);
    } catch (RuntimeException e) {
      // What can't be told counts as purged: never served when it should be gone.
      return true;
    }
  }
}
