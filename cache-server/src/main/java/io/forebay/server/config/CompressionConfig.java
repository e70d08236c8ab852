package io.forebay.server.config;

import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.compress.DictionarySettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the node compresses unless a route says otherwise, and with how much.
 *
 * @param threads at most; 0: by the processors
 * @param streams bodies at once that are compressed while they are sent
 */
public record CompressionConfig(CompressionSettings settings, int threads, int streams) {

  public static final CompressionConfig DEFAULT =
      new CompressionConfig(CompressionSettings.DEFAULT, 0, 128);

  /** Nothing is compressed. */
  public static final CompressionConfig OFF = new CompressionConfig(CompressionSettings.OFF, 0, 0);

  /** What a route says of it; null where it says nothing. */
  public record OfRoute(
      @Nullable Boolean enabled,
      @Nullable List<String> types,
      @Nullable Long minBytes,
      @Nullable List<ContentCoding> codings,
      @Nullable Boolean privates,
      @Nullable DictionarySettings dictionary) {

    /** A route that says nothing. */
    public static final OfRoute NONE = new OfRoute(null, null, null, null, null);

    /** A route without dictionaries. */
    public OfRoute(
        @Nullable Boolean enabled,
        @Nullable List<String> types,
        @Nullable Long minBytes,
        @Nullable List<ContentCoding> codings,
        @Nullable Boolean privates) {
      this(enabled, types, minBytes, codings, privates, null);
    }

    /** The settings of such a route. */
    public CompressionSettings over(CompressionSettings node) {
      return new CompressionSettings(
          enabled == null ? node.isOn() : enabled,
          types == null ? node.types() : types,
          minBytes == null ? node.minBytes() : minBytes,
          codings == null ? node.codings() : codings,
          node.streams(),
          node.copies(),
          privates == null ? node.isPrivate() : privates,
          dictionary);
    }
  }
}
