package io.forebay.server.compress;

import io.netty.buffer.ByteBuf;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** What comes of a body is its SHA-256. */
final class Sha256Codec implements BodyCodec {
  private final MessageDigest digest;

  Sha256Codec() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public boolean code(ByteBuf piece, Until until, ByteBuf out, int room) {
    digest.update(piece.nioBuffer());
    piece.skipBytes(piece.readableBytes());
    if (until == Until.END) {
      out.writeBytes(digest.digest());
    }
    return true;
  }

  @Override
  public void close() {}
}
