package io.forebay.server.audit;

import io.forebay.server.audit.AuditEvent.Result;
import io.forebay.server.config.AuditConfig;
import io.forebay.server.logsink.LogOutput;
import io.forebay.server.logsink.LogOutputs;
import io.forebay.server.logsink.LogSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The log of actions. Any thread tells of one and goes on; one thread writes. Attempts that were
 * refused have a line a second at most, so that nobody without rights can push the lines of others
 * out of the files that are kept.
 */
public final class AuditLog implements AutoCloseable {
  /** No actions are logged. */
  public static final AuditLog OFF = new AuditLog(null, List.of(), System::currentTimeMillis);

  private static final int QUEUE = 1024;
  private static final long WAIT_MILLIS = 50;
  private static final long RETRY_MILLIS = 5;
  private static final long REFUSED_INTERVAL_MILLIS = 1000;

  private final @Nullable LogSink sink;
  private final LongSupplier clockMillis;
  private final AuditFormat format;
  private final BlockingQueue<byte[]> queue = new ArrayBlockingQueue<>(QUEUE);
  private final @Nullable Thread thread;
  private final AtomicLong lost = new AtomicLong();

  // Of refused attempts; guarded by this.
  private long refusedMillis = Long.MIN_VALUE;
  private long suppressed;

  /** Whether the output has the beginning of a line that was lost. Of the thread that writes. */
  private boolean isLineCut;

  private AuditLog(@Nullable LogOutput output, List<String> masked, LongSupplier clockMillis) {
    sink = output == null ? null : new LogSink("audit log", output);
    this.clockMillis = clockMillis;
    format = new AuditFormat(masked);
    thread =
        sink == null
            ? null
            : Thread.ofPlatform().name("audit-log").daemon().unstarted(() -> run(sink));
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
    if (sink == null) {
      return;
    }
    AuditEvent told = event.result() == Result.REFUSED && isUnknown(event) ? limited(event) : event;
    if (told != null && !queue.offer(format.line(told, clockMillis.getAsLong()))) {
      lose(sink, "the queue is full");
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

  /** Opens the file again under its name, after it was moved; null where the log is off. */
  public @Nullable CompletableFuture<Void> reopen() {
    return sink == null ? null : sink.reopen();
  }

  /** Lines that were lost because the queue was full or the output failed. */
  public long lost() {
    return lost.get() + (sink == null ? 0 : sink.lost());
  }

  private void run(LogSink out) {
    while (true) {
      boolean isLastPass = out.isClosing();
      byte[] line = next(out, isLastPass);
      if (line != null) {
        write(out, isLineCut ? afterCut(line) : ByteBuffer.wrap(line));
      }
      out.reopenIfWanted();
      if (line == null && isLastPass) {
        break;
      }
    }
    out.finish();
  }

  private byte @Nullable [] next(LogSink out, boolean isLastPass) {
    try {
      return isLastPass ? queue.poll() : queue.poll(WAIT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      out.closing();
      return queue.poll();
    }
  }

  /** A line that does not continue the one that was cut. */
  private static ByteBuffer afterCut(byte[] line) {
    return ByteBuffer.allocate(line.length + 1).put((byte) '\n').put(line).flip();
  }

  /** While the output takes nothing, lines wait in the queue. */
  private void write(LogSink out, ByteBuffer line) {
    try {
      while (!out.write(line)) {
        if (out.isGivenUp()) {
          lost.incrementAndGet();
          return;
        }
        out.reopenIfWanted();
        Thread.sleep(RETRY_MILLIS);
      }
      isLineCut = false;
    } catch (IOException e) {
      isLineCut |= line.position() > 0;
      lose(out, e.toString());
    } catch (InterruptedException e) {
      out.closing();
      lost.incrementAndGet();
    }
  }

  private void lose(LogSink out, String why) {
    lost.incrementAndGet();
    out.warnOfLoss(why);
  }

  /** Writes what is queued, for at most five seconds, and stops. */
  @Override
  public void close() {
    if (sink != null && thread != null) {
      sink.closing();
      sink.awaitEnd(thread);
    }
  }
}
