package io.forebay.storage.purge;

import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A bounded table from scope to "dead (or stale) if born before". If it overflows, it is emptied
 * and a floor applies the same to everything. Its owner {@link Purges} writes it under a lock; any
 * thread reads it without one.
 *
 * <p>When it overflows the floor is raised first, then the cells are replaced, then the size is 0.
 * So readers look at size and cells first and at the floor last: a reader that misses a scope
 * because the table was emptied meanwhile sees the floor.
 *
 * <p>Readers see a scope only after its sequences are in place (the key is stored last). What
 * readers see is complete up to the sequence that {@link Purges#sequence} shows, because that is
 * raised last.
 */
final class PurgeTable {
  /** Not purged. */
  static final int ALIVE = 0;

  /**
   * Older than the revalidate floor: validated before each use until the origin has confirmed it.
   * The floor is never forgotten, so nothing is marked, and such records may go to disks.
   */
  static final int REVALIDATE = 1;

  /** Softly purged: stale. */
  static final int STALE = 2;

  /** Purged. */
  static final int DEAD = 3;

  private static final int STRIDE = 3;
  private static final int SCOPE = 0;
  private static final int HARD = 1;
  private static final int SOFT = 2;

  private record Cells(AtomicLongArray words, int mask) {
    static Cells of(int capacity) {
      int cells = Integer.highestOneBit(Math.max(8, capacity * 2 - 1)) * 2;
      return new Cells(new AtomicLongArray(cells * STRIDE), cells - 1);
    }

    int find(long scope) {
      int at = (int) Layouts.mix(scope) & mask;
      while (true) {
        long there = words.getAcquire(at * STRIDE + SCOPE);
        if (there == scope) {
          return at * STRIDE;
        }
        if (there == 0) {
          return -1 - at * STRIDE;
        }
        at = at + 1 & mask;
      }
    }
  }

  private final int capacity;
  private volatile Cells cells;
  private volatile int size;
  private volatile long floorHard;
  private volatile long floorSoft;
  private volatile long floorRevalidate;

  /** The higher of the two above. */
  private volatile long floorStale;

  /** All that are not retired: records on disks may still match them. */
  private volatile ActivePredicates predicates = ActivePredicates.NONE;

  /** Those of them that memory has not been swept for: what a lookup has to ask. */
  private volatile ActivePredicates unswept = ActivePredicates.NONE;

  /** What the sweep that is running, or was the last one, makes stale for good. */
  private volatile ClosingSofts closing = ClosingSofts.NONE;

  private long newest;

  PurgeTable(int capacity) {
    this.capacity = capacity;
    this.cells = Cells.of(capacity);
  }

  int size() {
    return size;
  }

  int capacity() {
    return capacity;
  }

  long floorHard() {
    return floorHard;
  }

  long floorSoft() {
    return floorSoft;
  }

  long floorRevalidate() {
    return floorRevalidate;
  }

  /** Whether this scope still has a place, of its own or a new one below a limit. */
  boolean hasPlace(long scope, int limit) {
    return size < limit || cells.find(nonZero(scope)) >= 0;
  }

  /** Returns false if there was no place and the floor was raised instead. */
  boolean put(long scope, long sequence, boolean isSoft) {
    Cells now = cells;
    long key = nonZero(scope);
    int at = now.find(key);
    // Purges need not arrive in the order of their numbers.
    newest = Math.max(newest, sequence);
    if (at >= 0) {
      int field = at + (isSoft ? SOFT : HARD);
      if (now.words.get(field) < sequence) {
        now.words.set(field, sequence);
      }
      return true;
    }
    if (size >= capacity) {
      raiseHard(newest);
      cells = Cells.of(capacity);
      size = 0;
      return false;
    }
    at = -1 - at;
    now.words.set(at + HARD, isSoft ? 0 : sequence);
    now.words.set(at + SOFT, isSoft ? sequence : 0);
    now.words.setRelease(at + SCOPE, key);
    int grown = size + 1;
    size = grown;
    return true;
  }

  /** The newest soft purge of a scope, 0 for none. */
  long soft(long scope) {
    Cells now = cells;
    int at = now.find(nonZero(scope));
    return at < 0 ? 0 : now.words.get(at + SOFT);
  }

  /** Where a soft purge is the newest of a scope, another takes its place. */
  void lowerSoft(long scope, long sequence, long before) {
    Cells now = cells;
    int at = now.find(nonZero(scope));
    if (at >= 0 && now.words.get(at + SOFT) == sequence) {
      now.words.set(at + SOFT, before);
    }
  }

  /** The same of the soft floor. */
  void lowerSoft(long sequence, long before) {
    if (floorSoft == sequence) {
      floorSoft = before;
      floorStale = Math.max(before, floorRevalidate);
    }
  }

  /** Forgets a predicate. */
  void remove(long sequence) {
    unswept = unswept.without(sequence);
    predicates = predicates.without(sequence);
  }

  void raiseHard(long sequence) {
    floorHard = Math.max(floorHard, sequence);
  }

  void raiseSoft(long sequence) {
    floorSoft = Math.max(floorSoft, sequence);
    floorStale = Math.max(floorStale, sequence);
  }

  /** Who sees the stale floor sees this one, too. */
  void raiseRevalidate(long sequence) {
    floorRevalidate = Math.max(floorRevalidate, sequence);
    floorStale = Math.max(floorStale, sequence);
  }

  ActivePredicates predicates() {
    return predicates;
  }

  ActivePredicates unswept() {
    return unswept;
  }

  /** In the order of their sequences. */
  void put(ActivePredicates.Predicate predicate) {
    newest = Math.max(newest, predicate.sequence());
    predicates = predicates.with(predicate);
    unswept = unswept.with(predicate);
  }

  /** Nothing in memory is left, or can come to be there, that predicates up to then match. */
  void sweptMemory(long through) {
    unswept = unswept.after(through);
  }

  /** Before a sweep looks at the first record. */
  void closing(ClosingSofts softs) {
    closing = softs;
  }

  /**
   * Forgets hard and soft purges up to a sequence each: no record is left that they apply to.
   *
   * @return the oldest soft purge that is left; above all where there is none
   */
  long retire(long through, long softThrough) {
    unswept = unswept.after(through);
    predicates = predicates.without(through, softThrough);
    long oldestSoft = predicates.oldestSoft();
    Cells old = cells;
    Cells kept = Cells.of(capacity);
    int keptSize = 0;
    for (int at = 0; at <= old.mask * STRIDE; at += STRIDE) {
      long key = old.words.get(at + SCOPE);
      long hard = old.words.get(at + HARD);
      long soft = old.words.get(at + SOFT);
      if (key == 0 || (hard <= through && soft <= softThrough)) {
        continue;
      }
      int to = -1 - kept.find(key);
      kept.words.setPlain(to + HARD, hard > through ? hard : 0);
      kept.words.setPlain(to + SOFT, soft > softThrough ? soft : 0);
      oldestSoft = soft > softThrough ? Math.min(oldestSoft, soft) : oldestSoft;
      kept.words.setPlain(to + SCOPE, key);
      keptSize++;
    }
    size = keptSize;
    cells = kept;
    return oldestSoft;
  }

  /** One scope with the sequences at which it was purged. */
  interface Visitor {
    void visit(long scope, long hard, long soft);
  }

  void forEach(Visitor visitor) {
    if (size == 0) {
      return;
    }
    Cells now = cells;
    for (int at = 0; at <= now.mask * STRIDE; at += STRIDE) {
      long key = now.words.get(at + SCOPE);
      if (key != 0) {
        visitor.visit(key, now.words.get(at + HARD), now.words.get(at + SOFT));
      }
    }
  }

  /** What became of a head record, wherever it lies. */
  int check(MemorySegment memory, long record) {
    return check(memory, record, predicates, 0);
  }

  /**
   * What became of a head record in the memory tier that a lookup found.
   *
   * @param unsweptNow read after the version that the lookup goes by
   * @param seen sequence up to which predicates have been asked already
   */
  int check(MemorySegment memory, long record, ActivePredicates unsweptNow, long seen) {
    if (size == 0 && hasNoFloor() && unsweptNow.newest() <= seen) {
      // The record may be in no cache of the processor.
      return ALIVE;
    }
    long birth = memory.get(Layouts.LONG, record + HeadRecord.BIRTH_OFFSET);
    long bodyBirth = memory.get(Layouts.LONG, record + HeadRecord.BODY_BIRTH_OFFSET);
    int result = checkScopes(memory, record, birth, bodyBirth);
    return result == DEAD
        ? DEAD
        : Math.max(result, unsweptNow.check(memory, record, birth, bodyBirth, seen));
  }

  private int checkScopes(MemorySegment memory, long record, long birth, long bodyBirth) {
    // The size before the floor: who sees the table emptied sees the floor that was raised for it.
    if (size == 0) {
      return checkFloor(birth, bodyBirth);
    }
    int result = ALIVE;
    Cells now = cells;
    int count = memory.get(Layouts.INT, record + HeadRecord.SCOPE_COUNT_OFFSET);
    for (int n = 0; n < count; n++) {
      long scope =
          memory.get(Layouts.LONG, record + HeadRecord.SCOPES_OFFSET + (long) n * Long.BYTES);
      int found = checkScope(now, scope, birth, bodyBirth);
      if (found == DEAD) {
        return DEAD;
      }
      result = Math.max(result, found);
    }
    // The floor may have been raised, and the table emptied, while the scopes were looked up.
    return Math.max(result, checkFloor(birth, bodyBirth));
  }

  int check(long[] scopes, long birth, long bodyBirth) {
    // The size first, as above. Each look at the cells would be one at memory.
    if (size == 0) {
      return checkFloor(birth, bodyBirth);
    }
    int result = ALIVE;
    Cells now = cells;
    for (int n = 0; n < scopes.length && result != DEAD; n++) {
      result = Math.max(result, checkScope(now, scopes[n], birth, bodyBirth));
    }
    return Math.max(result, checkFloor(birth, bodyBirth));
  }

  int check(long scope0, long scope1, long birth) {
    // The size first, as above.
    if (size == 0) {
      return checkFloor(birth, birth);
    }
    int result = ALIVE;
    Cells now = cells;
    if (scope0 != 0) {
      result = Math.max(result, checkScope(now, scope0, birth, birth));
    }
    if (scope1 != 0) {
      result = Math.max(result, checkScope(now, scope1, birth, birth));
    }
    return Math.max(result, checkFloor(birth, birth));
  }

  /** Whether one of the soft purges that are closing matches a head record. */
  boolean isClosing(MemorySegment memory, long record) {
    ClosingSofts softs = closing;
    long birth = memory.get(Layouts.LONG, record + HeadRecord.BIRTH_OFFSET);
    long bodyBirth = memory.get(Layouts.LONG, record + HeadRecord.BODY_BIRTH_OFFSET);
    int count = memory.get(Layouts.INT, record + HeadRecord.SCOPE_COUNT_OFFSET);
    long[] scopes = new long[count];
    MemorySegment.copy(memory, Layouts.LONG, record + HeadRecord.SCOPES_OFFSET, scopes, 0, count);
    return isClosing(softs, scopes, birth)
        || predicates.closing(softs.limit()).check(memory, record, birth, bodyBirth, 0) == STALE;
  }

  /**
   * What a sweep of a disk finds of a head record: soft purges that can be undone do not count, as
   * a disk has no place to note that a record is stale.
   */
  int checkSwept(MemorySegment memory, long record) {
    int fate = check(memory, record);
    return fate == STALE && !isClosing(memory, record) ? ALIVE : fate;
  }

  /** The same by scopes alone. */
  int checkSwept(long[] scopes, long birth, long bodyBirth) {
    int fate = check(scopes, birth, bodyBirth);
    return fate == STALE && !isClosing(closing, scopes, birth) ? ALIVE : fate;
  }

  /** Whether a sweep of a disk has to ask predicates. */
  boolean wantsTextsSwept(long[] scopes, long birth, long bodyBirth) {
    return predicates.swept(closing.limit()).mayApply(scopes, birth, bodyBirth);
  }

  private boolean isClosing(ClosingSofts softs, long[] scopes, long birth) {
    long floor = floorSoft;
    if (birth < floor && floor <= softs.limit()) {
      return true;
    }
    for (long scope : scopes) {
      if (birth < softs.of(scope, soft(scope))) {
        return true;
      }
    }
    return false;
  }

  /**
   * The purge that did this to a head record: of several the earliest, 0 if none is known any more.
   */
  long purgeSequenceOf(MemorySegment memory, long record, int fate) {
    long birth = memory.get(Layouts.LONG, record + HeadRecord.BIRTH_OFFSET);
    long bodyBirth = memory.get(Layouts.LONG, record + HeadRecord.BODY_BIRTH_OFFSET);
    int count = memory.get(Layouts.INT, record + HeadRecord.SCOPE_COUNT_OFFSET);
    long[] scopes = new long[count];
    MemorySegment.copy(memory, Layouts.LONG, record + HeadRecord.SCOPES_OFFSET, scopes, 0, count);
    long found = purgeSequenceOf(scopes, birth, bodyBirth, fate);
    ActivePredicates now = predicates;
    for (int n = 0; n < now.size() && found == 0; n++) {
      ActivePredicates.Predicate one = now.get(n);
      boolean isIt =
          one.fate() == fate
              && ActivePredicates.NONE.with(one).check(memory, record, birth, bodyBirth, 0) == fate;
      found = isIt ? one.sequence() : 0;
    }
    return found;
  }

  /** The same by scopes alone. */
  long purgeSequenceOf(long[] scopes, long birth, long bodyBirth, int fate) {
    boolean isHard = fate == DEAD;
    long born = isHard ? bodyBirth : birth;
    Cells now = cells;
    // After the cells: they are emptied when the floor stands for what was in them.
    long floor = isHard ? floorHard : floorSoft;
    long earliest = born < floor ? floor : Long.MAX_VALUE;
    for (long scope : scopes) {
      int at = now.find(nonZero(scope));
      long sequence = at < 0 ? 0 : now.words.get(at + (isHard ? HARD : SOFT));
      if (born < sequence) {
        earliest = Math.min(earliest, sequence);
      }
    }
    return earliest == Long.MAX_VALUE ? 0 : earliest;
  }

  /** Read after the size, as above. */
  private boolean hasNoFloor() {
    return floorHard == 0 && floorStale == 0;
  }

  private int checkFloor(long birth, long bodyBirth) {
    if (bodyBirth < floorHard) {
      return DEAD;
    }
    if (birth >= floorStale) {
      return ALIVE;
    }
    return birth < floorSoft ? STALE : REVALIDATE;
  }

  private static int checkScope(Cells now, long scope, long birth, long bodyBirth) {
    int at = now.find(nonZero(scope));
    if (at < 0) {
      return ALIVE;
    }
    if (bodyBirth < now.words.get(at + HARD)) {
      return DEAD;
    }
    return birth < now.words.get(at + SOFT) ? STALE : ALIVE;
  }

  static long nonZero(long scope) {
    return scope == 0 ? 1 : scope;
  }
}
