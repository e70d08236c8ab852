package io.forebay.server.accesslog;

import io.forebay.server.config.LogConfig;
import io.forebay.server.config.ServerConfig.AccessLogConfig;
import io.forebay.server.logsink.LogOutput;
import io.forebay.server.logsink.LogOutputs;
import io.forebay.server.logsink.LogSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The access log. Each event loop records into its own ring; one thread formats and writes in
 * batches. A slow disk or a stalled pipe therefore loses lines, which are counted, but never blocks
 * a loop.
 */
public final class AccessLog implements AutoCloseable {
  private static final int BUFFER_LENGTH = 256 << 10;
  private static final int BATCH = 256;
  private static final long IDLE_PARK_NANOS = 20_000_000L;
  private static final long BUSY_PARK_NANOS = 1_000_000L;

  private final List<AccessLogRing> lanes = new ArrayList<>();
  private final @Nullable LogSink sink;
  private final @Nullable Thread thread;

  private final AtomicLong written = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();

  // Confined to the writer thread.
  private final AccessFormat format;
  private final byte[] buffer;

  /** Where the first line stands that the output has not taken. */
  private int start;

  private int length;
  private int buffered;
  private boolean isLineCut;

  /** Whether the buffer begins with the end of a line that was cut. */
  private boolean beginsWithEnd;

  private AccessLog(@Nullable LogOutput output, AccessFormat format, int loops, int queueLines) {
    this.format = format;
    if (output == null) {
      sink = null;
      buffer = new byte[0];
      thread = null;
      return;
    }
    buffer = new byte[BUFFER_LENGTH];
    int capacity = Integer.highestOneBit(Math.max(16, queueLines / Math.max(1, loops)));
    for (int i = 0; i < loops; i++) {
      lanes.add(new AccessLogRing(capacity));
    }
    LogSink made = new LogSink("access log", output);
    sink = made;
    thread = Thread.ofPlatform().name("access-log").daemon().unstarted(() -> run(made));
    lanes.forEach(lane -> lane.writer(thread));
  }

  /**
   * Opens the log; called by a thread that is not pinned, whose CPU mask the writer inherits.
   *
   * @throws IOException when the file cannot be opened; the message says what to do
   */
  public static AccessLog open(AccessLogConfig config, int loops) throws IOException {
    LogOutput output =
        LogOutputs.open(
            "access-log",
            config.output(),
            config.rotation(),
            config.syslog(),
            false,
            System::currentTimeMillis);
    return start(output, AccessFormat.of(config.lines()), loops, config.queueLines());
  }

  /** Starts a log of JSON lines; off where there is no output. */
  public static AccessLog start(@Nullable LogOutput output, int loops, int queueLines) {
    return start(output, AccessFormat.of(LogConfig.Lines.DEFAULT), loops, queueLines);
  }

  private static AccessLog start(
      @Nullable LogOutput output, AccessFormat format, int loops, int queueLines) {
    AccessLog log = new AccessLog(output, format, loops, queueLines);
    if (log.thread != null) {
      log.thread.start();
    }
    return log;
  }

  /** The lane of a loop; to be kept by it. */
  AccessLogRing forLoop(int loop) {
    return sink == null ? AccessLogRing.OFF : lanes.get(loop);
  }

  /**
   * Opens the file again under its name, after the queued lines; null where the log is off. For
   * SIGUSR1.
   */
  public @Nullable CompletableFuture<Void> reopen() {
    if (sink == null) {
      return null;
    }
    CompletableFuture<Void> reopened = sink.reopen();
    LockSupport.unpark(thread);
    return reopened;
  }

  /** Lines written so far. */
  public long written() {
    return sink == null ? 0 : written.get() - sink.lost();
  }

  /** Lines lost because a lane was full or the output failed. */
  public long dropped() {
    long dropped = failed.get() + (sink == null ? 0 : sink.lost());
    for (AccessLogRing lane : lanes) {
      dropped += lane.dropped();
    }
    return dropped;
  }

  /** Writes what is queued, for at most five seconds, and stops. Loops must have ended before. */
  @Override
  public void close() {
    if (sink != null && thread != null) {
      sink.closing();
      LockSupport.unpark(thread);
      sink.awaitEnd(thread);
    }
  }

  private void run(LogSink out) {
    // Another lane begins each time, so that none is last whenever there is no room.
    for (int first = 0; ; first = (first + 1) % lanes.size()) {
      // Read before draining, so that what was recorded before closing is drained in this pass.
      boolean isLastPass = out.isClosing();
      int drained = 0;
      // While the output takes nothing, lines wait in their lanes; once these are full they drop.
      boolean isTaken = flush(out);
      for (int i = 0; i < lanes.size() && isTaken; i++) {
        AccessLogRing lane = lanes.get((first + i) % lanes.size());
        drained += lane.drain(record -> append(out, record), BATCH);
        isTaken = hasRoom();
      }
      isTaken = flush(out);
      out.reopenIfWanted();
      if (isLastPass && (out.isGivenUp() || (drained == 0 && isTaken))) {
        break;
      }
      if (!isTaken || (drained < BATCH && !out.isClosing())) {
        LockSupport.parkNanos(this, drained == 0 && isTaken ? IDLE_PARK_NANOS : BUSY_PARK_NANOS);
      }
    }
    failed.addAndGet(buffered);
    for (AccessLogRing lane : lanes) {
      failed.addAndGet(lane.drain(record -> true, Integer.MAX_VALUE));
    }
    out.finish();
  }

  /** Gives false if there is no room for another one. */
  private boolean append(LogSink out, AccessRecord record) {
    if (isLineCut) {
      // What follows a failed write must not continue the line that was cut.
      buffer[length++] = '\n';
      isLineCut = false;
      beginsWithEnd = true;
    }
    length = format.append(buffer, length, record);
    buffered++;
    if (!hasRoom()) {
      flush(out);
    }
    return hasRoom();
  }

  private boolean hasRoom() {
    return buffer.length - length > AccessFormat.MAX_LINE_LENGTH;
  }

  /** Gives false if the output takes no more at the moment. */
  private boolean flush(LogSink out) {
    if (buffered == 0) {
      return true;
    }
    ByteBuffer lines = ByteBuffer.wrap(buffer, start, length - start);
    boolean isTaken = true;
    try {
      isTaken = out.write(lines);
      int taken = isTaken ? buffered : ends(start, lines.position());
      written.addAndGet(taken);
      buffered -= taken;
      start = lines.position();
    } catch (IOException e) {
      int taken = Math.min(buffered, ends(start, lines.position()));
      written.addAndGet(taken);
      failed.addAndGet(buffered - taken);
      isLineCut = lines.position() > start && buffer[lines.position() - 1] != '\n';
      out.warnOfLoss(e.toString());
    }
    if (isTaken) {
      start = 0;
      length = 0;
      buffered = 0;
    }
    beginsWithEnd = false;
    return isTaken;
  }

  /** How many lines end there. */
  private int ends(int from, int end) {
    int ends = beginsWithEnd && end > from ? -1 : 0;
    for (int i = from; i < end; i++) {
      ends += buffer[i] == '\n' ? 1 : 0;
    }
    return ends;
  }
}
