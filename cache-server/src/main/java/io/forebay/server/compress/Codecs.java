package io.forebay.server.compress;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.github.luben.zstd.util.Native;
import io.forebay.server.compress.Compressors.Use;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes encoders and decoders. The native libraries of br and zstd are loaded at the first look;
 * one that does not load is reported once, and its coding is then not there.
 */
final class Codecs {
  private static final Logger LOG = LoggerFactory.getLogger(Codecs.class);

  // Bytes that an encoder looks back, as powers of two. Of streams there may be hundreds at once.
  private static final int MIN_WINDOW_LOG = 12;
  private static final int STREAM_WINDOW_LOG = 18;
  private static final int COPY_WINDOW_LOG = 22;

  private Codecs() {}

  /** What is there on this machine; loaded when it is first asked for. */
  private static final class Loaded {
    private static final List<ContentCoding> CODINGS = load();

    private static List<ContentCoding> load() {
      List<ContentCoding> codings = new ArrayList<>();
      for (ContentCoding coding : ContentCoding.values()) {
        String missing = missing(coding);
        if (missing == null) {
          codings.add(coding);
        } else {
          LOG.warn("content coding {} is not available: {}", coding.token(), missing);
        }
      }
      return List.copyOf(codings);
    }
  }

  static List<ContentCoding> available() {
    return Loaded.CODINGS;
  }

  /** Why a coding is not there, or null. */
  private static @Nullable String missing(ContentCoding coding) {
    try {
      return switch (coding) {
        case GZIP -> null;
        case BR -> {
          Brotli4jLoader.ensureAvailability();
          yield null;
        }
        case ZSTD -> {
          Native.load();
          yield Native.isLoaded() ? null : "its library does not load";
        }
      };
    } catch (LinkageError e) {
      return String.valueOf(e.getMessage());
    }
  }

  static BodyCodec encoder(ContentCoding coding, Use use, int level, long sizeHint) {
    int most = use == Use.STREAM ? STREAM_WINDOW_LOG : COPY_WINDOW_LOG;
    int window = Math.clamp(log(sizeHint), MIN_WINDOW_LOG, most);
    if (sizeHint < 0) {
      window = most;
    }
    try {
      return switch (coding) {
        case BR -> new BrotliEncoder(level, window);
        case ZSTD -> new ZstdEncoder(level, window);
        case GZIP -> new GzipEncoder(level);
      };
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The power of two that is not less than a size. */
  static int log(long size) {
    return 64 - Long.numberOfLeadingZeros(size - 1);
  }

  static BodyCodec delta(
      DeltaCoding coding, int level, byte[] dictionary, byte[] sha256, long length) {
    try {
      return DeltaCodec.of(coding, level, dictionary, sha256, length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static BodyCodec decoder(ContentCoding coding) {
    try {
      return new BoundedDecoder(
          switch (coding) {
            case BR -> new BrotliDecoder();
            case ZSTD -> new ZstdDecoder();
            case GZIP -> new GzipDecoder();
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
