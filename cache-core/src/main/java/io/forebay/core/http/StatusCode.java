package io.forebay.core.http;

/** Classifies status codes by their meaning for a cache (RFC 9110 §15, RFC 9111 §3). */
public final class StatusCode {

  private StatusCode() {}

  /**
   * Final statuses that say something about the URL. Not those that depend on what is not in the
   * key (the size or syntax of the request's header, its conditions, its body, the load): storing
   * them lets one client spoil the URL for all.
   */
  public static boolean isStorable(int status) {
    return switch (status) {
      case 304, 400, 408, 411, 412, 413, 415, 416, 417, 421, 422, 425, 426, 428, 429, 431, 511 ->
          false;
      default -> status >= 200 && status <= 599;
    };
  }

  /** Statuses whose caching behaviour this cache implements. */
  public static boolean isUnderstood(int status) {
    return switch (status) {
      case 200,
          203,
          204,
          300,
          301,
          302,
          303,
          307,
          308,
          401,
          403,
          404,
          405,
          410,
          414,
          451,
          500,
          501,
          502,
          503,
          504 ->
          true;
      default -> false;
    };
  }

  /**
   * Errors that depend on who asks, or how, rather than on the URL alone: credentials, method,
   * negotiation, timing, size, syntax, jurisdiction (RFC 9110 §15.5, RFC 7725). Another client may
   * well get the resource.
   */
  public static boolean isOfOneClient(int status) {
    return switch (status) {
      case 401,
          402,
          403,
          405,
          406,
          407,
          408,
          411,
          412,
          413,
          414,
          415,
          416,
          417,
          421,
          422,
          425,
          426,
          428,
          429,
          431,
          451,
          511 ->
          true;
      default -> false;
    };
  }

  /** RFC 9110 §15.1, without 206 and without the errors. */
  public static boolean isHeuristicallyCacheable(int status) {
    return switch (status) {
      case 200, 203, 204, 300, 301, 308 -> true;
      default -> false;
    };
  }

  /** Answers that amount to none, so that something stale may do instead (RFC 5861 §4). */
  public static boolean isOriginFailure(int status) {
    return switch (status) {
      case 500, 502, 503, 504 -> true;
      default -> false;
    };
  }
}
