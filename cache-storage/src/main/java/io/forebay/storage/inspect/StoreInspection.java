package io.forebay.storage.inspect;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DeviceView;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.lane.StoreState;
import io.forebay.storage.placement.StorageClasses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Inspects a running store: answers queries one after the other, and verifies every record on
 * request. Each has its own platform thread, because the index requires one, with its own row of
 * pins and its own cursor. The threads end when idle.
 */
public final class StoreInspection implements AutoCloseable {
  /** Rows of pins that its threads need: one for questions, one for the check. */
  public static final int LANES = 2;

  private static final int MAX_WAITING = 8;

  /** States of a disk in which its file is read. */
  private static final Set<String> READABLE = Set.of("recovering", "online", "evacuating");

  private static final long IDLE_SECONDS = 10;
  private static final long END_SECONDS = 10;

  private final StoreState core;
  private final StorageClasses classes;
  private final InspectionGuard questions;
  private final InspectionGuard checks;
  private volatile boolean isClosing;
  private @Nullable Verification verification;
  private long lastId;

  /** Something to find out, on a thread that may touch the index. */
  @FunctionalInterface
  public interface Question<T> {
    T answer(StoreInspector survey) throws IOException;
  }

  /** Too much is asked at once. */
  public static final class BusyException extends IOException {
    private static final long serialVersionUID = 1L;

    BusyException(String message) {
      super(message);
    }
  }

  public StoreInspection(
      StoreState core, StorageClasses classes, int firstLane, ThreadFactory threads) {
    this.core = core;
    this.classes = classes;
    this.questions = new InspectionGuard("inspect", firstLane, threads);
    this.checks = new InspectionGuard("verify", firstLane + 1, threads);
  }

  /**
   * Answers a question. Waits for those before it and for its disks: not for event loops.
   *
   * @param budget after which walks end with what they have
   */
  public <T> T ask(Duration budget, Question<T> question) throws IOException {
    requireMemory();
    long endNanos = System.nanoTime() + budget.toNanos();
    Future<T> answer =
        questions.submit(() -> {
          try (ScopedInspector sight =
              new ScopedInspector(
                  questions, () -> isClosing || System.nanoTime() - endNanos >= 0)) {
            return question.answer(sight.survey);
          }
        });
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw rethrown(e.getCause());
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private void requireMemory() throws BusyException {
    if (core.isLost()) {
      throw new BusyException("the memory tier is lost: restart the node");
    }
  }

  private static IOException rethrown(@Nullable Throwable cause) {
    return switch (cause) {
      case IOException e -> e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null, default -> new IOException(cause);
    };
  }

  /** Whether an object was dropped from probation lately, or looks as if. Any thread. */
  public boolean wasDroppedLately(long keyLow) {
    return core.eviction.ghosts().mayContain(keyLow);
  }

  /**
   * Begins to check every record; what is bad becomes a miss.
   *
   * @param bytesPerSecond at most; 0 for as fast as it goes
   */
  public synchronized Verification verify(long bytesPerSecond) throws BusyException {
    requireMemory();
    Verification running = verification;
    if (running != null && running.state() == Verification.State.RUNNING) {
      throw new BusyException("a verification is already in progress: job " + running.id());
    }
    Verification next =
        new Verification(++lastId, bytesPerSecond, System::nanoTime, LockSupport::parkNanos);
    Future<Void> ignored =
        checks.submit(() -> {
          try (ScopedInspector sight = new ScopedInspector(checks, () -> isClosing)) {
            next.run(sight.survey, new IndexRepair(core));
          } catch (RuntimeException e) {
            next.fail(e);
          }
          return null;
        });
    verification = next;
    return next;
  }

  /** The check that runs or ran last; null before the first. */
  public synchronized @Nullable Verification verification() {
    return verification;
  }

  @Override
  public void close() {
    isClosing = true;
    Verification running = verification();
    if (running != null) {
      running.cancel();
    }
    questions.close();
    checks.close();
  }

  /** A thread, and what belongs to it. */
  private final class InspectionGuard implements MemoryTier.Guard {
    private final int lane;
    private final ThreadPoolExecutor thread;
    private final ObjectIndex.Cursor cursor;
    private @Nullable ByteBuffer buffer;

    InspectionGuard(String name, int lane, ThreadFactory threads) {
      this.lane = lane;
      this.cursor = core.index.blockingCursor();
      this.thread =
          new ThreadPoolExecutor(
              1,
              1,
              IDLE_SECONDS,
              TimeUnit.SECONDS,
              new ArrayBlockingQueue<>(MAX_WAITING),
              work -> {
                Thread made = threads.newThread(work);
                made.setName(name);
                return made;
              });
      thread.allowCoreThreadTimeOut(true);
    }

    <T> Future<T> submit(Callable<T> work) throws BusyException {
      try {
        return thread.submit(work);
      } catch (RejectedExecutionException e) {
        throw new BusyException("too many concurrent queries of the store: try again later");
      }
    }

    @Override
    public boolean pin(int region, int generation) {
      core.pins.pin(lane, region);
      if (core.regions.isReadable(region, generation)) {
        return true;
      }
      core.pins.unpin(lane, region);
      return false;
    }

    @Override
    public void unpin(int region) {
      core.pins.unpin(lane, region);
    }

    ByteBuffer buffer() {
      ByteBuffer made = buffer;
      if (made == null) {
        made = DiskDevice.readBuffer();
        buffer = made;
      }
      return made;
    }

    void close() {
      thread.shutdownNow();
      boolean wasInterrupted = false;
      try {
        boolean ignored = thread.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The store as one question sees it; the files of its disks are open for so long. */
  private final class ScopedInspector implements AutoCloseable {
    private final List<DeviceView> files = new ArrayList<>();
    private final StoreInspector survey;

    ScopedInspector(InspectionGuard desk, BooleanSupplier isOver) {
      List<String> notes = new ArrayList<>();
      List<DiskDevice> disks = new ArrayList<>();
      Map<String, String> states = new HashMap<>();
      for (DiskStats one : core.disk.stats()) {
        states.put(one.name(), one.state());
      }
      for (DeviceSettings device : core.disk.settings()) {
        String state = states.getOrDefault(device.name(), "gone");
        if (!READABLE.contains(state)) {
          notes.add("disk " + device.name() + " is " + state + " and was not read");
          continue;
        }
        if (state.equals("recovering")) {
          notes.add("disk " + device.name() + " is recovering: its list of objects is incomplete");
        }
        try {
          DeviceView file = DeviceView.open(device.directory());
          files.add(file);
          disks.add(new DiskDevice(device.name(), file, desk.cursor, desk.buffer()));
        } catch (IOException e) {
          notes.add("disk " + device.name() + " cannot be read: " + e.getMessage());
        }
      }
      if (!core.isRebuilt) {
        notes.add("the index is being rebuilt: the list of objects in memory is incomplete");
      }
      this.survey =
          new StoreInspector(
              MemoryTier.all(core.regions, desk, desk.cursor),
              disks,
              classes,
              notes,
              desk.cursor,
              core.disk::isReadable,
              core.purges,
              core.clockMillis,
              isOver);
    }

    @Override
    public void close() {
      for (DeviceView file : files) {
        try {
          file.close();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  /** Makes a miss of what is bad: nothing names it any more. What lies elsewhere stays. */
  private static final class IndexRepair implements Verification.Repair {
    private final StoreState core;
    private final ObjectIndex.Cursor cursor;

    IndexRepair(StoreState core) {
      this.core = core;
      this.cursor = core.index.blockingCursor();
    }

    @Override
    public void drop(Entry bad) {
      core.records.fail();
      ObjectIndex.Outcome ignored =
          cursor.update(
              bad.keyHigh(),
              bad.keyLow(),
              (isPresent, value) ->
                  bad.in().isMemory()
                      ? leaveMemory(bad, isPresent, value)
                      : leaveDisk(bad, isPresent, value));
    }

    private ObjectIndex.Verdict leaveMemory(Entry bad, boolean isPresent, IndexValue value) {
      // Its region is pinned, so the mark is still this record's.
      core.regions.live(bad.region(), bad.slot(), false);
      if (!isPresent || !value.isAt(bad.region(), bad.generation(), bad.offset())) {
        return ObjectIndex.Verdict.KEEP;
      }
      value.leaveMemory();
      return core.disk.isReadable(value) ? ObjectIndex.Verdict.PUT : ObjectIndex.Verdict.REMOVE;
    }

    private static ObjectIndex.Verdict leaveDisk(Entry bad, boolean isPresent, IndexValue value) {
      if (!isPresent || !DiskDevice.isAt(value, bad)) {
        return ObjectIndex.Verdict.KEEP;
      }
      value.leaveDisk();
      return value.isInMemory() ? ObjectIndex.Verdict.PUT : ObjectIndex.Verdict.REMOVE;
    }
  }
}
