package io.forebay.lab.body;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** The bytes of one path. It has no end; a response takes the first of them. */
public final class Body {
  private static final int HEAD_BYTES = 16;
  private static final int TAG_BYTES = 8;

  private final byte[] head;
  private final int start;

  private Body(byte[] digest) {
    this.head = Arrays.copyOf(digest, HEAD_BYTES);
    long number = ByteBuffer.wrap(digest).getLong(HEAD_BYTES);
    this.start = (int) Long.remainderUnsigned(number, RandomBytes.SIZE);
  }

  /**
   * Of a path.
   *
   * @param path as in the request, without query
   */
  public static Body of(long seed, String path) {
    MessageDigest sha256;
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
    sha256.update(ByteBuffer.allocate(Long.BYTES).putLong(0, seed));
    return new Body(sha256.digest(path.getBytes(StandardCharsets.UTF_8)));
  }

  /** The byte at an offset of at least 0. */
  public byte at(long offset) {
    return offset < HEAD_BYTES ? head[(int) offset] : RandomBytes.at(index(offset));
  }

  /** Whether the readable bytes are those from an offset on. */
  public boolean matches(ByteBuf bytes, long offset) {
    long at = offset;
    for (int index = bytes.readerIndex(); index < bytes.writerIndex(); ) {
      ByteBuf window = window(at, bytes.writerIndex() - index);
      int length = window.readableBytes();
      if (!ByteBufUtil.equals(window, 0, bytes, index, length)) {
        return false;
      }
      index += length;
      at += length;
    }
    return true;
  }

  /**
   * Bytes from an offset on, as a view of the table: nothing is copied. A view ends where the table
   * does, so that more than one may be needed.
   *
   * @param max at least 1
   * @return 1 to {@code max} bytes, not to be written to; a release frees the view alone
   */
  public ByteBuf window(long offset, int max) {
    if (offset < HEAD_BYTES) {
      return Unpooled.wrappedBuffer(head, (int) offset, Math.min(max, HEAD_BYTES - (int) offset));
    }
    int index = index(offset);
    return RandomBytes.window(index, Math.min(max, RandomBytes.SIZE - index));
  }

  /** 16 hexadecimal digits, different for each path and seed: an entity tag. */
  public String tag() {
    return HexFormat.of().formatHex(head, 0, TAG_BYTES);
  }

  private int index(long offset) {
    return (int) ((start + offset) % RandomBytes.SIZE);
  }
}
