package io.forebay.lab.load.client;

import io.netty.buffer.ByteBuf;

/** Knows which bytes the origin makes of a path. */
@FunctionalInterface
public interface BodyCheck {

  /**
   * The body of a path.
   *
   * @param seed of the origin
   * @param path as in the request
   */
  Expected of(long seed, String path);

  /** One body. */
  @FunctionalInterface
  interface Expected {

    /** Whether the readable bytes are those from the offset on. Moves no index. */
    boolean matches(ByteBuf bytes, long offset);
  }
}
