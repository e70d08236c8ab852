package io.forebay.storage.purge;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The soft purges that can be undone. The table has one number for a scope, that of the newest soft
 * purge. Each purge here remembers, for each of its scopes, the number that it took the place of:
 * an undo takes a purge out of such a chain. It never touches the numbers of hard purges.
 *
 * <pre>
 *   table      purges here
 *   scope a ─▶ 17 ─before─▶ 12 ─before─▶ 4 ─▶ 0        undo of 12:  a ─▶ 17 ─▶ 4
 *   scope b ─▶ 12 ─before─▶ 9                                       b ─▶ 9
 * </pre>
 *
 * <p>Bounded: beyond {@link #MAX} purges or {@link #MAX_SCOPES} scopes the oldest cannot be undone
 * any more, and stays in force. Guarded by the lock of the table.
 */
final class OpenSofts {
  static final int MAX = 1000;
  static final int MAX_SCOPES = 1 << 16;

  /** A purge; {@code before} as its scopes, or one number for everything, or none of a pattern. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Open(JournalRecord order, long[] before) {
    boolean isPattern() {
      return order.kind() == PurgeKind.PATTERN.code();
    }

    boolean isEverything() {
      return order.scopes().length == 0 && !isPattern();
    }
  }

  private final PurgeTable table;
  private final TreeMap<Long, Open> bySequence = new TreeMap<>();
  private int scopes;

  OpenSofts(PurgeTable table) {
    this.table = table;
  }

  static boolean canBeUndone(JournalRecord order) {
    return order.soft() && order.origin() != JournalRecord.NO_ORIGIN && !order.isUndo();
  }

  /** Before the table has it, in the order of the numbers. */
  void add(JournalRecord order) {
    Open added = new Open(order, before(order));
    if (bySequence.put(order.sequence(), added) == null) {
      scopes += order.scopes().length;
    }
    while (bySequence.size() > MAX || scopes > MAX_SCOPES) {
      drop(bySequence.firstKey());
    }
  }

  private long[] before(JournalRecord order) {
    if (order.kind() == PurgeKind.PATTERN.code()) {
      return new long[0];
    }
    return order.scopes().length == 0
        ? new long[] {older(table.floorSoft(), order)}
        : Arrays.stream(order.scopes()).map(scope -> older(table.soft(scope), order)).toArray();
  }

  /** A chain leads to smaller numbers alone, whatever the journal holds. */
  private static long older(long number, JournalRecord order) {
    return number < order.sequence() ? number : 0;
  }

  boolean has(long sequence) {
    return bySequence.containsKey(sequence);
  }

  /** The purges that an undo names. */
  List<Long> named(JournalRecord undo) {
    long sequence = undo.scopes()[0];
    long revision = undo.scopes()[1];
    if (revision > 0) {
      return ofRevision(revision);
    }
    return has(sequence) ? List.of(sequence) : List.of();
  }

  /** Those that are from a revision of the log of purges. */
  List<Long> ofRevision(long revision) {
    List<Long> found = new ArrayList<>();
    for (Open one : bySequence.values()) {
      if (one.order().origin() == revision) {
        found.add(one.order().sequence());
      }
    }
    return found;
  }

  /** Takes a purge out of the table, as if it had never been made. */
  void undo(long sequence) {
    Open undone = drop(sequence);
    if (undone == null) {
      return;
    }
    if (undone.isPattern()) {
      table.remove(sequence);
    } else if (undone.isEverything()) {
      undoEverything(sequence, undone.before()[0]);
    } else {
      for (int n = 0; n < undone.before().length; n++) {
        undo(undone.order().scopes()[n], sequence, undone.before()[n]);
      }
    }
  }

  private void undoEverything(long sequence, long before) {
    for (Open later : bySequence.tailMap(sequence).values()) {
      if (later.isEverything()) {
        later.before()[0] = before;
        return;
      }
    }
    table.lowerSoft(sequence, before);
  }

  private void undo(long scope, long sequence, long before) {
    for (Open later : bySequence.tailMap(sequence).values()) {
      for (int n = 0; n < later.before().length && !later.isEverything(); n++) {
        if (later.order().scopes()[n] == scope) {
          later.before()[n] = before;
          return;
        }
      }
    }
    table.lowerSoft(scope, sequence, before);
  }

  /** What the table would have of a scope, as the table spells it, without all that are here. */
  long below(long scope, long soft) {
    long found = soft;
    for (Open open = bySequence.get(found); open != null; open = bySequence.get(found)) {
      found = 0;
      for (int n = 0; n < open.before().length && !open.isEverything(); n++) {
        if (PurgeTable.nonZero(open.order().scopes()[n]) == scope) {
          found = Math.max(found, open.before()[n]);
        }
      }
    }
    return found;
  }

  /** The floor below all of everything that are here. */
  long floorBelow(long floor) {
    long found = floor;
    for (Open open = bySequence.get(found); open != null; open = bySequence.get(found)) {
      found = open.before()[0];
    }
    return found;
  }

  /** Those that are no patterns, as they stand in the journal. */
  List<JournalRecord> orders() {
    return bySequence.values().stream().filter(one -> !one.isPattern()).map(Open::order).toList();
  }

  /** The least number of those that were made after a time; above all where there is none. */
  long firstAfter(long millis) {
    for (Open one : bySequence.values()) {
      if (one.order().millis() > millis) {
        return one.order().sequence();
      }
    }
    return Long.MAX_VALUE;
  }

  /** Those up to a number cannot be undone from here on. */
  ClosingSofts close(long limit) {
    dropThrough(limit);
    Map<Long, Long> hidden = new HashMap<>();
    for (Open one : bySequence.values()) {
      for (int n = 0; n < one.before().length && !one.isEverything(); n++) {
        if (one.before()[n] > 0 && one.before()[n] <= limit) {
          hidden.merge(one.order().scopes()[n], one.before()[n], Math::max);
        }
      }
    }
    return new ClosingSofts(limit, Map.copyOf(hidden));
  }

  private void dropThrough(long limit) {
    while (!bySequence.isEmpty() && bySequence.firstKey() <= limit) {
      drop(bySequence.firstKey());
    }
  }

  void clear() {
    bySequence.clear();
    scopes = 0;
  }

  private @Nullable Open drop(long sequence) {
    Open dropped = bySequence.remove(sequence);
    if (dropped != null) {
      scopes -= dropped.order().scopes().length;
    }
    return dropped;
  }
}
