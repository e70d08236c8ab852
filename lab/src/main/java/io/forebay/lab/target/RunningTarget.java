package io.forebay.lab.target;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** A started program. Closing stops it and waits for its end. */
public interface RunningTarget extends AutoCloseable {

  /** Where clients go. */
  URI address();

  /** Its processes, children included, at the moment. */
  List<ProcessHandle> processes();

  /**
   * Its counters since its start.
   *
   * @throws IOException when it does not answer
   */
  Counters counters() throws IOException, InterruptedException;

  /**
   * The memory that gives a wanted hit ratio, from the program's own estimate; -1 where it has none
   * yet or can't tell.
   *
   * @param hitRatio 0 to 1
   */
  long memoryForHitRatio(double hitRatio) throws IOException, InterruptedException;

  /**
   * The same for a share of bytes.
   *
   * @param byteHitRatio 0 to 1
   */
  default long memoryForByteHitRatio(double byteHitRatio) throws IOException, InterruptedException {
    return -1;
  }

  @Override
  void close() throws IOException;

  /**
   * Counts since the start; -1 for what the program does not count. The lab's own questions are
   * left out.
   *
   * @param hits answered without asking the origin for this request: also those that waited for
   *     what another request fetched
   * @param bytesSent of bodies, or with heads where the program does not tell them apart
   * @param bytesFetched the same from the origin
   * @param bytesByTier bytes of hits by {@code memory} and {@code disk}, where it tells
   * @param originRequests to the origin, where it counts them: a miss may take several, each for a
   *     part of the body that is not stored
   */
  record Counters(
      long requests,
      long hits,
      long bytesSent,
      long bytesFetched,
      Map<String, Long> bytesByTier,
      long originRequests) {

    /** Of a program that sends one request to the origin for each miss. */
    public Counters(
        long requests,
        long hits,
        long bytesSent,
        long bytesFetched,
        Map<String, Long> bytesByTier) {
      this(requests, hits, bytesSent, bytesFetched, bytesByTier, -1);
    }

    public Counters {
      bytesByTier = Map.copyOf(bytesByTier);
    }
  }
}
