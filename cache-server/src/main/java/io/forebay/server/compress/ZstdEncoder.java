package io.forebay.server.compress;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.ZstdCompressCtx;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** zstd (RFC 8878), one frame, with a window that every client takes (RFC 9659). */
final class ZstdEncoder implements BodyCodec {
  private static final int MIN_ROOM = 1024;

  private final ZstdCompressCtx context;

  ZstdEncoder(int level, int windowLog) {
    context = new ZstdCompressCtx();
    context.setLevel(level).setChecksum(false).setContentSize(false).setWindowLog(windowLog);
  }

  /**
   * With a raw dictionary.
   *
   * @param length of the body
   */
  ZstdEncoder(int level, int windowLog, byte[] dictionary, long length) {
    this(level, windowLog);
    context.setPledgedSrcSize(length);
    context.loadDict(dictionary);
  }

  @Override
  public boolean code(ByteBuf piece, Until until, ByteBuf out, int room) {
    EndDirective directive =
        switch (until) {
          case MORE -> EndDirective.CONTINUE;
          case FLUSH -> EndDirective.FLUSH;
          case END -> EndDirective.END;
        };
    ByteBuffer from = piece.nioBuffer();
    boolean isDone;
    do {
      out.ensureWritable(MIN_ROOM);
      ByteBuffer to = out.nioBuffer(out.writerIndex(), out.writableBytes());
      int start = to.position();
      isDone = context.compressDirectByteBufferStream(to, from, directive);
      out.writerIndex(out.writerIndex() + to.position() - start);
    } while (until == Until.MORE ? from.hasRemaining() : !isDone);
    piece.skipBytes(piece.readableBytes());
    return true;
  }

  @Override
  public void close() {
    context.close();
  }
}
