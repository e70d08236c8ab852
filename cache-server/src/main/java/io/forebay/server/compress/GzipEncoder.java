package io.forebay.server.compress;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** gzip (RFC 1952): one member without a name and a time. */
final class GzipEncoder implements BodyCodec {
  private static final int MIN_ROOM = 1024;

  // Magic number, deflate, no flags, no time, no hint on the level, unknown system.
  private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};

  private final Deflater deflater;
  private final CRC32 crc = new CRC32();
  private boolean isBegun;

  GzipEncoder(int level) {
    deflater = new Deflater(level, true);
  }

  @Override
  public boolean code(ByteBuf piece, Until until, ByteBuf out, int room) {
    if (!isBegun) {
      isBegun = true;
      out.writeBytes(HEADER);
    }
    if (piece.isReadable()) {
      ByteBuffer bytes = piece.nioBuffer();
      crc.update(bytes.duplicate());
      deflater.setInput(bytes);
      piece.skipBytes(piece.readableBytes());
    }
    if (until == Until.END) {
      deflater.finish();
    }
    int flush = until == Until.FLUSH ? Deflater.SYNC_FLUSH : Deflater.NO_FLUSH;
    int written;
    int space;
    do {
      out.ensureWritable(MIN_ROOM);
      ByteBuffer to = out.nioBuffer(out.writerIndex(), out.writableBytes());
      space = to.remaining();
      written = deflater.deflate(to, flush);
      out.writerIndex(out.writerIndex() + written);
    } while (until == Until.END ? !deflater.finished() : written == space);
    if (until == Until.END) {
      out.writeIntLE((int) crc.getValue());
      out.writeIntLE((int) deflater.getBytesRead());
    }
    return true;
  }

  @Override
  public void close() {
    deflater.end();
  }
}
