package io.forebay.storage.purge;

import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.purge.Journal.Forced;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Purges and births: the journal, the table into which it is replayed, and the sequence that both
 * use.
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
 *       is acknowledged before it is in the table: a thread that waits for the lock meanwhile finds
 *       its outcome when it gets the lock, which orders this after the leader's write.
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
public final class Purges implements AutoCloseable, PurgeVerdicts {
  private static final int PREDICATE = PurgeKind.PATTERN.code();

  /**
   * How many predicates are in force at most. Each costs every lookup of something new a look at
   * its texts until memory has been swept, and each load from a disk until the disks have.
   */
  public static final int MAX_PREDICATES = 64;

  private static final Logger LOG = LoggerFactory.getLogger(Purges.class);

  /** The part of the table that invalidations caused by clients may fill. */
  private static final int CLIENT_SHARE = 8;

  private static final int LAZY_LIMIT = 4096;

  /** Bounds how much is written, and how long the first of a batch waits, before one fsync. */
  private static final int BATCH_LIMIT = ReplicatedPurges.MAX_BATCH;

  private final LongSupplier clockMillis;
  private final long compactBytes;
  private final Journal journal;
  private final PurgeTable table;
  private final SequenceAllocator sequences;
  private final PurgeMatcher.Compiler compiler;
  private final Runnable onWork;
  private final PurgeLog log = new PurgeLog();
  private final long undoMillis;

  /** Guarded by the table lock. */
  private final OpenSofts open;

  /** Guards the journal. Never taken by an event loop. */
  private final ReentrantLock journalLock = new ReentrantLock();

  /** Guards writing the table; held for memory operations only, so a loop may try it. */
  private final ReentrantLock tableLock = new ReentrantLock();

  /** Purges that wait for a leader, oldest first. */
  private final ConcurrentLinkedQueue<Order> line = new ConcurrentLinkedQueue<>();

  private final ConcurrentLinkedQueue<JournalRecord> lazy = new ConcurrentLinkedQueue<>();
  private final AtomicInteger lazyCount = new AtomicInteger();

  /** What clients invalidated while the table was being written. */
  private final ConcurrentLinkedQueue<Long> late = new ConcurrentLinkedQueue<>();

  private final AtomicInteger lateCount = new AtomicInteger();
  private final AtomicLong deferred = new AtomicLong();
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong invalidations = new AtomicLong();
  private final long foundReserved;
  private volatile boolean isActivated;
  private long rewrittenLength;
  private volatile long sequence;

  /** Counts what came into force; numbers may come into force out of order, this only grows. */
  private volatile long version;

  /** The least purge that has its number and is not yet in the table. Guarded by the table lock. */
  private long pending = Long.MAX_VALUE;

  private volatile @Nullable PurgePosition begun;
  private volatile @Nullable PurgePosition applied;
  private volatile long retiredThrough;
  private volatile long softRetiredThrough;

  /** Of soft purges that are not forgotten, the oldest. Guarded by the table lock. */
  private long oldestSoft = Long.MAX_VALUE;

  /** Memory has marks of purges that were undone. */
  private volatile boolean isReviewWanted;

  /** The newest undo, the one up to which marks are being looked at, and have been. */
  private volatile long newestUndo;

  private long reviewing;
  private volatile long reviewedThrough;

  private volatile long oldestMillis = Long.MAX_VALUE;

  public Purges(
      Path file,
      int tableCapacity,
      long compactBytes,
      LongSupplier clockMillis,
      SecureRandom random,
      PurgeMatcher.Compiler compiler,
      Runnable onWork)
      throws IOException {
    this(
        file,
        tableCapacity,
        compactBytes,
        clockMillis,
        random,
        compiler,
        onWork,
        Journal.Sync.DISK);
  }

  /**
   * Reads the journal and writes nothing: a start that fails after this leaves no trace in it.
   * {@link #activate} has to follow.
   *
   * @param undoMillis for how long soft purges can be undone; 0: never
   */
  public static Purges read(
      Path file,
      int tableCapacity,
      long compactBytes,
      long undoMillis,
      LongSupplier clockMillis,
      SecureRandom random,
      PurgeMatcher.Compiler compiler,
      Runnable onWork)
      throws IOException {
    return new Purges(
        file,
        tableCapacity,
        compactBytes,
        undoMillis,
        clockMillis,
        random,
        compiler,
        onWork,
        Journal.Sync.DISK,
        false);
  }

  Purges(
      Path file,
      int tableCapacity,
      long compactBytes,
      LongSupplier clockMillis,
      SecureRandom random,
      PurgeMatcher.Compiler compiler,
      Runnable onWork,
      Journal.Sync sync)
      throws IOException {
    this(file, tableCapacity, compactBytes, 0, clockMillis, random, compiler, onWork, sync, true);
  }

  private Purges(
      Path file,
      int tableCapacity,
      long compactBytes,
      long undoMillis,
      LongSupplier clockMillis,
      SecureRandom random,
      PurgeMatcher.Compiler compiler,
      Runnable onWork,
      Journal.Sync sync,
      boolean isActive)
      throws IOException {
    this.clockMillis = clockMillis;
    this.compiler = compiler;
    this.compactBytes = compactBytes;
    this.undoMillis = undoMillis;
    this.onWork = onWork;
    this.journal = Journal.open(file, random, sync);
    this.table = new PurgeTable(tableCapacity);
    this.open = new OpenSofts(table);
    JournalReader.Contents found = journal.found();
    if (!found.note().isEmpty()) {
      LOG.warn("{}", found.note());
    }
    for (JournalRecord record : found.records()) {
      if (record.type() == JournalRecord.Type.RETIRED) {
        retiredThrough = Math.max(retiredThrough, record.retiredHard());
        softRetiredThrough = Math.max(softRetiredThrough, record.sequence());
      }
    }
    for (JournalRecord record : found.records()) {
      replay(record);
    }
    this.foundReserved = found.highest();
    this.sequences = new SequenceAllocator(found.highest() + 1, onWork);
    if (isActive) {
      boolean done = false;
      try {
        activate();
        done = true;
      } finally {
        if (!done) {
          journal.close();
        }
      }
    }
  }

  /**
   * Reserves the first numbers, and writes the journal anew if it has to be. What was only {@link
   * #read} has this before it is used.
   */
  public void activate() throws IOException {
    journalLock.lock();
    try {
      if (!journal.isSound() || journal.length() > compactBytes) {
        rewrite(sequences.wanted());
      } else {
        reserve(sequences.wanted());
      }
      isActivated = true;
    } finally {
      journalLock.unlock();
    }
  }

  private void replay(JournalRecord record) {
    switch (record.type()) {
      case RESERVED, RETIRED -> {}
      case POSITION -> {
        followed(record.position());
        applied = record.position();
        begun = applied;
      }
      case FLOOR_REVALIDATE -> {
        table.raiseRevalidate(record.sequence());
        if (!record.text().isEmpty()) {
          log.add(record, true);
        }
      }
      case FLOOR_HARD -> table.raiseHard(record.sequence());
      case FLOOR_SOFT -> table.raiseSoft(record.sequence());
      case PURGE -> {
        boolean isFloor = record.scopes().length == 0 && record.kind() != PREDICATE;
        long retired = record.soft() ? softRetiredThrough : retiredThrough;
        if (isFloor || record.sequence() > retired || record.isUndo()) {
          enter(record);
        }
        if (record.sequence() > retired) {
          oldestMillis = Math.min(oldestMillis, record.millis());
        }
        // What clients invalidated has no text, and nobody was told its number.
        if (!record.text().isEmpty()) {
          log.add(record, true);
        }
      }
    }
    if (record.type() != JournalRecord.Type.RESERVED
        && record.type() != JournalRecord.Type.RETIRED) {
      sequence = Math.max(sequence, record.sequence());
    }
  }

  /** The purges of another log have other revisions. */
  private void followed(@Nullable PurgePosition position) {
    PurgePosition before = applied;
    if (before != null && position != null && !before.isSameLog(position)) {
      open.clear();
    }
  }

  private boolean enter(JournalRecord record) {
    if (record.type() == JournalRecord.Type.FLOOR_REVALIDATE) {
      table.raiseRevalidate(record.sequence());
      return true;
    }
    if (record.isUndo()) {
      for (long undone : open.named(record)) {
        open.undo(undone);
        log.undone(undone, record.sequence());
      }
      newestUndo = Math.max(newestUndo, record.sequence());
      isReviewWanted = true;
      return true;
    }
    if (OpenSofts.canBeUndone(record)) {
      open.add(record);
    }
    if (record.soft()) {
      oldestSoft = Math.min(oldestSoft, record.sequence());
    }
    if (!enterPurge(record)) {
      // The floor that stands for all of the table cannot be undone.
      open.clear();
      return false;
    }
    return true;
  }

  private boolean enterPurge(JournalRecord record) {
    if (record.kind() == PREDICATE) {
      PurgeMatcher matcher;
      try {
        matcher = compiler.compile(record.text());
      } catch (IllegalArgumentException e) {
        LOG.warn(
            "the journal's predicate \"{}\" cannot be read ({}): all objects stored before it count"
                + " as purged",
            record.text(),
            e.getMessage());
        table.raiseHard(record.sequence());
        return true;
      }
      table.put(new ActivePredicates.Predicate(record, matcher));
      return true;
    }
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

  /** Up to where numbers were reserved before this start, which has reserved more. */
  public long foundReserved() {
    return foundReserved;
  }

  /** Up to where numbers are reserved. */
  public long reserved() {
    return sequences.limit();
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
      unlockTable();
    }
  }

  /** A purge with a waiting caller. Its result is written and read under the lock. */
  private static final class Order {
    final JournalRecord.Type type;
    final int kind;
    final boolean soft;
    final long[] scopes;
    final String text;
    final long revision;
    long number;
    boolean isDone;
    boolean isRefused;
    @Nullable IOException failure;

    Order(
        JournalRecord.Type type,
        int kind,
        boolean soft,
        long[] scopes,
        String text,
        long revision) {
      this.type = type;
      this.kind = kind;
      this.soft = soft;
      this.scopes = scopes;
      this.text = text;
      this.revision = revision;
    }

    boolean isUndo() {
      return kind == PurgeKind.UNDO.code();
    }
  }

  /** See {@link ReplicatedPurges#apply}. */
  long[] apply(List<Purge> batch, PurgePosition position) throws IOException, PurgesFullException {
    if (batch.size() > BATCH_LIMIT) {
      throw new IllegalArgumentException(
          "a batch of " + batch.size() + " purges; at most " + BATCH_LIMIT);
    }
    List<Order> orders = new ArrayList<>(batch.size());
    int patterns = 0;
    for (Purge purge : batch) {
      orders.add(
          order(purge.kind().code(), purge.scopes(), purge.soft(), purge.text(), purge.revision()));
      patterns += purge.kind() == PurgeKind.PATTERN ? 1 : 0;
    }
    journalLock.lock();
    try {
      PurgePosition before = applied;
      if (before == null || !position.isSameLog(before) || before.reaches(position)) {
        throw new IllegalArgumentException(
            "the position " + position + " does not follow " + before + ": skip to it");
      }
      if (patterns > 0 && table.predicates().size() + patterns > MAX_PREDICATES) {
        throw full();
      }
      enactNow(orders, position, Forced.FIRST);
    } finally {
      journalLock.unlock();
    }
    return orders.stream().mapToLong(order -> order.number).toArray();
  }

  /** See {@link ReplicatedPurges#skipTo}. */
  long skipTo(PurgePosition position, PurgeGap gap) throws IOException {
    boolean isRevalidated = gap == PurgeGap.REVALIDATE;
    Order floor =
        new Order(
            isRevalidated ? JournalRecord.Type.FLOOR_REVALIDATE : JournalRecord.Type.PURGE,
            PurgeKind.EVERYTHING.code(),
            isRevalidated,
            NO_SCOPES,
            "purges missed before " + position,
            0);
    journalLock.lock();
    try {
      enactNow(List.of(floor), position, Forced.BOTH);
    } finally {
      journalLock.unlock();
    }
    return floor.number;
  }

  /** See {@link ReplicatedPurges#mirror}. */
  void mirror() throws IOException {
    journalLock.lock();
    try {
      if (journal.isSound()) {
        journal.mirror();
      } else {
        rewrite(sequences.limit());
      }
    } finally {
      journalLock.unlock();
    }
  }

  private void enactNow(List<Order> orders, PurgePosition position, Forced forced)
      throws IOException {
    IOException failure = enact(orders, position, forced);
    if (failure != null) {
      throw failure;
    }
  }

  /** See {@link ReplicatedPurges#begun}. */
  @Nullable PurgePosition begun() {
    return begun;
  }

  /** See {@link ReplicatedPurges#applied}. */
  @Nullable PurgePosition applied() {
    return applied;
  }

  private Order order(int kind, long[] scopes, boolean soft, String text, long revision) {
    if (scopes.length > JournalRecord.MAX_SCOPES) {
      throw new IllegalArgumentException(
          "a purge of " + scopes.length + " scopes; at most " + JournalRecord.MAX_SCOPES);
    }
    if (kind == PREDICATE) {
      PurgeMatcher ignored = compiled(text);
    } else if ((scopes.length == 0) != (kind == PurgeKind.EVERYTHING.code())) {
      throw new IllegalArgumentException("these scopes do not match this kind of purge");
    }
    return new Order(JournalRecord.Type.PURGE, kind, soft, scopes, text, revision);
  }

  private static PurgesFullException full() {
    return new PurgesFullException(
        MAX_PREDICATES
            + " purges by pattern are in force until the store is swept for them: wait, or"
            + " purge by prefix, tag or host");
  }

  /**
   * Journals a purge and puts it in force; returns its sequence once both are done.
   *
   * @throws PurgesFullException when it is one predicate too many: nothing was purged
   * @throws IllegalArgumentException when its text is no predicate
   */
  public long purge(int kind, long[] scopes, boolean soft, String text)
      throws IOException, PurgesFullException {
    Order own = order(kind, scopes, soft, text, 0);
    await(own);
    if (own.isRefused) {
      throw full();
    }
    return own.number;
  }

  private void await(Order own) throws IOException {
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
      // The leader of the group got this exception; each other caller gets its own.
      throw new IOException(own.failure.getMessage(), own.failure);
    }
  }

  /**
   * Takes back a soft purge: journals this and puts it in force, as a purge. What it alone had made
   * stale is as it was, once memory has been looked through. Hard purges stay as they are, and so
   * does what has been fetched or validated since.
   *
   * @return the number of the undo
   */
  public long undo(long purge) throws IOException, UndoRefusedException {
    PurgeLog.Entry known = log.find(purge);
    PurgeKind kind = known == null ? null : PurgeKind.of(known.kind());
    String text =
        known == null || kind == null ? "" : purge + " " + kind.label() + " " + known.text();
    Order own = order(PurgeKind.UNDO.code(), JournalRecord.undo(purge, 0), true, cut(text), 0);
    await(own);
    if (own.isRefused) {
      throw new UndoRefusedException(refusal(purge));
    }
    return own.number;
  }

  /** A text in a record is not a half of what it should be. */
  private static String cut(String text) {
    return text.length() <= JournalRecord.MAX_TEXT / 4
        ? text
        : text.substring(0, JournalRecord.MAX_TEXT / 4);
  }

  private UndoRefusedException.Why refusal(long purge) {
    PurgeLog.Entry known = log.find(purge);
    if (known == null) {
      return UndoRefusedException.Why.UNKNOWN;
    }
    if (known.kind() == PurgeKind.UNDO.code()) {
      return UndoRefusedException.Why.NO_PURGE;
    }
    if (!known.soft()) {
      return UndoRefusedException.Why.HARD;
    }
    return known.undoneBy() > 0 ? UndoRefusedException.Why.UNDONE : UndoRefusedException.Why.CLOSED;
  }

  /** Whether a soft purge can be undone now. */
  public boolean isOpen(long purge) {
    tableLock.lock();
    try {
      return open.has(purge);
    } finally {
      unlockTable();
    }
  }

  /** How many soft purges from a revision of the log can be undone now. */
  int openAt(long revision) {
    tableLock.lock();
    try {
      return open.ofRevision(revision).size();
    } finally {
      unlockTable();
    }
  }

  private PurgeMatcher compiled(String text) {
    if (text.getBytes(StandardCharsets.UTF_8).length > JournalRecord.MAX_TEXT) {
      throw new IllegalArgumentException("longer than " + JournalRecord.MAX_TEXT + " bytes");
    }
    return compiler.compile(text);
  }

  /** Asks what a purge would match, without making it. */
  public PurgeProbe probe(int kind, long[] scopes, boolean soft, String text) {
    PurgeTable asked = new PurgeTable(Math.max(16, scopes.length));
    if (kind == PREDICATE) {
      JournalRecord order =
          new JournalRecord(JournalRecord.Type.PURGE, kind, soft, Long.MAX_VALUE, 0, scopes, text);
      asked.put(new ActivePredicates.Predicate(order, compiled(text)));
    } else if (scopes.length == 0 && soft) {
      asked.raiseSoft(Long.MAX_VALUE);
    } else if (scopes.length == 0) {
      asked.raiseHard(Long.MAX_VALUE);
    }
    for (long scope : kind == PREDICATE ? NO_SCOPES : scopes) {
      boolean ignored = asked.put(scope, Long.MAX_VALUE, soft);
    }
    return new PurgeProbe(table, asked, soft);
  }

  /** Purges that wait to be taken on. */
  int waiting() {
    return line.size();
  }

  /** Brings about what the first in line have asked for; all of it, or nothing where that fails. */
  private void lead() {
    List<Order> batch = new ArrayList<>();
    Set<Long> undone = new HashSet<>();
    Order next;
    int predicates = table.predicates().size();
    while (batch.size() < BATCH_LIMIT && (next = line.poll()) != null) {
      boolean isRefused =
          next.isUndo()
              ? !isOpen(next.scopes[0]) || !undone.add(next.scopes[0])
              : next.kind == PREDICATE && ++predicates > MAX_PREDICATES;
      if (isRefused) {
        next.isRefused = true;
        next.isDone = true;
      } else {
        batch.add(next);
      }
    }
    if (!batch.isEmpty()) {
      IOException ignored = enact(batch, null, Forced.BOTH);
    }
  }

  /**
   * Numbers purges, makes them durable and puts them in force: all of a batch, or none.
   *
   * @param position where the batch ends in the log that it is from; null where it is from none
   * @param forced the copies of the journal that must have it by then
   * @return why none is in force; null when all are
   */
  private @Nullable IOException enact(
      List<Order> batch, @Nullable PurgePosition position, Forced forced) {
    IOException failure = new IOException("the purge was abandoned");
    try {
      if (position != null) {
        begun = position;
      }
      List<JournalRecord> records = number(batch);
      if (position != null) {
        // Last, so that what is torn off an append takes the position with it.
        records.add(JournalRecord.position(position));
      }
      if (!journal.isSound()
          || journal.length() > Math.max(compactBytes, 2 * rewrittenLength)
          || (position != null && !journal.takesPositions())) {
        rewrite(sequences.limit());
      }
      journal.append(records, forced);
      for (int i = 0; i < batch.size(); i++) {
        publish(records.get(i));
        batch.get(i).isDone = true;
        acknowledged.incrementAndGet();
      }
      if (position != null) {
        follow(position);
      }
      return null;
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
    return failure;
  }

  private void follow(PurgePosition position) {
    tableLock.lock();
    try {
      followed(position);
    } finally {
      unlockTable();
    }
    applied = position;
  }

  private List<JournalRecord> number(List<Order> batch) throws IOException {
    List<JournalRecord> records = new ArrayList<>(batch.size() + 1);
    for (Order order : batch) {
      order.number = begin();
      records.add(
          new JournalRecord(
              order.type,
              order.kind,
              order.soft,
              order.number,
              clockMillis.getAsLong(),
              order.scopes,
              order.text,
              origin(order)));
    }
    return records;
  }

  private long origin(Order order) {
    boolean canBeUndone =
        undoMillis > 0 && order.type == JournalRecord.Type.PURGE && order.soft && !order.isUndo();
    return canBeUndone ? order.revision : JournalRecord.NO_ORIGIN;
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
        unlockTable();
      }
      reserveOrRewrite();
    }
  }

  private void settle() {
    tableLock.lock();
    try {
      pending = Long.MAX_VALUE;
    } finally {
      unlockTable();
    }
  }

  private void publish(JournalRecord record) {
    tableLock.lock();
    try {
      if (!enter(record)) {
        LOG.warn(
            "the purge table was full: all objects stored before purge {} are gone",
            record.sequence());
        note(JournalRecord.plain(JournalRecord.Type.FLOOR_HARD, table.floorHard()));
      }
      oldestMillis = Math.min(oldestMillis, record.millis());
      log.add(record, false);
      sequence = Math.max(sequence, record.sequence());
      raiseVersion();
    } finally {
      unlockTable();
    }
  }

  /**
   * An invalidation caused by a client, journalled later: in force at once, or, while another
   * thread writes the table, as soon as that thread has finished. Never waits. Returns false
   * without effect if the limit of such invalidations is reached.
   */
  public boolean invalidate(long scope) {
    if (tableLock.tryLock()) {
      try {
        return enterInvalidation(scope);
      } finally {
        unlockTable();
      }
    }
    if (lateCount.incrementAndGet() > LAZY_LIMIT) {
      lateCount.decrementAndGet();
      return false;
    }
    deferred.incrementAndGet();
    late.add(scope);
    // The previous lock holder may have checked for late scopes before this one was added.
    if (tableLock.tryLock()) {
      unlockTable();
    }
    return true;
  }

  /**
   * The same by a request whose own response takes the place of what it kills. Gives the birth of
   * that response: younger than the invalidation, which spares it, and older than any purge that
   * comes into force later. -1 where the response must not be stored: a purge may apply to what was
   * requested then, or that can't be told at once; whether anything was invalidated is open then.
   *
   * @param scopes of the response
   * @param requested a birth taken before the request was sent
   */
  public long replace(long scope, long[] scopes, long requested) {
    if (!tableLock.tryLock()) {
      return -1;
    }
    try {
      // Purges take their numbers under this lock: all that are below the birth are in the table.
      boolean isUnpurged =
          pending == Long.MAX_VALUE
              && table.check(scopes, requested, requested) == ALIVE
              && !table.predicates().mayApply(scopes, requested, requested);
      return isUnpurged && enterInvalidation(scope) ? sequences.take() : -1;
    } finally {
      unlockTable();
    }
  }

  /** Under the table's lock. */
  private boolean enterInvalidation(long scope) {
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
        new JournalRecord(JournalRecord.Type.PURGE, 1, false, number, now, new long[] {scope}, ""));
    invalidations.incrementAndGet();
    return true;
  }

  /** First does the deferred work of other threads; a thread that defers too late checks itself. */
  private void unlockTable() {
    do {
      for (Long scope = late.poll(); scope != null; scope = late.poll()) {
        lateCount.decrementAndGet();
        boolean ignored = enterInvalidation(scope);
      }
      tableLock.unlock();
    } while (!late.isEmpty() && tableLock.tryLock());
  }

  /**
   * What became of a head record in mapped memory: {@link #ALIVE}, {@link #REVALIDATE}, {@link
   * #STALE}, {@link #DEAD}.
   */
  public int check(MemorySegment memory, long record) {
    return table.check(memory, record);
  }

  /**
   * The same of a record in the memory tier that a lane found: memory is swept for predicates long
   * before they are forgotten, and then a lookup need not ask them.
   *
   * @param seen what {@link #newestPredicate} was when the lane looked last, 0 for never
   */
  public int checkFound(MemorySegment memory, long record, long seen) {
    return table.check(memory, record, table.unswept(), seen);
  }

  /** The newest predicate that lookups have to ask. Read before {@link #checkFound}. */
  public long newestPredicate() {
    return table.unswept().newest();
  }

  @Override
  public int check(long[] scopes, long birth, long bodyBirth) {
    return table.check(scopes, birth, bodyBirth);
  }

  /**
   * Whether one of the soft purges that are being forgotten matches a head record that is stale:
   * then it is stale for good.
   */
  public boolean isClosing(MemorySegment memory, long record) {
    return table.isClosing(memory, record);
  }

  /** What the sweep of a disk finds: soft purges that can still be undone do not count. */
  public int checkSwept(MemorySegment memory, long record) {
    return table.checkSwept(memory, record);
  }

  /** The same by scopes alone. */
  public int checkSwept(long[] scopes, long birth, long bodyBirth) {
    return table.checkSwept(scopes, birth, bodyBirth);
  }

  /** Whether the sweep of a disk has to ask predicates, for which the record has to be read. */
  public boolean wantsTextsSwept(long[] scopes, long birth, long bodyBirth) {
    return table.wantsTextsSwept(scopes, birth, bodyBirth);
  }

  /** Whether predicates have to be asked, for which the record has to be read. */
  public boolean wantsTexts(long[] scopes, long birth, long bodyBirth) {
    return table.predicates().mayApply(scopes, birth, bodyBirth);
  }

  @Override
  public int check(
      long[] scopes, long birth, long bodyBirth, byte[] keyText, int keyLength, byte[] head) {
    int fate = table.check(scopes, birth, bodyBirth);
    return fate == DEAD
        ? DEAD
        : Math.max(
            fate, table.predicates().check(scopes, birth, bodyBirth, keyText, keyLength, head));
  }

  /**
   * Counts an object for the receipt of the purge that matched it; the caller ensures that it is
   * not found again.
   */
  public void count(MemorySegment memory, long record, int fate) {
    if (memory.get(Layouts.INT, record + RecordHeader.KIND_OFFSET) == RecordHeader.KIND_OBJECT) {
      log.count(
          table.purgeSequenceOf(memory, record, fate),
          memory.get(Layouts.LONG, record + HeadRecord.TOTAL_LENGTH_OFFSET));
    }
  }

  /** The same where only scopes are known. */
  public void count(long[] scopes, long birth, long bodyBirth, int fate, long bodyBytes) {
    log.count(table.purgeSequenceOf(scopes, birth, bodyBirth, fate), bodyBytes);
  }

  public PurgeLog log() {
    return log;
  }

  /** Whether a stale head that was born then is validated before each use, with no allowance. */
  public boolean mustValidate(long birth) {
    return birth < table.floorRevalidate();
  }

  /** By two of its scopes alone, 0 for none: dead for sure, or not known. */
  public int check(long scope0, long scope1, long birth) {
    return table.check(scope0, scope1, birth);
  }

  private static final long[] NO_SCOPES = {};

  public static final int ALIVE = PurgeTable.ALIVE;
  public static final int REVALIDATE = PurgeTable.REVALIDATE;
  public static final int STALE = PurgeTable.STALE;
  public static final int DEAD = PurgeTable.DEAD;

  /** Journal thread: reserves numbers ahead and writes what was left for later. */
  public void work() {
    if (!isActivated || (!sequences.isLow() && lazy.isEmpty())) {
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
        journal.append(List.of(record), Forced.LATER);
      }
    } catch (IOException e) {
      failed.incrementAndGet();
      LOG.warn("the purge journal cannot be written: {}", e.toString());
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
    journal.append(List.of(JournalRecord.plain(JournalRecord.Type.RESERVED, limit)), Forced.BOTH);
    sequences.reserved(limit);
  }

  /** Writes the journal anew from the table, with numbers reserved up to a limit. */
  private void rewrite(long limit) throws IOException {
    List<JournalRecord> records = new ArrayList<>();
    tableLock.lock();
    try {
      records.add(JournalRecord.plain(JournalRecord.Type.RESERVED, limit));
      if (retiredThrough > 0) {
        records.add(JournalRecord.retired(retiredThrough, softRetiredThrough));
      }
      if (table.floorHard() > 0) {
        records.add(JournalRecord.plain(JournalRecord.Type.FLOOR_HARD, table.floorHard()));
      }
      long floorSoft = open.floorBelow(table.floorSoft());
      if (floorSoft > 0) {
        records.add(JournalRecord.plain(JournalRecord.Type.FLOOR_SOFT, floorSoft));
      }
      if (table.floorRevalidate() > 0) {
        records.add(
            JournalRecord.plain(JournalRecord.Type.FLOOR_REVALIDATE, table.floorRevalidate()));
      }
      ActivePredicates predicates = table.predicates();
      for (int n = 0; n < predicates.size(); n++) {
        records.add(predicates.get(n).order());
      }
      long now = clockMillis.getAsLong();
      table.forEach((scope, hard, soft) -> {
        if (hard > 0) {
          records.add(entry(scope, hard, false, now));
        }
        long closed = open.below(scope, soft);
        if (closed > 0) {
          records.add(entry(scope, closed, true, now));
        }
      });
      // Last and whole: read again, they take the places of what stands above.
      records.addAll(open.orders());
    } finally {
      unlockTable();
    }
    PurgePosition position = applied;
    if (position != null) {
      records.add(JournalRecord.position(position));
    }
    journal.rewrite(records, begun != null);
    rewrittenLength = journal.length();
    sequences.reserved(limit);
  }

  private JournalRecord entry(long scope, long sequence, boolean soft, long now) {
    PurgeLog.Entry known = log.find(sequence);
    return new JournalRecord(
        JournalRecord.Type.PURGE,
        known == null ? 1 : known.kind(),
        soft,
        sequence,
        known == null ? now : known.millis(),
        new long[] {scope},
        known == null ? "" : known.text());
  }

  /** When the oldest purge that is still in the table was made; the far future if none is. */
  public long oldestMillis() {
    return oldestMillis;
  }

  public boolean isHalfFull() {
    return table.size() > table.capacity() / 2 || predicateCount() > MAX_PREDICATES / 2;
  }

  /** Predicates that are not forgotten yet. */
  public int predicateCount() {
    return table.predicates().size();
  }

  /** The oldest predicate that memory has not been swept for; the far future if there is none. */
  public long oldestUnswept() {
    ActivePredicates unswept = table.unswept();
    return unswept.size() == 0 ? Long.MAX_VALUE : unswept.get(0).sequence();
  }

  /**
   * Sweeper: nothing in memory is left that predicates up to this sequence match, and nothing such
   * can come to be there: what is installed or brought in from a disk is asked for all of them.
   */
  public void sweptMemory(long through) {
    tableLock.lock();
    try {
      table.sweptMemory(through);
    } finally {
      unlockTable();
    }
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

  /** The same of soft purges, which are kept for longer, as they may be undone. */
  public long softRetiredThrough() {
    return softRetiredThrough;
  }

  /**
   * Sweeper: up to where soft purges would be forgotten now, by a sweep of purges up to a number.
   */
  public long closable(long through, long nowMillis) {
    tableLock.lock();
    try {
      long first = isHalfFull() ? Long.MAX_VALUE : open.firstAfter(nowMillis - undoMillis);
      return Math.max(softRetiredThrough, Math.min(through, first - 1));
    } finally {
      unlockTable();
    }
  }

  /** Sweeper: whether a soft purge up to a number is not forgotten yet. */
  public boolean hasSoft(long through) {
    tableLock.lock();
    try {
      return oldestSoft <= through;
    } finally {
      unlockTable();
    }
  }

  /** Sweeper: soft purges up to a number can't be undone from here on, and are to be forgotten. */
  public void close(long softThrough) {
    tableLock.lock();
    try {
      table.closing(open.close(softThrough));
    } finally {
      unlockTable();
    }
  }

  /**
   * Sweeper: a number above another, and below that of any purge to come; the number itself where
   * purges are on their way. A disk that is to be swept again is told a new number.
   */
  public long beyond(long swept) {
    tableLock.lock();
    try {
      return pending == Long.MAX_VALUE && sequences.take() > swept ? swept + 1 : swept;
    } finally {
      unlockTable();
    }
  }

  /** Sweeper: whether memory has marks of purges that were undone; asked once for each sweep. */
  public boolean isReviewWanted() {
    return isReviewWanted;
  }

  /** Sweeper: begins to look at all marks. */
  public void review() {
    isReviewWanted = false;
    reviewing = newestUndo;
  }

  /** Sweeper: all marks have been looked at. */
  public void reviewed() {
    reviewedThrough = reviewing;
  }

  /** What undos up to this one have taken back is fresh again. */
  public long reviewedThrough() {
    return reviewedThrough;
  }

  public long acknowledged() {
    return acknowledged.get();
  }

  public long failed() {
    return failed.get();
  }

  /** Invalidations that found the table being written, and so took their number a little late. */
  public long deferred() {
    return deferred.get();
  }

  public long invalidations() {
    return invalidations.get();
  }

  /**
   * Sweeper: no record is left, and none can be installed any more, that purges up to this sequence
   * apply to. Losing the note of it in the journal costs a sweep, so it is not waited for.
   *
   * @param softThrough the same for soft purges, at most {@code through}
   */
  public void retire(long through, long softThrough) {
    tableLock.lock();
    try {
      oldestSoft = table.retire(through, softThrough);
      retiredThrough = Math.max(retiredThrough, through);
      softRetiredThrough = Math.max(softRetiredThrough, softThrough);
      oldestMillis =
          table.size() == 0 && predicateCount() == 0 ? Long.MAX_VALUE : clockMillis.getAsLong();
    } finally {
      unlockTable();
    }
    note(JournalRecord.retired(through, softThrough));
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
