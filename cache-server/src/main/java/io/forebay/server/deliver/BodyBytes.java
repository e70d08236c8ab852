package io.forebay.server.deliver;

import io.forebay.server.http.LeaseHolder;
import io.netty.buffer.ByteBuf;

/**
 * The source of a body's bytes: an object in the store, or a fill in progress. Confined to the
 * event loop of the delivery that reads it.
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
   * Finds the bytes at a position. When it returns a positive number, that many bytes are there,
   * and {@link #take} has to follow.
   */
  int locate(long position);

  /**
   * Who is told, on the loop, when bytes that were not there yet may be there, where nobody else
   * tells it. Set once, before the first look.
   */
  default void onArrival(Runnable told) {}

  /**
   * A buffer over the bytes that {@link #locate} has found, for one socket.
   *
   * @param lengthBytes at most what was found
   */
  ByteBuf take(Leases leases, int lengthBytes, LeaseHolder holder);
}
