package io.forebay.server.compress;

import com.aayushatharva.brotli4j.decoder.DecoderJNI;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The way back from br. The library's own buffers are bounded by its window of 16 MiB. */
final class BrotliDecoder implements BodyCodec {
  private static final int BUFFER_BYTES = 16 * 1024;

  private final DecoderJNI.Wrapper decoder;
  private boolean hasBegun;

  /** What the library has given out and was not copied yet. */
  private @Nullable ByteBuffer decoded;

  BrotliDecoder() throws IOException {
    decoder = new DecoderJNI.Wrapper(BUFFER_BYTES);
  }

  @Override
  public boolean code(ByteBuf piece, Until until, ByteBuf out, int room) throws IOException {
    int limit = out.writerIndex() + room;
    while (true) {
      if (!copied(out, limit)) {
        return false;
      }
      switch (decoder.getStatus()) {
        case DONE -> {
          // What follows the end is dropped.
          piece.skipBytes(piece.readableBytes());
          return true;
        }
        case OK -> decoder.push(0);
        case NEEDS_MORE_OUTPUT -> decoded = decoder.pull();
        case NEEDS_MORE_INPUT -> {
          if (decoder.hasOutput()) {
            decoded = decoder.pull();
          } else if (piece.isReadable()) {
            hasBegun = true;
            ByteBuffer input = decoder.getInputBuffer();
            input.clear();
            int length = Math.min(input.remaining(), piece.readableBytes());
            input.limit(length);
            piece.readBytes(input);
            decoder.push(length);
          } else {
            if (until == Until.END && hasBegun) {
              throw new IOException("the br stream ends before its end");
            }
            return true;
          }
        }
        default -> throw new IOException("not a br stream, or a damaged one");
      }
    }
  }

  /** Whether nothing is left that was decoded. */
  private boolean copied(ByteBuf out, int limit) {
    ByteBuffer from = decoded;
    if (from == null) {
      return true;
    }
    int length = Math.min(from.remaining(), limit - out.writerIndex());
    if (length > 0) {
      ByteBuffer part = from.slice(from.position(), length);
      out.writeBytes(part);
      from.position(from.position() + length);
    }
    if (from.hasRemaining()) {
      return false;
    }
    decoded = null;
    return true;
  }

  @Override
  public void close() {
    decoded = null;
    decoder.destroy();
  }
}
