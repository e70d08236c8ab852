package io.forebay.server.compress;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads of the node that compress, and the places for bodies at once; one per server. A body
 * has one turn at most in the queue, so that the places bound the queue, too. Turns of streams go
 * before those of copies.
 *
 * <p>Used by all loops.
 */
public final class Compressors implements AutoCloseable {

  /** What bodies are for; each has places of its own, so that neither takes the other's. */
  public enum Use {
    /** A client waits for it. */
    STREAM,
    /** It is made in the background. */
    COPY
  }

  /** Turns that wait for each thread from which no further body is begun: it would only be late. */
  private static final int MAX_WAITING = 32;

  private static final int FIRST_QUEUE = 64;
  private static final int COPIES_PER_THREAD = 4;

  private final ByteBufAllocator allocator;
  private final int threads;
  private final ThreadPoolExecutor pool;
  private final CodingCounters counters = new CodingCounters();
  private final int[] places;
  private final AtomicInteger[] taken;
  private final AtomicLong numbers = new AtomicLong();

  /**
   * A pool without threads yet.
   *
   * @param threads at most; 0: a quarter of the processors
   * @param streams bodies at once that clients wait for
   */
  public Compressors(int threads, int streams, ByteBufAllocator allocator) {
    this.allocator = allocator;
    this.threads =
        threads > 0 ? threads : Math.max(1, Runtime.getRuntime().availableProcessors() / 4);
    this.places = new int[] {streams, this.threads * COPIES_PER_THREAD};
    this.taken = new AtomicInteger[] {new AtomicInteger(), new AtomicInteger()};
    this.pool =
        new ThreadPoolExecutor(
            this.threads,
            this.threads,
            0,
            TimeUnit.SECONDS,
            new PriorityBlockingQueue<>(FIRST_QUEUE),
            Thread.ofPlatform().daemon().name("compress-", 0).factory());
  }

  /** Starts the threads. Not called on a loop, whose CPU they would inherit. */
  public void prepare() {
    int ignored = pool.prestartAllCoreThreads();
  }

  /** One turn of a body in the queue. */
  private record Turn(Use use, long number, CodingStream stream)
      implements Runnable, Comparable<Turn> {
    @Override
    public void run() {
      stream.work();
    }

    @Override
    public int compareTo(Turn other) {
      int byUse = use.compareTo(other.use);
      return byUse != 0 ? byUse : Long.compare(number, other.number);
    }
  }

  /**
   * A stream that encodes one body.
   *
   * @param sizeHint length of the body, or less than 0 where it is not known
   * @return null where no place is free, or the coding is not there on this machine
   */
  public @Nullable CodingStream open(
      Use use,
      ContentCoding coding,
      int level,
      long sizeHint,
      EventExecutor loop,
      CodingStream.Listener listener) {
    return opened(
        use, coding, () -> Codecs.encoder(coding, use, level, sizeHint), false, loop, listener);
  }

  /** A stream that decodes one body for a client, within bounds; null as above. */
  public @Nullable CodingStream openDecoder(
      ContentCoding coding, EventExecutor loop, CodingStream.Listener listener) {
    return opened(Use.STREAM, coding, () -> Codecs.decoder(coding), true, loop, listener);
  }

  /**
   * A stream that encodes one body against a dictionary; null as above.
   *
   * @param dictionary whole; not changed any more
   * @param sha256 of the dictionary, by what the client says; if it is not, the stream fails
   * @param length of the body
   */
  public @Nullable CodingStream openDelta(
      DeltaCoding coding,
      int level,
      byte[] dictionary,
      byte[] sha256,
      long length,
      EventExecutor loop,
      CodingStream.Listener listener) {
    return opened(
        Use.COPY,
        coding.encoder(),
        () -> Codecs.delta(coding, level, dictionary, sha256, length),
        false,
        loop,
        listener);
  }

  /** A stream that brings the SHA-256 of one body; null where no place is free. */
  public @Nullable CodingStream openDigest(EventExecutor loop, CodingStream.Listener listener) {
    return hasPlace(Use.COPY)
        ? new CodingStream(this, Use.COPY, Sha256Codec::new, allocator, loop, listener)
        : null;
  }

  private @Nullable CodingStream opened(
      Use use,
      ContentCoding coding,
      Supplier<BodyCodec> codecs,
      boolean isDecoded,
      EventExecutor loop,
      CodingStream.Listener listener) {
    if (!available().contains(coding)) {
      return null;
    }
    if (!hasPlace(use)) {
      return null;
    }
    counters.begin(use, coding, isDecoded);
    return new CodingStream(this, use, codecs, allocator, loop, listener);
  }

  private boolean hasPlace(Use use) {
    if (pool.getQueue().size() > threads * MAX_WAITING || !takePlace(use)) {
      counters.refuse(use);
      return false;
    }
    return true;
  }

  private boolean takePlace(Use use) {
    AtomicInteger of = taken[use.ordinal()];
    if (of.incrementAndGet() > places[use.ordinal()]) {
      of.decrementAndGet();
      return false;
    }
    return true;
  }

  void giveBack(Use use) {
    taken[use.ordinal()].decrementAndGet();
  }

  void run(Use use, CodingStream stream) {
    pool.execute(new Turn(use, numbers.getAndIncrement(), stream));
  }

  /** The codings that are there on this machine; the first call loads their libraries. */
  public static List<ContentCoding> available() {
    return Codecs.available();
  }

  public CodingCounters counters() {
    return counters;
  }

  /** Bodies that have a place now. */
  public int open(Use use) {
    return taken[use.ordinal()].get();
  }

  /** Waits for the turns that there are; each is short. */
  @Override
  public void close() {
    pool.close();
  }
}
