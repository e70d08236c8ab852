package io.forebay.server.loop;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The deadlines of one event loop's connections: a timer wheel with slots of {@link #TICK_NANOS},
 * confined to its loop. Postponing a deadline is one store: the entry stays in its slot and is
 * moved when that slot expires. A busy connection, which postpones its deadline with every request,
 * therefore touches the wheel a few times a minute.
 */
public final class DeadlineWheel {

  public static final long TICK_NANOS = 100_000_000L;
  static final long NEVER = Long.MAX_VALUE;

  private static final int SLOTS = 512;

  /** Called when a deadline has passed. */
  @FunctionalInterface
  public interface Listener {
    void onDeadline(long nowNanos);
  }

  /** One deadline that can be moved; linked into at most one slot. */
  public final class Entry {
    private final @Nullable Listener listener;
    private Entry previous = this;
    private Entry next = this;
    private long deadlineNanos = NEVER;
    private long linkedTick = NEVER;

    private Entry(@Nullable Listener listener) {
      this.listener = listener;
    }

    /** Sets the deadline that many nanoseconds from now. */
    public void in(long nanos) {
      deadlineNanos = nowNanos + nanos;
      long tick = tickOf(deadlineNanos);
      if (tick < linkedTick) {
        unlink();
        link(tick);
      }
    }

    /** No deadline; the entry falls out of its slot when that comes round. */
    public void clear() {
      deadlineNanos = NEVER;
    }

    /** Leaves the wheel for good. */
    public void remove() {
      deadlineNanos = NEVER;
      unlink();
    }

    private void link(long tick) {
      long slotTick = Math.min(tick, currentTick + SLOTS - 1);
      Entry head = slots[(int) (slotTick & (SLOTS - 1))];
      linkedTick = slotTick;
      previous = head.previous;
      next = head;
      head.previous.next = this;
      head.previous = this;
    }

    private void unlink() {
      previous.next = next;
      next.previous = previous;
      previous = this;
      next = this;
      linkedTick = NEVER;
    }
  }

  private final LongSupplier clockNanos;
  private final long startNanos;
  private final Entry[] slots = new Entry[SLOTS];
  private final Entry due = new Entry(null);
  private long nowNanos;
  private long currentTick;

  public DeadlineWheel(LongSupplier clockNanos) {
    this.clockNanos = clockNanos;
    startNanos = clockNanos.getAsLong();
    nowNanos = startNanos;
    for (int i = 0; i < SLOTS; i++) {
      slots[i] = new Entry(null);
    }
  }

  public Entry entry(Listener listener) {
    return new Entry(listener);
  }

  /** The time of the last tick: cheap, and at most a tick old on a loop that is not stuck. */
  public long nowNanos() {
    return nowNanos;
  }

  /** Fires what is due. Called once a tick, or later; slots passed over are made up for. */
  public void tick() {
    nowNanos = clockNanos.getAsLong();
    long lastTick = (nowNanos - startNanos) / TICK_NANOS;
    // After a long pause one turn of the wheel sees every entry.
    long tick = Math.max(currentTick, lastTick - SLOTS + 1);
    for (; tick <= lastTick; tick++) {
      currentTick = tick;
      fire(slots[(int) (tick & (SLOTS - 1))]);
    }
    currentTick = lastTick + 1;
  }

  private void fire(Entry head) {
    // The slot is emptied first: a listener may set deadlines, or close other connections.
    while (head.next != head) {
      Entry entry = head.next;
      entry.unlink();
      entry.previous = due.previous;
      entry.next = due;
      due.previous.next = entry;
      due.previous = entry;
    }
    while (due.next != due) {
      Entry entry = due.next;
      entry.unlink();
      if (entry.deadlineNanos == NEVER) {
        continue;
      }
      if (entry.deadlineNanos - nowNanos <= 0) {
        entry.deadlineNanos = NEVER;
        Listener listener = entry.listener;
        if (listener != null) {
          listener.onDeadline(nowNanos);
        }
      } else {
        entry.link(Math.max(tickOf(entry.deadlineNanos), currentTick + 1));
      }
    }
  }

  private long tickOf(long nanos) {
    long tick = (nanos - startNanos + TICK_NANOS - 1) / TICK_NANOS;
    return Math.max(tick, currentTick);
  }
}
