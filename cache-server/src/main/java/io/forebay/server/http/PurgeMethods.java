package io.forebay.server.http;

import java.util.Set;

/** The methods that purge. They are served only for the networks in the configuration (S26). */
public final class PurgeMethods {
  private static final Set<String> METHODS = Set.of("PURGE", "BAN", "PURGEKEYS");

  private PurgeMethods() {}

  public static boolean has(String method) {
    return METHODS.contains(method);
  }
}
