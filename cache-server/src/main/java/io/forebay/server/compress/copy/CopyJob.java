package io.forebay.server.compress.copy;

import io.forebay.server.compress.CodingStream;
import io.forebay.server.counters.CopyCounters;
import io.forebay.server.counters.CopyCounters.Outcome;
import io.forebay.server.fill.FillContext;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.StoredHead;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes one coded copy: reads the body of the source piece by piece, as the coding takes it, and
 * writes what comes of it into the store. Nothing is pinned between two pieces, so the source may
 * go meanwhile; then there is no copy.
 *
 * <pre>
 *   start ─► SourceReader ─► CodingStream ─► onEncoded ─► held, up to the size of a small object
 *                 ▲               │                            └─► ObjectWriter
 *                 └─── onReady ───┘           onEnd ─────► gain? ─► finish ─► Done
 * </pre>
 *
 * <p>Owner: the loop that asked for it.
 */
final class CopyJob implements CodingStream.Listener {

  /** What waits for the outcome, which is told once. */
  interface Done {

    /**
     * The job is over.
     *
     * @param minutes for which the copy is not to be tried again
     */
    void ended(Outcome outcome, int minutes);
  }

  /** For what does not change as long as the object is there. */
  static final int LONG_MINUTES = 24 * 60;

  /** A copy is smaller by so many bytes at least, and by one part in so many. */
  private static final int MIN_GAIN_BYTES = 64;

  private static final int MIN_GAIN_DIVISOR = 20;

  private static final int MAX_RETRIES = 50;
  private static final long RETRY_MICROS = 200;

  private final FillContext loop;
  private final HeadSpec spec;
  private final Done done;

  private final CopyCounters counters;
  private final CodingFeed feed;
  private final SourceReader reader;
  private final long totalLength;

  /** Length of the shortest body that clients could have without this copy. */
  private final long bestLength;

  /** Coded bytes for which there is no writer yet. */
  private final ArrayDeque<ByteBuf> held = new ArrayDeque<>();

  private @Nullable ObjectWriter writer;
  private long codedBytes;
  private int retries;
  private boolean isOver;

  /**
   * A job that has not begun.
   *
   * @param spec of the copy, without birth and length
   * @param source held during the call
   * @param bestLength of the shortest body that clients could have without this copy
   * @param counters where it is counted
   */
  CopyJob(
      FillContext loop,
      HeadSpec spec,
      StoredHead source,
      long bestLength,
      CopyCounters counters,
      Done done) {
    this.loop = loop;
    this.spec = spec;
    this.done = done;
    this.counters = counters;
    this.bestLength = bestLength;
    this.totalLength = source.totalLength();
    this.feed = new CodingFeed(this::end);
    this.reader = new SourceReader(loop, source, feed);
  }

  /**
   * Begins.
   *
   * @param coding null if there was no place for it
   * @param body the whole body if it lies with the head of the source, else null
   */
  void start(@Nullable CodingStream coding, @Nullable ByteBuffer body) {
    if (coding == null) {
      end(Outcome.BUSY, 0);
    } else {
      feed.into(coding);
      reader.start(body);
    }
  }

  /** Does not begin. */
  void giveUp(Outcome why) {
    end(why, SourceReader.SHORT_MINUTES);
  }

  // --- writing the copy -------------------------------------------------------------------------

  @Override
  public void onReady() {
    reader.pump();
  }

  @Override
  public void onEncoded(ByteBuf data) {
    if (isOver) {
      data.release();
      return;
    }
    codedBytes += data.readableBytes();
    held.add(data);
    if (codedBytes > largest()) {
      end(Outcome.NO_GAIN, LONG_MINUTES);
    } else if (writer != null || codedBytes > loop.store().inlineBytes()) {
      store(-1);
    }
  }

  /** Length of the longest copy that is worth having. */
  private long largest() {
    return bestLength - Math.max(MIN_GAIN_BYTES, bestLength / MIN_GAIN_DIVISOR);
  }

  @Override
  public void onEnd() {
    if (isOver) {
      return;
    }
    if (!reader.isWhole() || codedBytes == 0) {
      end(Outcome.FAILED, SourceReader.FAILURE_MINUTES);
      return;
    }
    store(codedBytes);
    if (!isOver) {
      finish();
    }
  }

  @Override
  public void onFailed(Throwable why) {
    end(Outcome.FAILED, SourceReader.FAILURE_MINUTES);
  }

  /** Writes what is held; the length counts if nothing has been written before. */
  private void store(long length) {
    ObjectWriter to = writer;
    if (to == null) {
      long birth = loop.store().nextBirth();
      // Null also if a purge or another response has taken the source away.
      to = birth < 0 ? null : loop.lane().begin(born(spec, birth).with(length, spec.keyText()));
      if (to == null) {
        boolean isFull = birth < 0 || loop.lane().lacksRoom();
        end(isFull ? Outcome.NO_ROOM : Outcome.SOURCE_GONE, SourceReader.SHORT_MINUTES);
        return;
      }
      writer = to;
    }
    while (!held.isEmpty()) {
      ByteBuf data = held.remove();
      boolean isTaken = true;
      for (ByteBuffer bytes : data.nioBuffers()) {
        isTaken = isTaken && to.append(bytes);
      }
      data.release();
      if (!isTaken) {
        end(Outcome.NO_ROOM, SourceReader.SHORT_MINUTES);
        return;
      }
    }
  }

  private void finish() {
    ObjectWriter to = writer;
    if (isOver || to == null) {
      return;
    }
    if (!to.reserveHead()) {
      end(Outcome.NO_ROOM, SourceReader.SHORT_MINUTES);
      return;
    }
    switch (to.finish()) {
      case BUSY -> retry();
      case INSTALLED -> {
        writer = null;
        counters.bytesIn += totalLength;
        counters.bytesOut += codedBytes;
        end(Outcome.MADE, 0);
      }
      case NO_SPACE -> {
        writer = null;
        end(Outcome.NO_ROOM, SourceReader.SHORT_MINUTES);
      }
      default -> {
        // A purge has come, or another response.
        writer = null;
        end(Outcome.SOURCE_GONE, 0);
      }
    }
  }

  private void retry() {
    if (++retries > MAX_RETRIES) {
      end(Outcome.SOURCE_GONE, SourceReader.SHORT_MINUTES);
      return;
    }
    loop.eventLoop().schedule(this::finish, RETRY_MICROS, TimeUnit.MICROSECONDS);
  }

  /** Every way leads here, once. */
  private void end(Outcome outcome, int minutes) {
    if (isOver) {
      return;
    }
    isOver = true;
    feed.cancel();
    reader.stop();
    while (!held.isEmpty()) {
      held.remove().release();
    }
    ObjectWriter unfinished = writer;
    if (unfinished != null) {
      unfinished.abort();
    }
    done.ended(outcome, minutes);
  }

  /** The same head with a birth. */
  static HeadSpec born(HeadSpec spec, long birth) {
    return new HeadSpec(
        spec.hi(),
        spec.lo(),
        spec.keyText(),
        spec.keyTextLength(),
        spec.head(),
        spec.scopes(),
        birth,
        spec.expiresAtMillis(),
        spec.kind(),
        spec.totalLength(),
        spec.copied(),
        spec.storageClass());
  }
}
