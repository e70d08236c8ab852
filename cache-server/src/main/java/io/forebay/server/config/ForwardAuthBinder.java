package io.forebay.server.config;

import io.forebay.server.config.ConfigValues.Raw;
import io.forebay.server.config.ForwardAuthConfig.CachePart;
import io.forebay.server.text.Printable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code protection.NAME.forward-auth}. */
final class ForwardAuthBinder extends Binder {
  private static final int MAX_RESPONSE_FIELDS = 16;

  private final Set<String> origins;

  /**
   * Reads these values.
   *
   * @param origins names of all origins
   */
  ForwardAuthBinder(
      ConfigValues values,
      List<ConfigProblem> problems,
      Map<String, String> sources,
      Set<String> origins) {
    super(values, problems, sources);
    this.origins = origins;
  }

  @Nullable ForwardAuthConfig bind(String scope) {
    String origin = value(scope, ForwardAuthKeys.ORIGIN);
    String path = scope + "." + ForwardAuthKeys.ORIGIN.name();
    if (origin == null) {
      SourceLocation place =
          givenPlace(
              ForwardAuthKeys.ALL.stream()
                  .map(field -> scope + "." + field.name())
                  .toArray(String[]::new));
      if (place != null && !values.wasRefused(path)) {
        problems.add(place.problem(path, "is missing", "name the origin that decides"));
      }
      return null;
    }
    Raw raw = values.get(path);
    if (raw != null && !origins.isEmpty() && !origins.contains(origin)) {
      problems.add(
          raw.place()
              .problem(
                  path,
                  "there is no origin named " + origin,
                  Printable.suggestion(origin, origins.stream().sorted().toList())));
    }
    List<String> sent = value(scope, ForwardAuthKeys.REQUEST_FIELDS);
    List<CachePart> cacheBy =
        or(value(scope, ForwardAuthKeys.CACHE_BY), List.<String>of()).stream()
            .map(CachePart::of)
            .toList();
    Duration ttl = value(scope, ForwardAuthKeys.TTL);
    if (ttl != null && cacheBy.isEmpty()) {
      String ttlPath = scope + "." + ForwardAuthKeys.TTL.name();
      problems.add(
          firstPlace(ttlPath)
              .problem(ttlPath, "has no meaning without cache-by", "say what verdicts depend on"));
    }
    return new ForwardAuthConfig(
        origin,
        or(value(scope, ForwardAuthKeys.PATH), "/"),
        or(value(scope, ForwardAuthKeys.METHOD), "GET"),
        sent == null ? List.of("authorization", "cookie") : sent,
        responseFields(scope),
        cacheBy,
        or(ttl, Duration.ofMinutes(1)),
        or(value(scope, ForwardAuthKeys.TIMEOUT), Duration.ofSeconds(5)),
        or(value(scope, ForwardAuthKeys.REDIRECTS), false),
        or(value(scope, ForwardAuthKeys.ON_ERROR), "refuse").equals("admit"),
        or(value(scope, ForwardAuthKeys.FORWARD), false));
  }

  private List<String> responseFields(String scope) {
    List<String> names = or(value(scope, ForwardAuthKeys.RESPONSE_FIELDS), List.<String>of());
    if (names.size() > MAX_RESPONSE_FIELDS) {
      String path = scope + "." + ForwardAuthKeys.RESPONSE_FIELDS.name();
      problems.add(
          firstPlace(path).problem(path, "more than " + MAX_RESPONSE_FIELDS, "remove some"));
    }
    return names;
  }

  private static <T> T or(@Nullable T value, T otherwise) {
    return value == null ? otherwise : value;
  }
}
