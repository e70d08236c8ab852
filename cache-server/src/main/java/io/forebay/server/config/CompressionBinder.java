package io.forebay.server.config;

import io.forebay.server.compress.CodingLevels;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.compress.DictionarySettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
        value(scope, CompressionKeys.ROUTE_PRIVATE),
        dictionary(scope));
  }

  /** Null where the route has none. */
  private @Nullable DictionarySettings dictionary(String scope) {
    Boolean isOn = value(scope, DictionaryKeys.ENABLED);
    String match = value(scope, DictionaryKeys.MATCH);
    List<String> destinations = given(scope, DictionaryKeys.DESTINATIONS);
    String id = value(scope, DictionaryKeys.ID);
    long maxBytes = given(scope, DictionaryKeys.MAX_SIZE);
    if (match == null && (id != null || !destinations.isEmpty())) {
      problem(
          scope,
          id == null ? DictionaryKeys.DESTINATIONS : DictionaryKeys.ID,
          "there is no dictionary.match that it could belong to",
          "set dictionary.match");
    }
    if (isOn == null ? match == null : !isOn) {
      return null;
    }
    Field<?, ?> given = match == null ? DictionaryKeys.ENABLED : DictionaryKeys.MATCH;
    if (Boolean.FALSE.equals(value(scope, CompressionKeys.ROUTE_ENABLED))) {
      problem(scope, given, "the route has compress: off", "remove one of them");
    }
    boolean hasOrigin =
        value(scope, ConfigKeys.KEY_HOST) == null
            && given(scope, ConfigKeys.KEY_PORT)
            && given(scope, ConfigKeys.KEY_SCHEME);
    if (!hasOrigin) {
      problem(
          scope,
          given,
          "dictionaries are of one scheme, host and port, which the route's key leaves out",
          "remove key.host, key.port and key.scheme");
    }
    return DictionarySettings.of(match, destinations, id, maxBytes);
  }

  private void problem(String scope, Field<?, ?> field, String why, String right) {
    String path = scope + "." + field.name();
    ConfigValues.Raw raw = values.get(path);
    if (raw != null) {
      problems.add(raw.place().problem(path, why, right));
    }
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
