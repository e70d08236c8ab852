package io.forebay.core.route;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The routes of one host pattern; finds the longest matching path prefix in one walk. */
final class PathTable {

  private final SubstringTable<Route> routes;

  PathTable(Map<String, Route> byPrefix) {
    routes = new SubstringTable<>(byPrefix);
  }

  /**
   * A prefix can end behind a slash, or before a slash or at the path's end: only there the table
   * is asked, with the hash of what was walked so far, and never past its longest prefix.
   */
  @Nullable Route match(CharSequence path) {
    Route best = null;
    int end = Math.min(path.length(), routes.longestKey());
    int hash = 0;
    for (int i = 0; i < end; i++) {
      char c = path.charAt(i);
      hash = SubstringTable.hash(hash, c);
      int length = i + 1;
      if (c == '/' || length == path.length() || path.charAt(length) == '/') {
        Route found = routes.find(path, 0, length, hash);
        best = found == null ? best : found;
      }
    }
    return best;
  }
}
