package io.forebay.server.compress;

import com.aayushatharva.brotli4j.encoder.BrotliEncoderChannel;
import com.aayushatharva.brotli4j.encoder.Encoder;
import com.aayushatharva.brotli4j.encoder.PreparedDictionary;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** br (RFC 7932). */
final class BrotliEncoder implements BodyCodec {
  private static final int BUFFER_BYTES = 64 * 1024;

  private final Target target = new Target();
  private final BrotliEncoderChannel channel;
  private boolean isClosed;

  /** What the library writes to: the output of the present turn. */
  private static final class Target implements WritableByteChannel {
    private ByteBuf out = Unpooled.EMPTY_BUFFER;

    @Override
    public int write(ByteBuffer bytes) {
      int length = bytes.remaining();
      out.writeBytes(bytes);
      return length;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  BrotliEncoder(int quality, int windowLog) throws IOException {
    channel =
        new BrotliEncoderChannel(
            target,
            new Encoder.Parameters().setQuality(quality).setWindow(windowLog),
            BUFFER_BYTES);
  }

  /** With a dictionary. */
  BrotliEncoder(int quality, int windowLog, PreparedDictionary dictionary) throws IOException {
    this(quality, windowLog);
    channel.attachDictionary(dictionary);
  }

  @Override
  public boolean code(ByteBuf piece, Until until, ByteBuf out, int room) throws IOException {
    target.out = out;
    try {
      if (piece.isReadable()) {
        channel.write(piece.nioBuffer());
        piece.skipBytes(piece.readableBytes());
      }
      if (until == Until.END) {
        isClosed = true;
        channel.close();
      } else if (until == Until.FLUSH) {
        channel.flush();
      }
    } finally {
      target.out = Unpooled.EMPTY_BUFFER;
    }
    return true;
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      ByteBuf rest = Unpooled.buffer();
      target.out = rest;
      try {
        channel.close();
      } catch (IOException e) {
        // Nobody waits for the rest.
        return;
      } finally {
        target.out = Unpooled.EMPTY_BUFFER;
        rest.release();
      }
    }
  }
}
