package io.forebay.server.protect.token;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.RequestView;
import io.forebay.server.config.JwtConfig;
import io.forebay.server.config.JwtConfig.TokenPlace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the token of a request. What is there twice is not there: which one counts is a guess. */
public final class TokenReader {
  private static final String SCHEME = "bearer ";

  private TokenReader() {}

  /** The token in the first of the places that has one, or null. */
  public static @Nullable String token(JwtConfig config, RequestView request) {
    for (TokenPlace place : config.from()) {
      List<String> found =
          switch (place.kind()) {
            case BEARER -> bearer(request.fields());
            case COOKIE -> cookies(request.fields(), place.name());
            case QUERY -> parameters(request.query(), place.name());
          };
      if (!found.isEmpty()) {
        return found.size() == 1 ? found.getFirst() : null;
      }
    }
    return null;
  }

  /** Other schemes may belong to somebody else, but two fields to nobody. */
  private static List<String> bearer(FieldsView fields) {
    List<String> lines = fields.all("authorization");
    if (lines.size() > 1) {
      return lines;
    }
    return lines.stream()
        .filter(line -> line.regionMatches(true, 0, SCHEME, 0, SCHEME.length()))
        .map(line -> line.substring(SCHEME.length()).strip())
        .toList();
  }

  /** The values of a cookie in all Cookie lines. */
  public static List<String> cookies(FieldsView fields, String name) {
    List<String> found = new ArrayList<>(1);
    for (String line : fields.all("cookie")) {
      int from = 0;
      while (from <= line.length()) {
        int semicolon = line.indexOf(';', from);
        int end = semicolon < 0 ? line.length() : semicolon;
        String pair = FieldSyntax.trim(line, from, end);
        if (pair.startsWith(name) && pair.startsWith("=", name.length())) {
          found.add(pair.substring(name.length() + 1));
        }
        from = end + 1;
      }
    }
    return found;
  }

  private static List<String> parameters(@Nullable String query, String name) {
    List<String> found = new ArrayList<>(1);
    int from = 0;
    while (query != null && from <= query.length()) {
      int ampersand = query.indexOf('&', from);
      int end = ampersand < 0 ? query.length() : ampersand;
      if (query.startsWith(name + "=", from)) {
        found.add(query.substring(from + name.length() + 1, end));
      }
      from = end + 1;
    }
    return found;
  }
}
