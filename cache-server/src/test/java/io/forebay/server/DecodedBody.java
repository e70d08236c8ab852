package io.forebay.server;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.decoder.BrotliInputStream;
import com.github.luben.zstd.ZstdInputStream;
import io.forebay.testing.RawClient.Response;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;

/** What a client sees of a body after it has decoded it. */
final class DecodedBody {
  private DecodedBody() {}

  static byte[] of(Response reply) throws IOException {
    return of(reply.field("content-encoding"), reply.body());
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
