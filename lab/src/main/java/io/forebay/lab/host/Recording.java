package io.forebay.lab.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A recording in progress. A thread of its own takes a sample a second until it is stopped. */
public final class Recording {
  private static final long SECOND = 1_000_000_000L;

  /** A rest of a second below that is no sample: it would be noise. */
  private static final double MIN_SECONDS = 0.1;

  private final HostReader reader;
  private final PowerMeter power;
  private final List<HostReader.Look> looks = new ArrayList<>();
  private HostReader.Look marked;
  private @Nullable HostRecord record;
  private @Nullable Thread thread;
  private volatile boolean isStopped;
  private int failed;
  private String failure = "";

  Recording(HostReader reader, PowerMeter power) {
    this.reader = reader;
    this.power = power;
    this.marked = reader.look();
    looks.add(marked);
  }

  /** Starts the thread. */
  void begin() {
    thread = Thread.ofPlatform().daemon().name("host-meter").start(this::run);
  }

  private void run() {
    long next = System.nanoTime() + SECOND;
    while (!isStopped) {
      long left = next - System.nanoTime();
      if (left > 0) {
        LockSupport.parkNanos(this, left);
      } else {
        sample();
        // On a machine that stood still, seconds are left out and not made up for.
        next = Math.max(next + SECOND, System.nanoTime() + SECOND / 2);
      }
    }
  }

  /** Takes a sample now; one that fails is left out, and the remarks say so. */
  synchronized void sample() {
    if (isStopped) {
      return;
    }
    try {
      looks.add(reader.look());
    } catch (RuntimeException e) {
      failed++;
      failure = e.toString();
    }
  }

  /** The measured part begins. What was before it is in the samples only. */
  public synchronized void mark() {
    marked = reader.look();
  }

  /** Ends the recording. Called again, it tells the same. */
  public HostRecord stop() {
    HostRecord ended = end();
    Thread running = thread;
    if (running != null) {
      LockSupport.unpark(running);
    }
    return ended;
  }

  private synchronized HostRecord end() {
    if (record != null) {
      return record;
    }
    isStopped = true;
    HostReader.Look last = reader.look();
    HostReader.Look first = looks.getFirst();
    if (last.moment().secondsSince(looks.getLast().moment()) >= MIN_SECONDS) {
      looks.add(last);
    }
    List<HostSample> seconds = new ArrayList<>();
    for (int n = 1; n < looks.size(); n++) {
      seconds.add(reader.between(looks.get(n - 1), looks.get(n), Map.of()));
    }
    List<String> remarks = new ArrayList<>(power.remarks(marked.moment(), last.moment()));
    if (failed > 0) {
      remarks.add(
          "samples of the machine that failed: " + failed + ", the last one with " + failure);
    }
    HostRecord made =
        new HostRecord(
            reader.between(marked, last, reader.memoryByNode()),
            seconds,
            marked.moment().secondsSince(first.moment()),
            power.source(),
            remarks);
    record = made;
    return made;
  }
}
