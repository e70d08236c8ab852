package io.forebay.server.hint;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.RequestView;
import java.util.List;

/** Which clients of a route get early hints. */
public enum EarlyHintPolicy {
  /** None. */
  OFF,
  /** Those of HTTP/2 and HTTP/3. */
  ON,
  /**
   * Those of HTTP/1.1 too. Some clients of HTTP/1.1 take an interim response that they do not know
   * for the final one (RFC 8297 §3).
   */
  ALL;

  /** What requests have that nobody waits for: {@code prefetch}, {@code prefetch;prerender}. */
  private static final List<String> PURPOSES = List.of("sec-purpose", "purpose", "x-moz");

  /**
   * Whether a request may be answered with hints: a GET, and by what browsers say of it, one of a
   * page that is shown. For other requests browsers ignore hints, and a prefetch is not to cause
   * further requests.
   *
   * @param protocol as logged
   */
  public boolean isFor(RequestView request, String protocol) {
    FieldsView fields = request.fields();
    return this != OFF
        && (this == ALL || !protocol.startsWith("HTTP/1"))
        && request.method().equals("GET")
        && isAbsentOr(fields, "sec-fetch-mode", "navigate")
        && isAbsentOr(fields, "sec-fetch-dest", "document")
        && PURPOSES.stream().noneMatch(fields::has);
  }

  private static boolean isAbsentOr(FieldsView fields, String name, String value) {
    List<String> lines = fields.all(name);
    return lines.isEmpty()
        || (lines.size() == 1 && FieldSyntax.equalsIgnoreCase(lines.getFirst(), value));
  }
}
