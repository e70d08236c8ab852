package io.forebay.storage.disk;

import java.io.IOException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state one device is in, and what of its errors and its slowness leads there. Any thread; only
 * changes of the state take a lock.
 */
final class DeviceHealth {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceHealth.class);

  /** What a device is good for at the moment. */
  enum State {
    /** What it holds is being taken up; what has been is served. */
    RECOVERING,
    ONLINE,
    /** What it holds is served and moves elsewhere; it takes no records. */
    EVACUATING,
    /** Empty and out of service; its file is closed, so the disk may be pulled. */
    EVACUATED,
    /** Out of service because somebody said so. */
    OFFLINE,
    /** Out of service because it failed. */
    FENCED
  }

  private final DeviceSettings settings;
  private final LongSupplier clockMillis;
  private final Runnable onLeft;
  private volatile State state = State.RECOVERING;
  private final AtomicLong errors = new AtomicLong();
  private final AtomicInteger recentErrors = new AtomicInteger();

  /** Of each thread that waits for the device, since when. */
  private final ConcurrentHashMap<Thread, Long> operations = new ConcurrentHashMap<>();

  /**
   * @param onLeft told after the device went out of service
   */
  DeviceHealth(DeviceSettings settings, LongSupplier clockMillis, Runnable onLeft) {
    this.settings = settings;
    this.clockMillis = clockMillis;
    this.onLeft = onLeft;
  }

  State state() {
    return state;
  }

  /** Whether it takes records. */
  boolean isOnline() {
    return state() == State.ONLINE;
  }

  boolean isEvacuating() {
    return state() == State.EVACUATING;
  }

  /** Whether tombstones, marks and headers may be written to it. */
  boolean isWritable() {
    State now = state();
    return now == State.ONLINE || now == State.EVACUATING;
  }

  /** Whether what is on it counts. */
  boolean isInUse() {
    State now = state();
    return now == State.ONLINE || now == State.RECOVERING || now == State.EVACUATING;
  }

  long errors() {
    return errors.get();
  }

  /** An operation of this thread begins. */
  void begin() {
    operations.put(Thread.currentThread(), clockMillis.getAsLong());
  }

  /** It has come back. */
  void end() {
    Long begun = operations.remove(Thread.currentThread());
    if (begun != null && clockMillis.getAsLong() - begun > settings.slowMillis()) {
      onError("an operation", new IOException("took longer than " + settings.slowMillis() + " ms"));
    }
  }

  /** Fences a device that does not answer at all; whoever waits for it is told. */
  void checkPace() {
    long now = clockMillis.getAsLong();
    for (long begun : operations.values()) {
      if (now - begun > 2 * settings.slowMillis()) {
        fence("after " + (now - begun) + " ms without a result");
        return;
      }
    }
  }

  /** Whether an operation has been under way for longer than it may take. */
  boolean isStuck() {
    long now = clockMillis.getAsLong();
    return operations.values().stream().anyMatch(begun -> now - begun > settings.slowMillis());
  }

  /** A batch was written: errors long ago count for less. */
  void onWritten() {
    recentErrors.updateAndGet(n -> Math.max(0, n - 1));
  }

  void onError(String what, IOException e) {
    errors.incrementAndGet();
    int recent = recentErrors.incrementAndGet();
    LOG.warn("disk {}: {} failed: {}", settings.name(), what, e.toString());
    if (recent >= settings.mostErrors()) {
      fence("after " + recent + " errors");
    }
  }

  /** Leaves the device alone: what is on it counts as missing until an operator says otherwise. */
  private void fence(String why) {
    if (leave(State.FENCED)) {
      LOG.error("disk {} is fenced {}: its objects count as missing", settings.name(), why);
    }
  }

  /** Stops using the device; false if it was not in use. */
  boolean offline() {
    boolean done = leave(State.OFFLINE);
    if (done) {
      LOG.info("disk {} is offline: its objects count as missing", settings.name());
    }
    return done;
  }

  /** It takes no more records; false unless it takes some, or is being evacuated already. */
  synchronized boolean evacuate() {
    if (state == State.ONLINE) {
      state = State.EVACUATING;
      LOG.info("disk {} is being evacuated", settings.name());
    }
    return state == State.EVACUATING;
  }

  /** It takes records again; false if it was not being evacuated. */
  synchronized boolean cancelEvacuation() {
    if (state != State.EVACUATING) {
      return false;
    }
    state = State.ONLINE;
    LOG.info("disk {} is not evacuated any further", settings.name());
    return true;
  }

  /** Its evacuation is complete; false if its state changed meanwhile. */
  boolean evacuated() {
    synchronized (this) {
      if (state != State.EVACUATING) {
        return false;
      }
      state = State.EVACUATED;
    }
    onLeft.run();
    return true;
  }

  /** It was left empty by an earlier life. */
  synchronized void startEvacuated() {
    state = State.EVACUATED;
  }

  private boolean leave(State to) {
    synchronized (this) {
      if (!isInUse()) {
        return false;
      }
      state = to;
    }
    onLeft.run();
    return true;
  }

  /** It can't even be made ready again. */
  void broke(String why) {
    synchronized (this) {
      state = State.FENCED;
    }
    onLeft.run();
    LOG.error("disk {} is fenced {}: its objects count as missing", settings.name(), why);
  }

  /** It has been taken up; false if it went out of service meanwhile, and then it stays out. */
  synchronized boolean recovered() {
    if (state != State.RECOVERING) {
      return false;
    }
    state = State.ONLINE;
    return true;
  }

  /** Out of service while it is made ready again, whatever it was. */
  void prepare() {
    synchronized (this) {
      state = State.OFFLINE;
    }
    onLeft.run();
  }

  /** In use, with a clean sheet. */
  synchronized void online() {
    recentErrors.set(0);
    state = State.ONLINE;
  }
}
