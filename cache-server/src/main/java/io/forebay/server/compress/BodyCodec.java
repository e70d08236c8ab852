package io.forebay.server.compress;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/** Encodes or decodes one body, piece by piece; used by one thread at a time. */
interface BodyCodec extends AutoCloseable {

  /** How far the output has to come. */
  enum Until {
    /** As far as the codec likes. */
    MORE,
    /** Brings out all that is held: the output so far can be decoded to all that went in. */
    FLUSH,
    /** The end of the body. */
    END
  }

  /**
   * Takes what is readable of a piece and appends what comes of it.
   *
   * @param room bytes of output after which a decoder stops; encoders take a piece whole
   * @return whether the piece was taken and the output has come so far; else the rest of the piece
   *     is given once more
   * @throws IOException if the bytes are not of that coding
   */
  boolean code(ByteBuf piece, Until until, ByteBuf out, int room) throws IOException;

  @Override
  void close();
}
