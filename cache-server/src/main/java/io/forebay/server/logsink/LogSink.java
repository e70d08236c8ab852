package io.forebay.server.logsink;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The output of a log, as its one thread uses it, with what every log needs besides: it is opened
 * again on request, its losses are told once a minute, and a close waits for the last lines, but
 * not for ever.
 *
 * <pre>
 *   other threads ─ reopen, close ─▶ LogSink ◀─ write, reopenIfWanted, finish ─ the log's thread
 * </pre>
 */
public final class LogSink {
  private static final Logger LOG = LoggerFactory.getLogger(LogSink.class);

  /** For what is queued when a log is closed. */
  private static final long LAST_LINES_NANOS = 4_000_000_000L;

  private static final Duration CLOSE = Duration.ofSeconds(5);
  private static final long WARN_INTERVAL_NANOS = 60_000_000_000L;

  private final String name;
  private final LogOutput output;
  private final AtomicReference<@Nullable CompletableFuture<Void>> reopening =
      new AtomicReference<>();
  private volatile boolean isClosing;
  private volatile boolean isFinished;

  // Of the log's thread: since when it is being closed.
  private long closingNanos;

  // Guarded by this.
  private boolean hasWarned;
  private long warnedNanos;

  /**
   * A sink.
   *
   * @param name of the log, for messages
   */
  public LogSink(String name, LogOutput output) {
    this.name = name;
    this.output = output;
  }

  /** See {@link LogOutput#write}. The log's thread. */
  public boolean write(ByteBuffer lines) throws IOException {
    return output.write(lines);
  }

  /** Lines of successful writes that were lost all the same. Any thread. */
  public long lost() {
    return output.lost();
  }

  /** Tells that lines are lost, once a minute at most. Any thread. */
  public void warnOfLoss(String why) {
    synchronized (this) {
      long now = System.nanoTime();
      if (hasWarned && now - warnedNanos < WARN_INTERVAL_NANOS) {
        return;
      }
      hasWarned = true;
      warnedNanos = now;
    }
    LOG.error("{}: lines are lost: {}", name, why);
  }

  /**
   * Has the output opened again under its name, after it was moved. Any thread; the log's thread
   * does it when it has written what it is writing.
   *
   * @return done when it is open, or with the reason why it is not: then the old one stays in use
   */
  public CompletableFuture<Void> reopen() {
    CompletableFuture<Void> wanted =
        reopening.updateAndGet(known -> known == null ? new CompletableFuture<>() : known);
    if (isFinished) {
      wanted.completeExceptionally(new IOException("the log is closed"));
    }
    return wanted;
  }

  /** What became of a {@link #reopen}: null when the output is open; waits for some time. */
  public static @Nullable String await(CompletableFuture<Void> reopened, Duration most) {
    try {
      reopened.get(most.toMillis(), TimeUnit.MILLISECONDS);
      return null;
    } catch (TimeoutException e) {
      return "it is asked for, and not done yet: the output takes no lines at the moment";
    } catch (ExecutionException e) {
      return String.valueOf(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  /** Does what was asked for by {@link #reopen}. The log's thread. */
  public void reopenIfWanted() {
    CompletableFuture<Void> wanted = reopening.getAndSet(null);
    if (wanted == null) {
      return;
    }
    try {
      output.reopen();
      wanted.complete(null);
    } catch (IOException e) {
      LOG.warn("{}: cannot be reopened, the old file stays in use: {}", name, e.toString());
      wanted.completeExceptionally(e);
    }
  }

  /** Whether the log is being closed: what was told of before is in its queue. Any thread. */
  public boolean isClosing() {
    return isClosing;
  }

  /** The log's thread was interrupted, or nothing more comes. Any thread. */
  public void closing() {
    isClosing = true;
  }

  /** Whether a log that is being closed has waited for its output long enough. Its thread. */
  public boolean isGivenUp() {
    if (!isClosing) {
      return false;
    }
    long now = System.nanoTime();
    if (closingNanos == 0) {
      closingNanos = now;
    }
    return now - closingNanos > LAST_LINES_NANOS;
  }

  /** Closes the output. The log's thread, at its end. */
  public void finish() {
    try {
      output.close();
    } catch (IOException e) {
      LOG.warn("{}: {}", name, e.toString());
    }
    isFinished = true;
    CompletableFuture<Void> wanted = reopening.get();
    if (wanted != null) {
      wanted.completeExceptionally(new IOException("the log is closed"));
    }
  }

  /** Waits until the log's thread, which knows that it is to end, has written what is queued. */
  public void awaitEnd(Thread thread) {
    try {
      if (!thread.join(CLOSE)) {
        LOG.warn("{}: output accepts no more lines, the remaining ones are lost", name);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
