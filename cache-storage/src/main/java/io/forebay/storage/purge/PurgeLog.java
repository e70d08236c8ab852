package io.forebay.storage.purge;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The most recent purges and the progress of their sweeps, for status queries. Bounded: the oldest
 * are dropped. Any thread; counting takes no lock.
 */
public final class PurgeLog {
  static final int MAX = 1000;

  /** One purge. What it matched is counted as it is found: by lookups, sweeps and reclaim. */
  public static final class Entry {
    private final long id;
    private final int kind;
    private final boolean soft;
    private final long millis;
    private final int scopes;
    private final String text;
    private final boolean isFromJournal;
    private final LongAdder objects = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private volatile long undoneBy;
    private volatile long objectsAtOnce = -1;
    private volatile long bytesAtOnce = -1;

    private Entry(JournalRecord record, int scopes, boolean isFromJournal) {
      this.id = record.sequence();
      this.kind = record.kind();
      this.soft = record.soft();
      this.millis = record.millis();
      this.scopes = scopes;
      this.text = record.text();
      this.isFromJournal = isFromJournal;
    }

    public long id() {
      return id;
    }

    public int kind() {
      return kind;
    }

    public boolean soft() {
      return soft;
    }

    public long millis() {
      return millis;
    }

    public int scopes() {
      return scopes;
    }

    /** Empty where the journal does not have it any more. */
    public String text() {
      return text;
    }

    /** Whether it was made before this start: then what it matched until then is not known. */
    public boolean isFromJournal() {
      return isFromJournal;
    }

    /** What was found to be matched so far. */
    public long objects() {
      return Math.max(objects.sum(), objectsAtOnce);
    }

    public long bytes() {
      return Math.max(bytes.sum(), bytesAtOnce);
    }

    /** The number of the undo that took it back; 0 for none. */
    public long undoneBy() {
      return undoneBy;
    }

    /** Whether it was counted when it was made. */
    public boolean isCountedAtOnce() {
      return objectsAtOnce >= 0;
    }
  }

  private final ConcurrentHashMap<Long, Entry> byId = new ConcurrentHashMap<>();

  /** Oldest first. Guarded by this. */
  private final Deque<Entry> order = new ArrayDeque<>();

  synchronized void add(JournalRecord record, boolean isFromJournal) {
    Entry known = byId.get(record.sequence());
    // A journal that was written anew has a record a scope.
    int scopes = record.scopes().length + (known == null ? 0 : known.scopes);
    Entry added = new Entry(record, scopes, isFromJournal);
    if (known != null) {
      boolean ignored = order.remove(known);
    }
    byId.put(added.id, added);
    order.addLast(added);
    if (order.size() > MAX) {
      byId.remove(order.removeFirst().id);
    }
  }

  /** An object was found that a purge matches, and will not be found as such again. */
  void count(long id, long bodyBytes) {
    Entry entry = byId.get(id);
    if (entry != null) {
      entry.objects.increment();
      entry.bytes.add(bodyBytes);
    }
  }

  /** A purge is taken back. */
  void undone(long id, long by) {
    Entry entry = byId.get(id);
    if (entry != null) {
      entry.undoneBy = by;
    }
  }

  /** All that a purge matches has been counted when it was made. */
  public void countedAtOnce(long id, long objects, long bytes) {
    Entry entry = byId.get(id);
    if (entry != null) {
      entry.bytesAtOnce = bytes;
      entry.objectsAtOnce = objects;
    }
  }

  public @Nullable Entry find(long id) {
    return byId.get(id);
  }

  /** At most so many, newest first. */
  public synchronized List<Entry> latest(int most) {
    List<Entry> latest = new ArrayList<>();
    var newestFirst = order.descendingIterator();
    while (newestFirst.hasNext() && latest.size() < most) {
      latest.add(newestFirst.next());
    }
    return latest;
  }
}
