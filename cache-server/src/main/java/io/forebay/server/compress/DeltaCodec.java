package io.forebay.server.compress;

import com.aayushatharva.brotli4j.encoder.Encoder;
import com.aayushatharva.brotli4j.encoder.PreparedDictionary;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Encodes a body against a dictionary: magic number and hash of the dictionary, then the stream of
 * the encoder that has it.
 */
final class DeltaCodec implements BodyCodec {

  /** The way in which a raw dictionary is told to the library of br. */
  private static final int RAW = 0;

  private static final int MIN_BR_QUALITY = 5;
  private static final int MIN_WINDOW_LOG = 16;
  private static final int MAX_WINDOW_LOG = 23;

  /** What a dictionary of zstd's own format begins with, which is not a raw one. */
  private static final int ZSTD_DICTIONARY = 0xEC30A437;

  /**
   * Bytes of dictionaries that the library of br has indexed, about a fifth of the memory that it
   * holds for them; it gives that back when the collector has found them.
   */
  private static final long MAX_INDEXED_BYTES = 16L << 20;

  private static final AtomicLong INDEXED_BYTES = new AtomicLong();
  private static final Cleaner CLEANER = Cleaner.create();

  private final BodyCodec encoder;
  private final byte[] head;
  private boolean hasBegun;

  private DeltaCodec(BodyCodec encoder, byte[] head) {
    this.encoder = encoder;
    this.head = head;
  }

  /**
   * An encoder.
   *
   * @param dictionary whole
   * @param sha256 what the client has said of it
   * @param length of the body
   * @throws IOException if the dictionary is another one, or can't be used
   */
  static BodyCodec of(DeltaCoding coding, int level, byte[] dictionary, byte[] sha256, long length)
      throws IOException {
    if (!MessageDigest.isEqual(sha256, sha256(dictionary))) {
      throw new IOException("the dictionary has another hash");
    }
    byte[] magic = coding.magic();
    byte[] head = new byte[magic.length + sha256.length];
    System.arraycopy(magic, 0, head, 0, magic.length);
    System.arraycopy(sha256, 0, head, magic.length, sha256.length);
    int window = Math.clamp(Codecs.log(length), MIN_WINDOW_LOG, MAX_WINDOW_LOG);
    return new DeltaCodec(
        switch (coding) {
          case DCB ->
              new BrotliEncoder(Math.max(level, MIN_BR_QUALITY), window, prepared(dictionary));
          case DCZ -> new ZstdEncoder(level, window, raw(dictionary), length);
        },
        head);
  }

  static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] raw(byte[] dictionary) throws IOException {
    boolean isOwnFormat =
        dictionary.length >= Integer.BYTES
            && Integer.reverseBytes(ByteBuffer.wrap(dictionary).getInt()) == ZSTD_DICTIONARY;
    if (isOwnFormat) {
      throw new IOException("the library would not take it as raw bytes");
    }
    return dictionary;
  }

  private static PreparedDictionary prepared(byte[] dictionary) throws IOException {
    long length = dictionary.length;
    if (INDEXED_BYTES.addAndGet(length) > MAX_INDEXED_BYTES) {
      INDEXED_BYTES.addAndGet(-length);
      throw new IOException("many dictionaries wait for the collector");
    }
    try {
      ByteBuffer direct = ByteBuffer.allocateDirect(dictionary.length);
      direct.put(dictionary).flip();
      PreparedDictionary prepared = Encoder.prepareDictionary(direct, RAW);
      Cleaner.Cleanable ignored =
          CLEANER.register(prepared, () -> INDEXED_BYTES.addAndGet(-length));
      return prepared;
    } catch (RuntimeException | Error e) {
      INDEXED_BYTES.addAndGet(-length);
      throw e;
    }
  }

  @Override
  public boolean code(ByteBuf piece, Until until, ByteBuf out, int room) throws IOException {
    if (!hasBegun) {
      hasBegun = true;
      out.writeBytes(head);
    }
    return encoder.code(piece, until, out, room);
  }

  @Override
  public void close() {
    encoder.close();
  }
}
