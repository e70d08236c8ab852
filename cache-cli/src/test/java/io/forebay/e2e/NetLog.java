package io.forebay.e2e;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Chromium's own log of its network ({@code --log-net-log}): one event a line, with the number of
 * its source and, where it failed, of the error ({@code net/base/net_error_list.h}). The last line
 * may be cut off.
 */
final class NetLog {
  private static final Pattern SOURCE = Pattern.compile("\"source\":[{][^}]*\"id\":([0-9]+)");
  private static final Pattern URL = Pattern.compile("\"url\":\"([^\"]*)\"");
  private static final Pattern ERROR = Pattern.compile("\"net_error\":(-[0-9]+)");
  private static final Pattern CLOSED =
      Pattern.compile("\"params\":([{][^}]*\"quic_error\":[^}]*[}])");

  /** The page, or the player, wanted no more of it (ERR_ABORTED). */
  private static final String ABORTED = "-3";

  private static final int MAX_FAILURES = 50;

  private NetLog() {}

  /**
   * Requests that failed, with their error, and why QUIC connections were closed.
   *
   * @param file that need not exist
   * @param domain of the requests that count: a browser has business of its own
   */
  static List<String> failures(Path file, String domain) throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    Map<String, String> urls = new HashMap<>();
    Set<String> failures = new LinkedHashSet<>();
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
      String line = lines.readLine();
      while (line != null && failures.size() < MAX_FAILURES) {
        String id = group(SOURCE, line);
        String url = group(URL, line);
        if (id != null && url != null && url.contains(domain)) {
          urls.put(id, url);
        }
        String error = group(ERROR, line);
        if (id != null && error != null && !error.equals(ABORTED) && urls.containsKey(id)) {
          failures.add(urls.get(id) + " error " + error);
        }
        String closed = group(CLOSED, line);
        if (closed != null) {
          failures.add("QUIC " + closed);
        }
        line = lines.readLine();
      }
    }
    return new ArrayList<>(failures);
  }

  private static @Nullable String group(Pattern pattern, String line) {
    Matcher matcher = pattern.matcher(line);
    return matcher.find() ? matcher.group(1) : null;
  }
}
