package io.forebay.server.listen.connection;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.TargetNormalizer;
import io.forebay.server.http.PurgeMethods;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The target of a request, from method, target and Host, the same for every protocol. One per
 * connection, reused for each request; it remembers the last authority, which seldom changes.
 */
public final class RequestTarget {

  /** Methods that open a way around a cache, or are for its operator alone (S26, S27). */
  private static final Set<String> NOT_SERVED =
      Set.of(
          "CONNECT",
          "TRACE",
          "TRACK",
          "PURGE",
          "PURGEALL",
          "PURGEKEYS",
          "URIBAN",
          "SOFTPURGE",
          "BAN",
          "BANURL",
          "REFRESH",
          "INVALIDATE",
          "PRI");

  private final String scheme;
  private String authority = "";
  private String path = "";
  private @Nullable String query;
  private boolean isAsterisk;
  private boolean isAbsolute;
  private String lastRawAuthority = "";
  private String lastAuthority = "";

  RequestTarget(String scheme) {
    this.scheme = scheme;
  }

  /**
   * Whether requests with a method may go on to an exchange.
   *
   * @param takesPurges whether purges may; it is for the exchange to see whose they are
   */
  public static boolean isServed(String method, boolean takesPurges) {
    return method.equals("GET")
        || !NOT_SERVED.contains(method)
        || (takesPurges && PurgeMethods.has(method));
  }

  String scheme() {
    return scheme;
  }

  public String authority() {
    return authority;
  }

  String path() {
    return path;
  }

  @Nullable String query() {
    return query;
  }

  /** Whether the request is {@code OPTIONS *}, for the server itself; there is no path then. */
  boolean isAsterisk() {
    return isAsterisk;
  }

  /** Whether the target itself named the authority, which then wins over Host. */
  public boolean isAbsolute() {
    return isAbsolute;
  }

  /** Reads the target; null when it can be served. */
  @Nullable
  public Rejection read(String method, String rawTarget, String rawAuthority) {
    isAsterisk = false;
    isAbsolute = false;
    switch (TargetNormalizer.normalize(rawTarget, method)) {
      case TargetNormalizer.Accepted accepted -> {
        path = accepted.path();
        query = accepted.query();
        String ownAuthority = accepted.authority();
        if (ownAuthority != null) {
          // A purge names a URL as visitors see it, whichever listener it comes to.
          if (!scheme.equals(accepted.scheme()) && !PurgeMethods.has(method)) {
            return Rejection.SCHEME_MISMATCH;
          }
          isAbsolute = true;
          return readAuthority(ownAuthority);
        }
      }
      case TargetNormalizer.Asterisk asterisk -> {
        isAsterisk = true;
        path = "*";
        query = null;
      }
      case TargetNormalizer.Refused refused -> {
        return Rejection.target(
            switch (refused.refusal()) {
              case EMPTY -> "is empty";
              case NOT_A_PATH -> "does not begin with a slash";
              case SCHEME -> "has a scheme that is not served";
              case AUTHORITY -> "has no host";
              case PERCENT_ENCODING -> "has an invalid percent-encoding";
              case BYTE -> "has a byte that is not allowed";
            });
      }
    }
    return readAuthority(rawAuthority);
  }

  private @Nullable Rejection readAuthority(String rawAuthority) {
    if (!rawAuthority.equals(lastRawAuthority)) {
      String normal = AuthorityNormalizer.normalize(rawAuthority, scheme);
      if (normal == null) {
        return Rejection.HOST_INVALID;
      }
      lastRawAuthority = rawAuthority;
      lastAuthority = normal;
    } else if (lastAuthority.isEmpty()) {
      return Rejection.HOST_INVALID;
    }
    authority = lastAuthority;
    return null;
  }
}
