package io.forebay.server.accesslog;

import io.forebay.server.config.ServerConfig.AccessLogConfig;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JSON access log. Each event loop records into its own ring; one thread formats and writes in
 * batches. A slow disk or a stalled pipe therefore loses lines, which are counted, but never blocks
 * a loop.
 */
public final class AccessLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AccessLog.class);
  private static final int BUFFER_LENGTH = 256 << 10;
  private static final int BATCH = 256;
  private static final long IDLE_PARK_NANOS = 20_000_000L;
  private static final long BUSY_PARK_NANOS = 1_000_000L;
  private static final long WARN_INTERVAL_NANOS = 60_000_000_000L;

  private final List<AccessLogRing> lanes = new ArrayList<>();
  private final @Nullable LogOutput output;
  private final @Nullable Thread thread;
  private final AtomicBoolean isReopenWanted = new AtomicBoolean();
  private volatile boolean isClosing;

  private final AtomicLong written = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();

  // Confined to the writer thread.
  private final AccessFormat format = new AccessFormat();
  private final byte[] buffer;
  private int length;
  private int buffered;
  private boolean isLineCut;
  private long warnedNanos;
  private boolean hasWarned;

  private AccessLog(@Nullable LogOutput output, int loops, int queueLines) {
    this.output = output;
    if (output == null) {
      buffer = new byte[0];
      thread = null;
      return;
    }
    buffer = new byte[BUFFER_LENGTH];
    int capacity = Integer.highestOneBit(Math.max(16, queueLines / Math.max(1, loops)));
    for (int i = 0; i < loops; i++) {
      lanes.add(new AccessLogRing(capacity));
    }
    thread = Thread.ofPlatform().name("access-log").daemon().unstarted(() -> run(output));
    lanes.forEach(lane -> lane.writer(thread));
  }

  /**
   * Opens the log; called by a thread that is not pinned, whose CPU mask the writer inherits.
   *
   * @throws IOException when the file cannot be opened; the message says what to do
   */
  public static AccessLog open(AccessLogConfig config, int loops) throws IOException {
    LogOutput output =
        switch (config.output()) {
          case "off" -> null;
          case "stdout" -> LogOutput.stdout();
          default -> file(Path.of(config.output()));
        };
    return start(output, loops, config.queueLines());
  }

  private static LogOutput file(Path path) throws IOException {
    try {
      return LogOutput.file(path);
    } catch (IOException e) {
      Path parent = path.toAbsolutePath().getParent();
      String why;
      if (Files.isDirectory(path)) {
        why = "it is a directory; name a file in it";
      } else if (parent != null && !Files.isDirectory(parent)) {
        why = "there is no directory " + parent + "; make it";
      } else if (e instanceof AccessDeniedException) {
        why = "permission denied; let the user of this process write there";
      } else {
        why = Printable.line(e);
      }
      throw new IOException(
          "access-log: cannot write " + path + ": " + why + ", or set access-log.output", e);
    }
  }

  public static AccessLog start(@Nullable LogOutput output, int loops, int queueLines) {
    AccessLog log = new AccessLog(output, loops, queueLines);
    if (log.thread != null) {
      log.thread.start();
    }
    return log;
  }

  /** The lane of a loop; to be kept by it. */
  public AccessLogRing forLoop(int loop) {
    return output == null ? AccessLogRing.OFF : lanes.get(loop);
  }

  /** Opens the file again under its name, after the queued lines; for SIGUSR1. */
  public void reopen() {
    isReopenWanted.set(true);
    LockSupport.unpark(thread);
  }

  /** Lines written so far. */
  public long written() {
    return written.get();
  }

  /** Lines lost because a lane was full or the output failed. */
  public long dropped() {
    long dropped = failed.get();
    for (AccessLogRing lane : lanes) {
      dropped += lane.dropped();
    }
    return dropped;
  }

  /** Writes what is queued, for at most five seconds, and stops. Loops must have ended before. */
  @Override
  public void close() {
    isClosing = true;
    if (thread == null) {
      return;
    }
    LockSupport.unpark(thread);
    try {
      if (!thread.join(Duration.ofSeconds(5))) {
        LOG.warn("access log: output accepts no more lines, the remaining ones are lost");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run(LogOutput out) {
    while (true) {
      // Read before draining, so that what was recorded before closing is drained in this pass.
      boolean isLastPass = isClosing;
      int drained = 0;
      for (AccessLogRing lane : lanes) {
        drained += lane.drain(record -> append(out, record), BATCH);
      }
      flush(out);
      if (isReopenWanted.getAndSet(false)) {
        try {
          out.reopen();
        } catch (IOException e) {
          LOG.warn("access log: cannot be reopened, the old file stays in use: {}", e.toString());
        }
      }
      if (drained == 0 && isLastPass) {
        break;
      }
      if (drained < BATCH && !isClosing) {
        LockSupport.parkNanos(this, drained == 0 ? IDLE_PARK_NANOS : BUSY_PARK_NANOS);
      }
    }
    try {
      out.close();
    } catch (IOException e) {
      LOG.warn("access log: {}", e.toString());
    }
  }

  private void append(LogOutput out, AccessRecord record) {
    if (buffer.length - length <= AccessFormat.MAX_LINE_LENGTH) {
      flush(out);
    }
    if (isLineCut) {
      // What follows a failed write must not continue the line that was cut.
      buffer[length++] = '\n';
      isLineCut = false;
    }
    length = format.append(buffer, length, record);
    buffered++;
  }

  private void flush(LogOutput out) {
    if (buffered == 0) {
      return;
    }
    ByteBuffer lines = ByteBuffer.wrap(buffer, 0, length);
    try {
      out.write(lines);
      written.addAndGet(buffered);
    } catch (IOException e) {
      failed.addAndGet(buffered);
      isLineCut = lines.position() > 0;
      long now = System.nanoTime();
      if (!hasWarned || now - warnedNanos > WARN_INTERVAL_NANOS) {
        hasWarned = true;
        warnedNanos = now;
        LOG.warn("access log: lines are lost: {}", e.toString());
      }
    }
    length = 0;
    buffered = 0;
  }
}
