package io.forebay.server.http;

import java.util.Set;

/**
 * Methods by which the operator's own servers purge, where the configuration lets them; for all
 * others they are not served (S26).
 */
public final class PurgeMethods {
  private static final Set<String> METHODS = Set.of("PURGE", "BAN", "PURGEKEYS");

  private PurgeMethods() {}

  public static boolean has(String method) {
    return METHODS.contains(method);
  }
}
