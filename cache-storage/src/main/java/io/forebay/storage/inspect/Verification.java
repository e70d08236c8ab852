package io.forebay.storage.inspect;

import io.forebay.storage.inspect.Tier.Extent;
import io.forebay.storage.inspect.Tier.RegionFacts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the checksum of every record that may still be served. Run by one thread; any thread may
 * watch or cancel it.
 */
public final class Verification {
  /** Flaws told one by one; beyond it they are only counted. */
  public static final int MAX_LISTED = 1_000;

  private static final long MAX_PAUSE_NANOS = 100_000_000;

  private final long id;
  private final long bytesPerSecond;
  private final LongSupplier nanoTime;
  private final LongConsumer pauseNanos;
  private final List<Flaw> flaws = new ArrayList<>();
  private volatile State state = State.RUNNING;
  private volatile boolean isCancelled;
  private volatile long totalBytes;
  private final AtomicLong passedBytes = new AtomicLong();
  private final AtomicLong checkedBytes = new AtomicLong();
  private final AtomicLong records = new AtomicLong();
  private volatile long flawCount;
  private volatile List<String> notes = List.of();
  private volatile @Nullable String failure;
  private long startNanos;

  /** How far it is. */
  public enum State {
    RUNNING,
    DONE,
    CANCELLED,
    FAILED
  }

  /** What to do about a bad record; called while its region is kept. */
  @FunctionalInterface
  public interface Repair {
    /** Leaves it as it is. */
    Repair NONE = entry -> {};

    void drop(Entry bad);
  }

  /**
   * Something that is not as it was written.
   *
   * @param kind object, marker, slice, directory or region
   * @param slice index of it; -1 for what is none
   * @param key the key text of the record or of its head, where it can still be read
   */
  public record Flaw(
      String tier,
      int region,
      int offset,
      String kind,
      int slice,
      @Nullable String key,
      String why) {}

  /**
   * A run that has not begun.
   *
   * @param bytesPerSecond at most; 0 for as fast as it goes
   * @param pauseNanos waits, or ends early where it is interrupted
   */
  public Verification(
      long id, long bytesPerSecond, LongSupplier nanoTime, LongConsumer pauseNanos) {
    this.id = id;
    this.bytesPerSecond = bytesPerSecond;
    this.nanoTime = nanoTime;
    this.pauseNanos = pauseNanos;
  }

  /** Goes over the whole store. */
  public void run(StoreInspector survey, Repair repair) {
    startNanos = nanoTime.getAsLong();
    long total = 0;
    for (Tier tier : survey.tiers()) {
      total += (long) tier.regionCount() * tier.regionBytes();
    }
    totalBytes = total;
    notes = survey.notes();
    try {
      for (Tier tier : survey.tiers()) {
        int end = tier.firstRegion() + tier.regionCount();
        for (int region = tier.firstRegion(); region < end && !isCancelled; region++) {
          region(survey, tier, region, repair);
          passedBytes.addAndGet(tier.regionBytes());
        }
      }
      state = isCancelled ? State.CANCELLED : State.DONE;
    } catch (IOException | RuntimeException | InternalError e) {
      // The last is what a mapped page says that can't be read.
      fail(e);
    }
  }

  private void region(StoreInspector survey, Tier tier, int region, Repair repair)
      throws IOException {
    RegionFacts facts = tier.facts(region);
    if (facts.state() == Tier.State.DAMAGED) {
      add(flaw(tier, region, "region", "its header is invalid: its records are lost"));
    }
    Extent extent =
        tier.walk(
            region,
            0,
            entry -> {
              if (entry.isLive()) {
                check(survey, entry, repair);
              }
              return !isCancelled;
            });
    if (extent.lostPages() > 0) {
      add(
          flaw(
              tier,
              region,
              "directory",
              extent.lostPages() + " damaged pages: the records that they named are lost"));
    }
    // Of memory only here, where nothing is pinned.
    pace();
  }

  private static Flaw flaw(Tier tier, int region, String kind, String why) {
    return new Flaw(tier.name(), region, 0, kind, -1, null, why);
  }

  private void check(StoreInspector survey, Entry entry, Repair repair) throws IOException {
    String why = entry.in().flaw(entry);
    records.incrementAndGet();
    checkedBytes.addAndGet(Math.max(0, entry.length()));
    if (why != null) {
      add(
          new Flaw(
              entry.in().name(),
              entry.region(),
              entry.offset(),
              entry.isSlice() ? "slice" : entry.isMarker() ? "marker" : "object",
              entry.isSlice() ? entry.slice() : -1,
              survey.keyOf(entry),
              why));
      repair.drop(entry);
    }
    if (!entry.in().isMemory()) {
      pace();
    }
  }

  private synchronized void add(Flaw flaw) {
    flawCount++;
    if (flaws.size() < MAX_LISTED) {
      flaws.add(flaw);
    }
  }

  private void pace() {
    while (bytesPerSecond > 0 && !isCancelled) {
      double wanted = checkedBytes.get() / (double) bytesPerSecond * 1e9;
      long behind = (long) wanted - (nanoTime.getAsLong() - startNanos);
      if (behind <= 0) {
        return;
      }
      pauseNanos.accept(Math.min(behind, MAX_PAUSE_NANOS));
    }
  }

  /** It could not go on, or not even begin. */
  public void fail(Throwable cause) {
    failure = String.valueOf(cause);
    state = State.FAILED;
  }

  /** Has it end soon. */
  public void cancel() {
    isCancelled = true;
  }

  public long id() {
    return id;
  }

  public State state() {
    return state;
  }

  /** Of all tiers, used or not. */
  public long totalBytes() {
    return totalBytes;
  }

  /** How much of that it has gone over. */
  public long passedBytes() {
    return passedBytes.get();
  }

  /** Of records whose checksum was computed. */
  public long checkedBytes() {
    return checkedBytes.get();
  }

  public long records() {
    return records.get();
  }

  public long flawCount() {
    return flawCount;
  }

  /** The first of them. */
  public synchronized List<Flaw> flaws() {
    return List.copyOf(flaws);
  }

  /** What was not looked at, and why. */
  public List<String> notes() {
    return notes;
  }

  /** Why it ended early, if it failed. */
  public @Nullable String failure() {
    return failure;
  }
}
