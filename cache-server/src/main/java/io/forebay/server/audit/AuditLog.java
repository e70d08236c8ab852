package io.forebay.server.audit;

import io.forebay.server.audit.AuditEvent.Result;
import io.forebay.server.config.AuditConfig;
import io.forebay.server.logsink.LogOutput;
import io.forebay.server.logsink.LogOutputs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of actions. Any thread tells of one and goes on; one thread writes. Attempts that were
 * refused have a line a second at most, so that nobody without rights can push the lines of others
 * out of the files that are kept.
 */
public final class AuditLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);

  /** No actions are logged. */
  public static final AuditLog OFF = new AuditLog(null, List.of(), System::currentTimeMillis);

  private static final int QUEUE = 1024;
  private static final long WAIT_MILLIS = 50;
  private static final long RETRY_MILLIS = 5;
  private static final long LAST_LINES_NANOS = 4_000_000_000L;
  private static final long REFUSED_INTERVAL_MILLIS = 1000;
  private static final long WARN_INTERVAL_NANOS = 60_000_000_000L;

  private final @Nullable LogOutput output;
  private final LongSupplier clockMillis;
  private final AuditFormat format;
  private final BlockingQueue<byte[]> queue = new ArrayBlockingQueue<>(QUEUE);
  private final @Nullable Thread thread;
  private final AtomicBoolean isReopenWanted = new AtomicBoolean();
  private final AtomicLong lost = new AtomicLong();
  private volatile boolean isClosing;

  // Of refused attempts; guarded by this.
  private long refusedMillis = Long.MIN_VALUE;
  private long suppressed;

  // Of the thread that writes: since when the log is being closed, and whether the output has the
  // beginning of a line that was lost.
  private long closingNanos;
  private boolean isLineCut;

  // Guarded by this.
  private boolean hasWarned;
  private long warnedNanos;

  private AuditLog(@Nullable LogOutput output, List<String> masked, LongSupplier clockMillis) {
    this.output = output;
    this.clockMillis = clockMillis;
    format = new AuditFormat(masked);
    thread =
        output == null
            ? null
            : Thread.ofPlatform().name("audit-log").daemon().unstarted(() -> run(output));
  }

  /**
   * Opens the log of a configuration; called by a thread that is not pinned.
   *
   * @param data the directory that has its file where the configuration names no output
   * @param masked parameters of URLs whose values are hidden
   * @throws IOException when it cannot be opened; the message says what to do
   */
  public static AuditLog open(
      AuditConfig config, Path data, List<String> masked, LongSupplier clockMillis)
      throws IOException {
    String named = config.output();
    LogOutput output =
        LogOutputs.open(
            "audit",
            named == null ? data.resolve(AuditConfig.FILE_NAME).toString() : named,
            config.rotation(),
            config.syslog(),
            true,
            clockMillis);
    return start(output, masked, clockMillis);
  }

  /** Starts a log; off where there is no output. */
  static AuditLog start(@Nullable LogOutput output, List<String> masked, LongSupplier clockMillis) {
    AuditLog log = new AuditLog(output, masked, clockMillis);
    if (log.thread != null) {
      log.thread.start();
    }
    return log;
  }

  /** Tells of an action; never waits. */
  public void record(AuditEvent event) {
    if (output == null) {
      return;
    }
    AuditEvent told = event.result() == Result.REFUSED && isUnknown(event) ? limited(event) : event;
    if (told != null && !queue.offer(format.line(told, clockMillis.getAsLong()))) {
      lose("the queue is full");
    }
  }

  private static boolean isUnknown(AuditEvent event) {
    return event.actor().by() == AuditActor.By.NOTHING;
  }

  private synchronized @Nullable AuditEvent limited(AuditEvent event) {
    long now = clockMillis.getAsLong();
    if (refusedMillis != Long.MIN_VALUE
        && now >= refusedMillis
        && now - refusedMillis < REFUSED_INTERVAL_MILLIS) {
      suppressed++;
      return null;
    }
    refusedMillis = now;
    long before = suppressed;
    suppressed = 0;
    return new AuditEvent(
        event.actor(),
        event.action(),
        event.parameters(),
        event.result(),
        event.status(),
        event.answer(),
        event.tookNanos(),
        before);
  }

  /** Opens the file again under its name, after it was moved. */
  public void reopen() {
    isReopenWanted.set(true);
  }

  /** Lines that were lost because the queue was full or the output failed. */
  public long lost() {
    return lost.get() + (output == null ? 0 : output.lost());
  }

  private void run(LogOutput out) {
    while (true) {
      boolean isLastPass = isClosing;
      byte[] line = next(isLastPass);
      if (line != null) {
        write(out, isLineCut ? afterCut(line) : ByteBuffer.wrap(line));
      }
      if (isReopenWanted.getAndSet(false)) {
        try {
          out.reopen();
        } catch (IOException e) {
          LOG.warn("audit log: cannot be reopened, the old file stays in use: {}", e.toString());
        }
      }
      if (line == null && isLastPass) {
        break;
      }
    }
    try {
      out.close();
    } catch (IOException e) {
      LOG.warn("audit log: {}", e.toString());
    }
  }

  private byte @Nullable [] next(boolean isLastPass) {
    try {
      return isLastPass ? queue.poll() : queue.poll(WAIT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      isClosing = true;
      return queue.poll();
    }
  }

  /** A line that does not continue the one that was cut. */
  private static ByteBuffer afterCut(byte[] line) {
    return ByteBuffer.allocate(line.length + 1).put((byte) '\n').put(line).flip();
  }

  /** While the output takes nothing, lines wait in the queue. */
  private void write(LogOutput out, ByteBuffer line) {
    try {
      while (!out.write(line)) {
        if (isGivenUp()) {
          lost.incrementAndGet();
          return;
        }
        Thread.sleep(RETRY_MILLIS);
      }
      isLineCut = false;
    } catch (IOException e) {
      isLineCut |= line.position() > 0;
      lose(e.toString());
    } catch (InterruptedException e) {
      isClosing = true;
      lost.incrementAndGet();
    }
  }

  private boolean isGivenUp() {
    if (!isClosing) {
      return false;
    }
    long now = System.nanoTime();
    if (closingNanos == 0) {
      closingNanos = now;
    }
    return now - closingNanos > LAST_LINES_NANOS;
  }

  private void lose(String why) {
    lost.incrementAndGet();
    synchronized (this) {
      long now = System.nanoTime();
      if (hasWarned && now - warnedNanos < WARN_INTERVAL_NANOS) {
        return;
      }
      hasWarned = true;
      warnedNanos = now;
    }
    LOG.error("audit log: lines are lost: {}", why);
  }

  /** Writes what is queued, for at most five seconds, and stops. */
  @Override
  public void close() {
    isClosing = true;
    if (thread == null) {
      return;
    }
    try {
      if (!thread.join(Duration.ofSeconds(5))) {
        LOG.warn("audit log: output accepts no more lines, the remaining ones are lost");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
