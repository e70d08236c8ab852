package io.forebay.server.listen.http2;

import io.forebay.server.listen.connection.StreamPriority;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.StreamByteDistributor;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Selects the stream of a connection that sends next (RFC 9218 §10): the most urgent level with
 * data; within a level, incremental streams take turns of one frame, and all others together take
 * one turn, oldest stream first. Streams with a closed window are not queued. Owner: the
 * connection's event loop.
 *
 * <pre>
 *   level 0    shared: 5 → 9 → 5 …      whole: 3, then 7
 *   …
 *   level 7
 * </pre>
 */
final class UrgencyDistributor implements StreamByteDistributor {

  /** What a stream that shares sends in its turn. */
  private static final int TURN_LENGTH = Http2CodecUtil.DEFAULT_MAX_FRAME_SIZE;

  private final Http2Connection.PropertyKey key;
  private final @Nullable Level[] levels = new Level[StreamPriority.LEVELS];
  private long streamableBytes;

  /** Those of one urgency that have something to send and a window for it. */
  private static final class Level {
    final ArrayDeque<State> shared = new ArrayDeque<>(4);
    final TreeMap<Integer, State> whole = new TreeMap<>();

    /** How many of those that share have had their turn since the others had theirs. */
    int turns;

    @Nullable State poll() {
      boolean isWholesTurn = !whole.isEmpty() && turns >= shared.size();
      if (isWholesTurn || shared.isEmpty()) {
        turns = 0;
        Map.Entry<Integer, State> oldest = whole.pollFirstEntry();
        return oldest == null ? null : oldest.getValue();
      }
      turns++;
      return shared.pollFirst();
    }

    void putBack(State state) {
      if (state.priority.isShared()) {
        shared.addFirst(state);
        turns--;
      } else {
        whole.put(state.stream.id(), state);
        turns = shared.size();
      }
    }
  }

  /** What is known of one stream. */
  private static final class State {
    final Http2Stream stream;
    StreamPriority priority = StreamPriority.UNSAID;
    int streamableBytes;
    boolean isWindowNegative;
    boolean isQueued;
    boolean isWriting;

    State(Http2Stream stream) {
      this.stream = stream;
    }
  }

  UrgencyDistributor(Http2Connection connection) {
    key = connection.newKey();
    State ofConnection = new State(connection.connectionStream());
    connection.connectionStream().setProperty(key, ofConnection);
    connection.addListener(
        new Http2ConnectionAdapter() {
          @Override
          public void onStreamAdded(Http2Stream stream) {
            stream.setProperty(key, new State(stream));
          }

          @Override
          public void onStreamClosed(Http2Stream stream) {
            State state = state(stream);
            leaveQueue(state);
            streamableBytes -= state.streamableBytes;
            state.streamableBytes = 0;
          }
        });
  }

  private State state(Http2Stream stream) {
    return stream.<State>getProperty(key);
  }

  /** The client has said how urgent a stream is. */
  void prioritize(Http2Stream stream, StreamPriority priority) {
    State state = state(stream);
    boolean wasQueued = state.isQueued;
    leaveQueue(state);
    state.priority = priority;
    if (wasQueued) {
      enqueue(state);
    }
  }

  @Override
  public void updateStreamableBytes(StreamState now) {
    State state = state(now.stream());
    int streamable = Http2CodecUtil.streamableBytes(now);
    streamableBytes += streamable - state.streamableBytes;
    state.streamableBytes = streamable;
    state.isWindowNegative = now.windowSize() < 0;
    // With a window of nothing it may send frames of no length, but only once after each change.
    if (now.hasFrame() && (now.windowSize() > 0 || (now.windowSize() == 0 && !state.isWriting))) {
      enqueue(state);
    }
  }

  @Override
  public void updateDependencyTree(
      int childStreamId, int parentStreamId, short weight, boolean exclusive) {
    // The tree of RFC 7540 is gone with RFC 9113 §5.3.
  }

  @Override
  public boolean distribute(int maxBytes, Writer writer) throws Http2Exception {
    int left = maxBytes;
    for (Level level : levels) {
      // Once round at most for those that stay queued without being able to send.
      State state = level == null ? null : level.poll();
      while (level != null && state != null) {
        if (left == 0 && state.streamableBytes > 0) {
          level.putBack(state);
          return streamableBytes > 0;
        }
        state.isQueued = false;
        if (!state.isWindowNegative) {
          left -= write(state, turn(level, state, left), writer);
        }
        state = level.poll();
      }
    }
    return streamableBytes > 0;
  }

  private static int turn(Level level, State state, int most) {
    // A stream without competitors sends as much as it can.
    boolean isAlone =
        level.shared.isEmpty() && (level.whole.isEmpty() || !state.priority.isShared());
    int turn = isAlone ? most : TURN_LENGTH;
    return Math.min(Math.min(most, turn), state.streamableBytes);
  }

  private static int write(State state, int lengthBytes, Writer writer) {
    state.isWriting = true;
    try {
      // It is put in the queue again, behind the others, by the update that this leads to.
      writer.write(state.stream, lengthBytes);
    } finally {
      state.isWriting = false;
    }
    return lengthBytes;
  }

  private void enqueue(State state) {
    if (state.isQueued) {
      return;
    }
    state.isQueued = true;
    Level level = level(state);
    if (state.priority.isShared()) {
      level.shared.addLast(state);
    } else {
      level.whole.put(state.stream.id(), state);
    }
  }

  private void leaveQueue(State state) {
    if (!state.isQueued) {
      return;
    }
    state.isQueued = false;
    Level level = level(state);
    if (state.priority.isShared()) {
      level.shared.remove(state);
    } else {
      level.whole.remove(state.stream.id());
    }
  }

  private Level level(State state) {
    Level level = levels[state.priority.urgency()];
    if (level == null) {
      level = new Level();
      levels[state.priority.urgency()] = level;
    }
    return level;
  }
}
