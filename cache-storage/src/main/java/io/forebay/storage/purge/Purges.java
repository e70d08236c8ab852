package io.forebay.storage.purge;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Purges and births: the journal, the table it is replayed into, and the sequence both draw from.
 *
 * <p>Order of a purge: its sequence is taken, the journal is on disk, the table has it, {@link
 * #sequence} shows it, it is acknowledged. A reader that sees the sequence sees the table.
 *
 * <p>Purges that come together share an fsync. Each puts itself in line and asks for the journal's
 * lock; who gets it and is still in line leads: it takes out a batch, numbers it, appends all of
 * it, forces once, and only then puts one after the other into the table, in the order of their
 * numbers. So the order above holds for each purge by itself:
 *
 * <ul>
 *   <li>A number is taken after its purge was asked for, never before: what was born until then is
 *       below it. That purges of a batch get theirs a little later than alone only makes them cover
 *       more.
 *   <li>None enters the table before the fsync that covers all of the batch has returned, and none
 *       is acknowledged before it is in the table: who waits for the lock meanwhile finds his
 *       outcome when he gets it, which the lock orders behind the leader's writing of it.
 *   <li>{@link #settled} stays below the least number of the batch until all of it is in the table,
 *       so nothing is retired or promised past one that is still on its way.
 *   <li>When a write or the fsync fails, nobody knows which records of the batch are on disk. None
 *       is in the table and every one of them fails. The journal is then no longer sound and is
 *       written anew, from the table, before anything else is acknowledged: that drops what was
 *       left of the batch. A stop before that may bring back some of it, whole records each: purges
 *       that were reported as failed may then be in force, which costs a fetch and is never a stale
 *       answer. What was acknowledged earlier was forced by an fsync of its own batch.
 * </ul>
 */
public final class Purges implements AutoCloseable {
  /** What a purge covers; the numbers are in the journal. */
  public static final int EVERYTHING = 0;

  private static final Logger LOG = LoggerFactory.getLogger(Purges.class);

  /** The part of the table that invalidations caused by clients may fill. */
  private static final int CLIENT_SHARE = 8;

  private static final int LAZY_LIMIT = 4096;

  /** Bounds how much is written, and how long the first of a batch waits, before one fsync. */
  private static final int BATCH_LIMIT = 256;

  private final LongSupplier clockMillis;
  private final long compactBytes;
  private final Journal journal;
  private final PurgeTable table;
  private final Sequences sequences;
  private final Runnable onWork;

  /** Guards the journal. Never taken by an event loop. */
  private final ReentrantLock journalLock = new ReentrantLock();

  /** Guards writing the table; held for memory operations only, so a loop may try it. */
  private final ReentrantLock tableLock = new ReentrantLock();

  /** Purges that have come and that nobody has taken on, oldest first. */
  private final ConcurrentLinkedQueue<Order> line = new ConcurrentLinkedQueue<>();

  private final ConcurrentLinkedQueue<JournalRecord> lazy = new ConcurrentLinkedQueue<>();
  private final AtomicInteger lazyCount = new AtomicInteger();
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong invalidations = new AtomicLong();
  private long rewrittenLength;
  private volatile long sequence;

  /** Counts what came into force; numbers may come into force out of order, this only grows. */
  private volatile long version;

  /** The least purge that has its number and is not yet in the table. Guarded by the table lock. */
  private long pending = Long.MAX_VALUE;

  private volatile long retiredThrough;
  private volatile long oldestMillis = Long.MAX_VALUE;

  public Purges(
      Path file,
      int tableCapacity,
      long compactBytes,
      LongSupplier clockMillis,
      SecureRandom random,
      Runnable onWork)
      throws IOException {
    this(file, tableCapacity, compactBytes, clockMillis, random, onWork, Journal.Sync.DISK);
  }

  Purges(
      Path file,
      int tableCapacity,
      long compactBytes,
      LongSupplier clockMillis,
      SecureRandom random,
      Runnable onWork,
      Journal.Sync sync)
      throws IOException {
    this.clockMillis = clockMillis;
    this.compactBytes = compactBytes;
    this.onWork = onWork;
    this.journal = Journal.open(file, random, sync);
    this.table = new PurgeTable(tableCapacity);
    long highest = 0;
    Journal.Found found = journal.found();
    long retired = 0;
    for (JournalRecord record : found.records()) {
      if (record.type() == JournalRecord.Type.RETIRED) {
        retired = Math.max(retired, record.sequence());
      }
    }
    for (JournalRecord record : found.records()) {
      highest = Math.max(highest, record.sequence());
      replay(record, retired);
    }
    this.retiredThrough = retired;
    this.sequences = new Sequences(highest + 1, onWork);
    if (found.isDamaged()) {
      LOG.warn("{} is damaged before its end: everything stored so far counts as purged", file);
      table.raiseHard(highest + 1);
      sequence = highest + 1;
    }
    boolean done = false;
    try {
      if (found.isNew() || found.isDamaged() || journal.length() > compactBytes) {
        rewrite(sequences.wanted());
      } else {
        reserve(sequences.wanted());
      }
      done = true;
    } finally {
      if (!done) {
        journal.close();
      }
    }
  }

  private void replay(JournalRecord record, long retired) {
    switch (record.type()) {
      case RESERVED, RETIRED -> {}
      case FLOOR_HARD -> table.raiseHard(record.sequence());
      case FLOOR_SOFT -> table.raiseSoft(record.sequence());
      case PURGE -> {
        if (record.scopes().length == 0 || record.sequence() > retired) {
          enter(record);
        }
        if (record.sequence() > retired) {
          oldestMillis = Math.min(oldestMillis, record.millis());
        }
      }
    }
    if (record.type() != JournalRecord.Type.RESERVED
        && record.type() != JournalRecord.Type.RETIRED) {
      sequence = Math.max(sequence, record.sequence());
    }
  }

  private boolean enter(JournalRecord record) {
    if (record.scopes().length == 0) {
      if (record.soft()) {
        table.raiseSoft(record.sequence());
      } else {
        table.raiseHard(record.sequence());
      }
      return true;
    }
    boolean fits = true;
    for (long scope : record.scopes()) {
      fits &= table.put(scope, record.sequence(), record.soft());
    }
    return fits;
  }

  private void raiseVersion() {
    long next = version + 1;
    version = next;
  }

  public byte[] identity() {
    return journal.identity();
  }

  public byte[] secret() {
    return journal.secret();
  }

  /** Any thread, never blocks; -1 if no number is reserved. */
  public long next() {
    return sequences.take();
  }

  /** The newest purge in force. */
  public long sequence() {
    return sequence;
  }

  /** Grows whenever a purge comes into force. Read before the table is. */
  public long version() {
    return version;
  }

  /** A sequence up to which all purges are in the table and all later ones will be above. */
  public long settled() {
    tableLock.lock();
    try {
      return Math.min(sequence, pending - 1);
    } finally {
      tableLock.unlock();
    }
  }

  /** A purge that somebody waits for. What became of it is written and read under the lock. */
  private static final class Order {
    final int kind;
    final boolean soft;
    final long[] scopes;
    final String text;
    long number;
    boolean isDone;
    @Nullable IOException failure;

    Order(int kind, boolean soft, long[] scopes, String text) {
      this.kind = kind;
      this.soft = soft;
      this.scopes = scopes;
      this.text = text;
    }
  }

  /** Journals a purge and puts it in force; returns its sequence once both are done. */
  public long purge(int kind, long[] scopes, boolean soft, String text) throws IOException {
    if (scopes.length > JournalRecord.MAX_SCOPES) {
      throw new IllegalArgumentException(
          "a purge of " + scopes.length + " scopes; at most " + JournalRecord.MAX_SCOPES);
    }
    if ((scopes.length == 0) != (kind == EVERYTHING)) {
      throw new IllegalArgumentException("scopes and kind of purge do not go together");
    }
    Order own = new Order(kind, soft, scopes, text);
    line.add(own);
    journalLock.lock();
    try {
      while (!own.isDone) {
        lead();
      }
    } finally {
      journalLock.unlock();
    }
    if (own.failure != null) {
      // The exception was thrown to whoever led: each gets one of his own.
      throw new IOException(own.failure.getMessage(), own.failure);
    }
    return own.number;
  }

  /** Purges that wait to be taken on. */
  int waiting() {
    return line.size();
  }

  /** Brings about what the first in line have asked for; all of it, or nothing where that fails. */
  private void lead() {
    List<Order> batch = new ArrayList<>();
    Order next;
    while (batch.size() < BATCH_LIMIT && (next = line.poll()) != null) {
      batch.add(next);
    }
    IOException failure = new IOException("the purge was given up");
    try {
      List<JournalRecord> records = number(batch);
      if (!journal.isSound() || journal.length() > Math.max(compactBytes, 2 * rewrittenLength)) {
        rewrite(sequences.limit());
      }
      journal.append(records, true);
      for (int i = 0; i < records.size(); i++) {
        publish(records.get(i));
        batch.get(i).isDone = true;
        acknowledged.incrementAndGet();
      }
    } catch (IOException e) {
      failure = e;
    } finally {
      settle();
      for (Order order : batch) {
        if (!order.isDone) {
          order.failure = failure;
          order.isDone = true;
          failed.incrementAndGet();
        }
      }
    }
  }

  private List<JournalRecord> number(List<Order> batch) throws IOException {
    List<JournalRecord> records = new ArrayList<>(batch.size());
    for (Order order : batch) {
      order.number = begin();
      records.add(
          new JournalRecord(
              JournalRecord.Type.PURGE,
              order.kind,
              order.soft,
              order.number,
              clockMillis.getAsLong(),
              order.scopes,
              order.text));
    }
    return records;
  }

  private long begin() throws IOException {
    while (true) {
      tableLock.lock();
      try {
        long number = sequences.take();
        if (number >= 0) {
          pending = Math.min(pending, number);
          return number;
        }
      } finally {
        tableLock.unlock();
      }
      reserveOrRewrite();
    }
  }

  private void settle() {
    tableLock.lock();
    try {
      pending = Long.MAX_VALUE;
    } finally {
      tableLock.unlock();
    }
  }

  private void publish(JournalRecord record) {
    tableLock.lock();
    try {
      if (!enter(record)) {
        LOG.warn(
            "the purge table was full: everything stored before purge {} is gone",
            record.sequence());
        note(JournalRecord.plain(JournalRecord.Type.FLOOR_HARD, table.floorHard()));
      }
      oldestMillis = Math.min(oldestMillis, record.millis());
      sequence = Math.max(sequence, record.sequence());
      raiseVersion();
    } finally {
      tableLock.unlock();
    }
  }

  /**
   * An invalidation caused by a client: in force at once, journalled when there is time. Returns
   * false, having done nothing, where the bounds for such are reached.
   */
  public boolean invalidate(long scope) {
    if (!tableLock.tryLock()) {
      return false;
    }
    try {
      if (!table.hasPlace(scope, table.capacity() / CLIENT_SHARE)) {
        return false;
      }
      long number = sequences.take();
      if (number < 0) {
        return false;
      }
      table.put(scope, number, false);
      long now = clockMillis.getAsLong();
      oldestMillis = Math.min(oldestMillis, now);
      sequence = Math.max(sequence, number);
      raiseVersion();
      note(
          new JournalRecord(
              JournalRecord.Type.PURGE, 1, false, number, now, new long[] {scope}, ""));
      invalidations.incrementAndGet();
      return true;
    } finally {
      tableLock.unlock();
    }
  }

  /**
   * What became of a head record in mapped memory: {@link #ALIVE}, {@link #STALE}, {@link #DEAD}.
   */
  public int check(MemorySegment memory, long record) {
    return table.check(memory, record);
  }

  public int check(long[] scopes, long birth, long bodyBirth) {
    return table.check(scopes, birth, bodyBirth);
  }

  /** By two of its scopes alone, 0 for none: dead for sure, or not known. */
  public int check(long scope0, long scope1, long birth) {
    return table.check(scope0, scope1, birth);
  }

  public static final int ALIVE = PurgeTable.ALIVE;
  public static final int STALE = PurgeTable.STALE;
  public static final int DEAD = PurgeTable.DEAD;

  /** Journal thread: reserves numbers ahead and writes what was left for later. */
  public void work() {
    if (!sequences.isLow() && lazy.isEmpty()) {
      return;
    }
    journalLock.lock();
    try {
      if (sequences.isLow()) {
        reserveOrRewrite();
      }
      if (!journal.isSound()) {
        rewrite(sequences.limit());
      }
      JournalRecord record;
      while ((record = lazy.poll()) != null) {
        lazyCount.decrementAndGet();
        journal.append(List.of(record), false);
      }
    } catch (IOException e) {
      failed.incrementAndGet();
      LOG.warn("the purge journal can't be written: {}", e.toString());
    } finally {
      journalLock.unlock();
    }
  }

  private void reserveOrRewrite() throws IOException {
    long limit = sequences.wanted();
    if (journal.isSound()) {
      reserve(limit);
    } else {
      rewrite(limit);
    }
  }

  private void reserve(long limit) throws IOException {
    journal.append(List.of(JournalRecord.plain(JournalRecord.Type.RESERVED, limit)), true);
    sequences.reserved(limit);
  }

  /** Writes the journal anew from the table, with numbers reserved up to a limit. */
  private void rewrite(long limit) throws IOException {
    List<JournalRecord> records = new ArrayList<>();
    tableLock.lock();
    try {
      records.add(JournalRecord.plain(JournalRecord.Type.RESERVED, limit));
      if (retiredThrough > 0) {
        records.add(JournalRecord.plain(JournalRecord.Type.RETIRED, retiredThrough));
      }
      if (table.floorHard() > 0) {
        records.add(JournalRecord.plain(JournalRecord.Type.FLOOR_HARD, table.floorHard()));
      }
      if (table.floorSoft() > 0) {
        records.add(JournalRecord.plain(JournalRecord.Type.FLOOR_SOFT, table.floorSoft()));
      }
      long now = clockMillis.getAsLong();
      table.forEach((scope, hard, soft) -> {
        if (hard > 0) {
          records.add(entry(scope, hard, false, now));
        }
        if (soft > 0) {
          records.add(entry(scope, soft, true, now));
        }
      });
    } finally {
      tableLock.unlock();
    }
    journal.rewrite(records);
    rewrittenLength = journal.length();
    sequences.reserved(limit);
  }

  private static JournalRecord entry(long scope, long sequence, boolean soft, long millis) {
    return new JournalRecord(
        JournalRecord.Type.PURGE, 1, soft, sequence, millis, new long[] {scope}, "");
  }

  /** When the oldest purge that is still in the table was made; the far future if none is. */
  public long oldestMillis() {
    return oldestMillis;
  }

  public boolean isHalfFull() {
    return table.size() > table.capacity() / 2;
  }

  public int tableSize() {
    return table.size();
  }

  public int tableCapacity() {
    return table.capacity();
  }

  public long floor() {
    return table.floorHard();
  }

  public long retiredThrough() {
    return retiredThrough;
  }

  public long acknowledged() {
    return acknowledged.get();
  }

  public long failed() {
    return failed.get();
  }

  public long invalidations() {
    return invalidations.get();
  }

  /**
   * Sweeper: no record is left, and none can be installed any more, that purges up to this sequence
   * apply to. Losing the note of it in the journal costs a sweep, so it is not waited for.
   */
  public void retire(long through) {
    tableLock.lock();
    try {
      table.retire(through);
      retiredThrough = Math.max(retiredThrough, through);
      oldestMillis = table.size() == 0 ? Long.MAX_VALUE : clockMillis.getAsLong();
    } finally {
      tableLock.unlock();
    }
    note(JournalRecord.plain(JournalRecord.Type.RETIRED, through));
    onWork.run();
  }

  /** Leaves a record for the journal thread; past a bound it is dropped. */
  private void note(JournalRecord record) {
    if (lazyCount.incrementAndGet() <= LAZY_LIMIT) {
      lazy.add(record);
    } else {
      lazyCount.decrementAndGet();
    }
  }

  @Override
  public void close() throws IOException {
    work();
    journalLock.lock();
    try {
      journal.close();
    } finally {
      journalLock.unlock();
    }
  }
}
