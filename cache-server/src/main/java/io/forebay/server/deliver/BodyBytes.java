package io.forebay.server.deliver;

/**
 * Where the bytes of a body lie: an object in the store, or a fill still in progress. Confined to
 * the loop of the delivery that reads it.
 */
public interface BodyBytes {

  /** Nothing to send yet; {@link Delivery#onProgress} follows. */
  int NOT_YET = 0;

  /** The bytes are no longer in memory. */
  int LOST = -1;

  /** The index was busy: ask again in a moment. */
  int BUSY = -2;

  /** The disk that holds the bytes does not accept the load: ask again later, or do without. */
  int REFUSED = -3;

  /**
   * Finds the bytes at a position. When it returns a positive number, that many bytes lie at {@link
   * #offset} of {@link #region}, on which one pin has been taken for the caller.
   */
  int locate(long position);

  /**
   * Who is told, on the loop, when bytes that were not there yet may be there, where nobody else
   * tells it. Set once, before the first look.
   */
  default void onArrival(Runnable told) {}

  int region();

  int offset();
}
