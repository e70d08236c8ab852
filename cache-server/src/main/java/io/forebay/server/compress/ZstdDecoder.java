package io.forebay.server.compress;

import com.github.luben.zstd.ZstdDirectBufferDecompressingStreamNoFinalizer;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The way back from zstd, through one frame or several; windows up to 8 MiB (RFC 9659). */
final class ZstdDecoder implements BodyCodec {
  private static final int MIN_ROOM = 4096;
  private static final int MAX_WINDOW_LOG = 23;

  /** Within a frame; null between two. */
  private @Nullable Frames frames;

  /** Reads from whatever piece it is given. */
  private static final class Frames extends ZstdDirectBufferDecompressingStreamNoFinalizer {
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    Frames() throws IOException {
      super(NOTHING);
      setLongMax(MAX_WINDOW_LOG);
    }

    void source(ByteBuffer piece) {
      source = piece;
    }
  }

  @Override
  public boolean code(ByteBuf piece, Until until, ByteBuf out, int room) throws IOException {
    int limit = out.writerIndex() + room;
    boolean hasMore = true;
    while (hasMore) {
      Frames at = frames;
      if (at == null) {
        if (!piece.isReadable()) {
          return true;
        }
        at = new Frames();
        frames = at;
      }
      if (out.writerIndex() >= limit) {
        return false;
      }
      ByteBuffer from = piece.nioBuffer();
      int available = from.remaining();
      out.ensureWritable(MIN_ROOM);
      ByteBuffer to = out.nioBuffer(out.writerIndex(), out.writableBytes());
      int space = to.remaining();
      at.source(from);
      int written = at.read(to);
      piece.skipBytes(available - from.remaining());
      out.writerIndex(out.writerIndex() + written);
      if (!at.hasRemaining()) {
        frames = null;
        at.close();
      }
      hasMore = piece.isReadable() || written == space;
    }
    if (until == Until.END && frames != null) {
      throw new IOException("the zstd stream ends within a frame");
    }
    return true;
  }

  @Override
  public void close() {
    if (frames != null) {
      frames.close();
      frames = null;
    }
  }
}
