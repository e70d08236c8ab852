package io.forebay.storage;

import io.forebay.storage.lane.StoreState;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeEstimate;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeLog;
import io.forebay.storage.purge.PurgeProbe;
import io.forebay.storage.purge.PurgeReceipt;
import io.forebay.storage.purge.PurgeStatus;
import io.forebay.storage.purge.PurgesFullException;
import io.forebay.storage.purge.UndoRefusedException;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The purge operations of the store. A purge is in force when the method returns its receipt. */
final class StorePurging {
  /** Above this many directory entries an exact purge does not count what it matched. */
  private static final long COUNT_LIMIT = 2_000_000;

  private final StoreState core;
  private final StoreSettings settings;
  private final AtomicBoolean isEstimating = new AtomicBoolean();

  StorePurging(StoreState core, StoreSettings settings) {
    this.core = core;
    this.settings = settings;
  }

  PurgeReceipt purge(Purge purge) throws PurgeFailedException {
    long start = System.nanoTime();
    long sequence;
    try {
      sequence =
          core.purges.purge(purge.kind().ordinal(), purge.scopes(), purge.soft(), purge.text());
    } catch (IOException e) {
      throw new PurgeFailedException(
          "the purge is neither on disk nor in force: " + FileErrors.oneLine(e), false, e);
    } catch (PurgesFullException e) {
      throw new PurgeFailedException(String.valueOf(e.getMessage()), true, e);
    }
    OptionalLong matched = OptionalLong.empty();
    if (core.isLost()) {
      return new PurgeReceipt(sequence, sequence, matched, System.nanoTime() - start);
    }
    if (purge.kind() == PurgeKind.URL && purge.isCounted()) {
      StoreState.@Nullable Counted sum = new StoreState.Counted(0, 0);
      for (long scope : purge.scopes()) {
        StoreState.Counted one = sum == null ? null : core.count(scope, sequence, COUNT_LIMIT);
        sum =
            sum == null || one == null
                ? null
                : new StoreState.Counted(sum.objects() + one.objects(), sum.bytes() + one.bytes());
      }
      matched = counted(sequence, sum);
    } else if (purge.kind() == PurgeKind.EVERYTHING && core.disk.isEmpty()) {
      matched = counted(sequence, core.count(null, sequence, COUNT_LIMIT));
    }
    return new PurgeReceipt(sequence, sequence, matched, System.nanoTime() - start);
  }

  PurgeReceipt undo(long id) throws PurgeFailedException, UndoRefusedException {
    long start = System.nanoTime();
    try {
      long sequence = core.purges.undo(id);
      return new PurgeReceipt(sequence, sequence, OptionalLong.empty(), System.nanoTime() - start);
    } catch (IOException e) {
      throw new PurgeFailedException(
          "the undo is neither on disk nor in force: " + FileErrors.oneLine(e), false, e);
    }
  }

  private OptionalLong counted(long sequence, StoreState.@Nullable Counted counted) {
    if (counted == null) {
      return OptionalLong.empty();
    }
    core.purges.log().countedAtOnce(sequence, counted.objects(), counted.bytes());
    return OptionalLong.of(counted.objects());
  }

  @Nullable PurgeStatus purgeStatus(long id) {
    PurgeLog.Entry entry = core.purges.log().find(id);
    return entry == null ? null : status(entry);
  }

  List<PurgeStatus> latestPurges(int most) {
    return core.purges.log().latest(most).stream().map(this::status).toList();
  }

  private PurgeStatus status(PurgeLog.Entry entry) {
    // Everything is a floor, which is never forgotten and which nothing is swept for.
    boolean isFloor = entry.kind() == PurgeKind.EVERYTHING.code();
    boolean isUndo = entry.kind() == PurgeKind.UNDO.code();
    long swept =
        isUndo
            ? core.purges.reviewedThrough()
            : entry.soft() ? core.purges.softRetiredThrough() : core.purges.retiredThrough();
    boolean isSwept = isFloor || entry.undoneBy() > 0 || swept >= entry.id();
    boolean isCounted = !isUndo && !entry.isFromJournal() && (!isFloor || entry.isCountedAtOnce());
    return new PurgeStatus(
        entry.id(),
        PurgeKind.of(entry.kind()),
        entry.soft(),
        entry.text(),
        entry.scopes(),
        entry.millis(),
        isCounted ? OptionalLong.of(entry.objects()) : OptionalLong.empty(),
        isCounted ? OptionalLong.of(entry.bytes()) : OptionalLong.empty(),
        isSwept,
        core.purges.isOpen(entry.id()),
        entry.undoneBy() == 0 ? OptionalLong.empty() : OptionalLong.of(entry.undoneBy()));
  }

  @Nullable PurgeEstimate estimate(Purge purge, long mostMillis) {
    PurgeProbe probe =
        core.purges.probe(purge.kind().ordinal(), purge.scopes(), purge.soft(), purge.text());
    if (!isEstimating.compareAndSet(false, true)) {
      return null;
    }
    try {
      PurgeEstimator estimator =
          new PurgeEstimator(core, probe, settings.clockMillis(), mostMillis, !settings.stepped());
      if (settings.stepped()) {
        return estimator.estimate();
      }
      // The index is for platform threads, which those of callers need not be.
      FutureTask<PurgeEstimate> task = new FutureTask<>(estimator::estimate);
      Thread thread = settings.threads().newThread(task);
      thread.setName("dry-run");
      thread.start();
      return task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      isEstimating.set(false);
    }
  }
}
