package io.forebay.server.digest;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The digests of one body as it passes. The first bytes are hashed at once; all others by a thread
 * of the pool, in order, one turn at a time.
 *
 * <pre>
 *   add* ──► end ──► its listener is told, at once if all was hashed at once
 *     └──────┴─────► cancel
 * </pre>
 *
 * <p>Owner: the loop of the body. The digests belong to the pool during a turn.
 */
public final class BodyDigest {

  /** So much of each body is hashed on the loop: a turn in the pool would cost as much. */
  static final int ON_LOOP_BYTES = 16 << 10;

  /** From here on the body is to be paused. */
  static final int BEHIND_BYTES = 1 << 20;

  private final Map<DigestAlgorithm, MessageDigest> digests;
  private final Executor pool;
  private final Executor loop;
  private final Runnable onCaughtUp;

  /** Not handed to the pool yet. */
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(0);

  private long hashedOnLoop;

  /** Bytes that are not hashed yet. */
  private long behind;

  private boolean isAtWork;
  private boolean isCancelled;
  private @Nullable Consumer<Map<DigestAlgorithm, byte[]>> onEnd;

  /**
   * Digests of a body of which nothing has come.
   *
   * @param loop runs what it is given on the loop of the body
   * @param onCaughtUp told when it {@linkplain #isBehind is behind} no longer
   */
  public BodyDigest(
      Collection<DigestAlgorithm> algorithms, Executor pool, Executor loop, Runnable onCaughtUp) {
    this.digests = new EnumMap<>(DigestAlgorithm.class);
    algorithms.forEach(algorithm -> digests.put(algorithm, algorithm.begin()));
    this.pool = pool;
    this.loop = loop;
    this.onCaughtUp = onCaughtUp;
  }

  /** The next bytes; takes over a buffer that nobody writes to any more. */
  public void add(ByteBuf data) {
    int length = data.readableBytes();
    if (!isAtWork && waiting.isEmpty() && hashedOnLoop + length <= ON_LOOP_BYTES) {
      hashedOnLoop += length;
      update(data);
      data.release();
      return;
    }
    behind += length;
    waiting.add(data);
    work();
  }

  /** Whether more bytes wait for the pool than may; the source pauses while this holds. */
  public boolean isBehind() {
    return behind > BEHIND_BYTES;
  }

  /** The body is whole: its digests are told, on the loop, unless it is cancelled before. */
  public void end(Consumer<Map<DigestAlgorithm, byte[]>> listener) {
    onEnd = listener;
    endIfHashed();
  }

  /** Nobody wants the digests any more. */
  public void cancel() {
    isCancelled = true;
    onEnd = null;
    while (!waiting.isEmpty()) {
      waiting.remove().release();
    }
  }

  private void endIfHashed() {
    Consumer<Map<DigestAlgorithm, byte[]>> listener = onEnd;
    if (listener == null || isAtWork || !waiting.isEmpty()) {
      return;
    }
    onEnd = null;
    Map<DigestAlgorithm, byte[]> values = new EnumMap<>(DigestAlgorithm.class);
    digests.forEach((algorithm, digest) -> values.put(algorithm, digest.digest()));
    listener.accept(values);
  }

  private void work() {
    if (isAtWork || waiting.isEmpty()) {
      return;
    }
    List<ByteBuf> turn = new ArrayList<>(waiting);
    waiting.clear();
    isAtWork = true;
    try {
      pool.execute(() -> {
        turn.forEach(this::update);
        backOnLoop(turn);
      });
    } catch (RejectedExecutionException e) {
      // The node stops.
      turn.forEach(this::update);
      done(turn);
    }
  }

  private void backOnLoop(List<ByteBuf> turn) {
    try {
      loop.execute(() -> done(turn));
    } catch (RejectedExecutionException e) {
      turn.forEach(ByteBuf::release);
    }
  }

  private void done(List<ByteBuf> turn) {
    boolean wasBehind = isBehind();
    for (ByteBuf data : turn) {
      behind -= data.readableBytes();
      data.release();
    }
    isAtWork = false;
    if (isCancelled) {
      return;
    }
    work();
    if (wasBehind && !isBehind()) {
      onCaughtUp.run();
    }
    endIfHashed();
  }

  /** Leaves the indexes of the buffer. */
  private void update(ByteBuf data) {
    for (ByteBuffer bytes : data.nioBuffers()) {
      for (MessageDigest digest : digests.values()) {
        digest.update(bytes.duplicate());
      }
    }
  }
}
