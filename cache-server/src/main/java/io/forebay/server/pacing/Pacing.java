package io.forebay.server.pacing;

/**
 * How fast responses are sent.
 *
 * @param bytesPerSecond of a connection, at most
 * @param burstBytes what of each response is sent at full speed first
 */
public record Pacing(long bytesPerSecond, long burstBytes) {

  /** A rate that no connection reaches. */
  public static final long UNPACED = Long.MAX_VALUE;

  private static final int MIN_CHUNK_BYTES = 16 * 1024;

  /** Chunks that a connection takes in this part of a second. */
  private static final int CHUNKS_PER_SECOND = 20;

  /** The length of chunks: short, because what waits for the pace has to be kept somewhere. */
  int chunkBytes(int usual) {
    return Math.clamp(bytesPerSecond / CHUNKS_PER_SECOND, Math.min(MIN_CHUNK_BYTES, usual), usual);
  }
}
