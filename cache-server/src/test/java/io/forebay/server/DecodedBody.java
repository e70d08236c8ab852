package io.forebay.server;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.decoder.BrotliInputStream;
import com.github.luben.zstd.ZstdDictDecompress;
import com.github.luben.zstd.ZstdInputStream;
import io.forebay.testing.RawClient.Response;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;

/** What a client sees of a body after it has decoded it. */
final class DecodedBody {
  private DecodedBody() {}

  static byte[] of(Response reply) throws IOException {
    return of(reply.field("content-encoding"), reply.body());
  }

  /** The same of a delta, whose beginning has to name the dictionary (RFC 9842 §4 and §5). */
  static byte[] of(Response reply, byte[] dictionary) throws IOException {
    String coding = reply.field("content-encoding");
    byte[] body = reply.body();
    byte[] magic = HexFormat.of().parseHex(coding.equals("dcb") ? "ff444342" : "5e2a4d1820000000");
    byte[] head = Arrays.copyOf(magic, magic.length + 32);
    System.arraycopy(sha256(dictionary), 0, head, magic.length, 32);
    if (!Arrays.equals(head, Arrays.copyOf(body, head.length))) {
      throw new IOException(coding + " begins with " + HexFormat.of().formatHex(body, 0, 40));
    }
    byte[] stream = Arrays.copyOfRange(body, head.length, body.length);
    switch (coding) {
      case "dcb" -> {
        Brotli4jLoader.ensureAvailability();
        ByteBuffer direct = ByteBuffer.allocateDirect(dictionary.length);
        direct.put(dictionary).flip();
        try (BrotliInputStream in = new BrotliInputStream(new ByteArrayInputStream(stream))) {
          in.attachDictionary(direct);
          return in.readAllBytes();
        }
      }
      case "dcz" -> {
        try (ZstdDictDecompress raw = new ZstdDictDecompress(dictionary);
            ZstdInputStream in = new ZstdInputStream(new ByteArrayInputStream(stream))) {
          in.setDict(raw);
          return in.readAllBytes();
        }
      }
      default -> throw new IOException("no delta: " + reply);
    }
  }

  static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  static byte[] of(String coding, byte[] body) throws IOException {
    return switch (coding) {
      case "" -> body;
      case "gzip" -> {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
          yield in.readAllBytes();
        }
      }
      case "br" -> {
        Brotli4jLoader.ensureAvailability();
        try (BrotliInputStream in = new BrotliInputStream(new ByteArrayInputStream(body))) {
          yield in.readAllBytes();
        }
      }
      case "zstd" -> {
        try (ZstdInputStream in = new ZstdInputStream(new ByteArrayInputStream(body))) {
          yield in.readAllBytes();
        }
      }
      default -> throw new IOException("no decoder for " + coding);
    };
  }
}
