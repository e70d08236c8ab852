package io.forebay.server.rule;

import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetNormalizer;
import org.jspecify.annotations.Nullable;

/** How a rule changes the path that the origin is asked for. */
public sealed interface Rewrite {

  /** The target by a template; the query stays where the template has none. */
  record To(Template template) implements Rewrite {}

  /** A prefix is left out where the path is below it. */
  record StripPrefix(String prefix) implements Rewrite {}

  /** A prefix goes before the path. */
  record AddPrefix(String prefix) implements Rewrite {}

  /**
   * Path and query, in normal form. What cannot be brought into it, which takes a template that
   * cuts escapes apart, is not rewritten.
   */
  default String target(RequestView request, String @Nullable [] captures) {
    String path =
        switch (this) {
          case To(Template template) -> template.url(request, captures);
          case StripPrefix(String prefix) -> stripped(request.path(), prefix);
          case AddPrefix(String prefix) -> prefix + request.path();
        };
    String query = request.query();
    String target = query == null || path.indexOf('?') >= 0 ? path : path + "?" + query;
    if (TargetNormalizer.normalize(target, "GET") instanceof TargetNormalizer.Accepted accepted
        && accepted.authority() == null) {
      return accepted.query() == null ? accepted.path() : accepted.path() + "?" + accepted.query();
    }
    return query == null ? request.path() : request.path() + "?" + query;
  }

  private static String stripped(String path, String prefix) {
    String end = prefix.endsWith("/") ? prefix.substring(0, prefix.length() - 1) : prefix;
    if (!path.startsWith(prefix)) {
      return path;
    }
    String rest = path.substring(end.length());
    return rest.isEmpty() ? "/" : rest.startsWith("/") ? rest : path;
  }
}
