package io.forebay.server.config;

import io.forebay.server.compress.CodingLevels;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Binds what the configuration says of content codings. */
final class CompressionBinder extends Binder {
  private static final String SCOPE = "compress";

  CompressionBinder(
      ConfigValues values, List<ConfigProblem> problems, Map<String, String> sources) {
    super(values, problems, sources);
  }

  CompressionConfig bind() {
    return new CompressionConfig(
        new CompressionSettings(
            given(SCOPE, CompressionKeys.ENABLED),
            given(SCOPE, CompressionKeys.MEDIA_TYPES),
            given(SCOPE, CompressionKeys.MIN),
            codings(given(SCOPE, CompressionKeys.ACCEPTED)),
            new CodingLevels(
                given(SCOPE, CompressionKeys.STREAM_BR),
                given(SCOPE, CompressionKeys.STREAM_ZSTD),
                given(SCOPE, CompressionKeys.STREAM_GZIP)),
            new CodingLevels(
                given(SCOPE, CompressionKeys.COPY_BR),
                given(SCOPE, CompressionKeys.COPY_ZSTD),
                given(SCOPE, CompressionKeys.COPY_GZIP)),
            given(SCOPE, CompressionKeys.PRIVATE)),
        given(SCOPE, CompressionKeys.THREADS),
        given(SCOPE, CompressionKeys.STREAMS));
  }

  CompressionConfig.OfRoute ofRoute(String scope) {
    List<String> codings = value(scope, CompressionKeys.ROUTE_CODINGS);
    return new CompressionConfig.OfRoute(
        value(scope, CompressionKeys.ROUTE_ENABLED),
        value(scope, CompressionKeys.ROUTE_TYPES),
        value(scope, CompressionKeys.ROUTE_MIN),
        codings == null ? null : codings(codings),
        value(scope, CompressionKeys.ROUTE_PRIVATE));
  }

  private static List<ContentCoding> codings(List<String> tokens) {
    List<ContentCoding> codings = new ArrayList<>();
    for (String token : tokens) {
      ContentCoding coding = ContentCoding.ofToken(token);
      if (coding != null) {
        codings.add(coding);
      }
    }
    return List.copyOf(codings);
  }
}
