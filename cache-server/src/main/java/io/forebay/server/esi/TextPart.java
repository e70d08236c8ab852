package io.forebay.server.esi;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Text of a page as it goes out. */
final class TextPart implements PagePart {

  private final HeldBytes held;
  private final ByteBuf bytes;
  private final int length;

  /**
   * Text that is held until it is written.
   *
   * @param held has counted the bytes
   * @param bytes ownership passes
   */
  TextPart(HeldBytes held, ByteBuf bytes) {
    this.held = held;
    this.bytes = bytes;
    this.length = bytes.readableBytes();
  }

  @Override
  public State state() {
    return State.COMPLETE;
  }

  @Override
  public Drained drain(PageOutput out) {
    while (bytes.isReadable()) {
      int most = out.room();
      if (most <= 0) {
        return Drained.WAITS;
      }
      out.write(bytes.readRetainedSlice(Math.min(most, bytes.readableBytes())));
    }
    return Drained.ALL;
  }

  @Override
  public void activate() {}

  @Override
  public void release() {
    bytes.release();
    held.remove(length);
  }

  @Override
  public long heldBytes() {
    return bytes.readableBytes();
  }

  @Override
  public boolean isRunning() {
    return false;
  }

  @Override
  public @Nullable Include firstWaiting() {
    return null;
  }

  @Override
  public String why() {
    return "";
  }
}
