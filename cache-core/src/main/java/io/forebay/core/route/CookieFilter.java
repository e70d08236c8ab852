package io.forebay.core.route;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects by name which cookies are kept; names are case-sensitive (RFC 6265 §4.1).
 *
 * @param keeps whether the named ones are those that go through, or those that do not
 */
public record CookieFilter(boolean keeps, Set<String> names) {

  /** Lets every cookie through. */
  public static final CookieFilter ALL = new CookieFilter(false, Set.of());

  public CookieFilter {
    names = Set.copyOf(names);
  }

  public static CookieFilter strip(Set<String> names) {
    return new CookieFilter(false, names);
  }

  public static CookieFilter keep(Set<String> names) {
    return new CookieFilter(true, names);
  }

  public boolean passesAll() {
    return !keeps && names.isEmpty();
  }

  public boolean passes(String name) {
    return names.contains(name) == keeps;
  }

  /** The request without the cookies that do not go through; itself where it has none of them. */
  public RequestView requestWithout(RequestView request) {
    if (passesAll() || !request.has(KnownField.COOKIE)) {
      return request;
    }
    HeaderFields.Builder fields = HeaderFields.builder();
    request
        .fields()
        .forEach((name, value) -> {
          String passed =
              FieldSyntax.equalsIgnoreCase(name, "cookie") ? cookies(value) : value.toString();
          if (passed != null) {
            fields.add(name, passed);
          }
        });
    return new RequestWithFields(request, fields.build());
  }

  /** A Cookie line with the cookies that go through, or null when none does. */
  public @Nullable String cookies(CharSequence line) {
    if (passesAll()) {
      return line.toString();
    }
    String text = line.toString();
    StringBuilder passed = new StringBuilder(text.length());
    int start = 0;
    for (int i = 0; i <= text.length(); i++) {
      if (i < text.length() && text.charAt(i) != ';') {
        continue;
      }
      String pair = FieldSyntax.trim(text, start, i);
      start = i + 1;
      if (!pair.isEmpty() && passes(name(pair))) {
        passed.append(passed.isEmpty() ? "" : "; ").append(pair);
      }
    }
    return passed.isEmpty() ? null : passed.toString();
  }

  /** Whether the cookie that a Set-Cookie line sets goes through. */
  public boolean passesSetCookie(CharSequence line) {
    String text = line.toString();
    int end = text.indexOf(';');
    return passes(name(FieldSyntax.trim(text, 0, end < 0 ? text.length() : end)));
  }

  private static String name(String pair) {
    int equals = pair.indexOf('=');
    return FieldSyntax.trim(pair, 0, equals < 0 ? pair.length() : equals);
  }
}
