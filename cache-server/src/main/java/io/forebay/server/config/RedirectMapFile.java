package io.forebay.server.config;

import io.forebay.core.http.TargetNormalizer;
import io.forebay.core.http.TargetNormalizer.Accepted;
import io.forebay.server.rule.RedirectMap;
import io.forebay.server.rule.RedirectMap.By;
import io.forebay.server.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the file of a redirect map:
 *
 * <pre>
 *   # a comment
 *   /old            /new                        a whole path
 *   /shop/*         https://shop.example/:splat 301     a prefix; what follows it replaces :splat
 * </pre>
 *
 * FROM, TO and an optional STATUS, with blanks between. Every problem has its line and column; a
 * file with many is given up.
 */
final class RedirectMapFile {
  static final int MAX_BYTES = 64 << 20;
  static final int MAX_ENTRIES = 1_000_000;
  static final int MAX_TEXT = 4096;
  static final int MAX_PROBLEMS = 20;

  private static final Pattern ABSOLUTE =
      Pattern.compile("https?://([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(:[0-9]{1,5})?([/?#].*)?");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]");
  private static final String NOT_IN_URLS = "\"<>\\^`{|}";
  private static final String STATUS_HINT = "write 301, 302, 303, 307 or 308";

  private final String file;
  private final String key;
  private final By by;
  private final int status;
  private final TreeReader reader;
  private final RedirectMap.Builder entries;
  private int[] lines = new int[16];
  private int count;
  private int line;
  private int problems;

  /**
   * A reader of one file.
   *
   * @param key that names the file
   * @param status of entries without one
   */
  RedirectMapFile(String file, String key, By by, int status, TreeReader reader) {
    this.file = file;
    this.key = key;
    this.by = by;
    this.status = status;
    this.reader = reader;
    entries = new RedirectMap.Builder(by);
  }

  /** The map, or null after a problem. */
  @Nullable RedirectMap read(byte[] text) {
    int at = startsWithMark(text) ? 3 : 0;
    while (at < text.length && problems < MAX_PROBLEMS) {
      int end = at;
      while (end < text.length && text[end] != '\n') {
        end++;
      }
      line++;
      readLine(text, at, end > at && text[end - 1] == '\r' ? end - 1 : end);
      at = end + 1;
    }
    if (problems > 0) {
      return null;
    }
    RedirectMap map = entries.build();
    for (int entry = 0; entry < map.size() && problems < MAX_PROBLEMS; entry++) {
      if (leadsToItself(map, entry)) {
        line = lines[entry];
        problem(1, Printable.shown(map.from(entry), 80) + " leads to itself", "remove the line");
      }
    }
    return problems == 0 ? map : null;
  }

  private static boolean startsWithMark(byte[] text) {
    return text.length >= 3
        && text[0] == (byte) 0xef
        && text[1] == (byte) 0xbb
        && text[2] == (byte) 0xbf;
  }

  private void readLine(byte[] text, int from, int to) {
    int[] starts = new int[3];
    String[] words = new String[3];
    int found = 0;
    int at = from;
    while (true) {
      while (at < to && (text[at] == ' ' || text[at] == '\t')) {
        at++;
      }
      if (at == to || text[at] == '#') {
        break;
      }
      int start = at;
      while (at < to && text[at] != ' ' && text[at] != '\t') {
        if (text[at] <= ' ' || text[at] == 0x7f) {
          problem(
              at - from + 1,
              "a character that no URL has",
              "write ASCII, and percent-encode other characters");
          return;
        }
        at++;
      }
      if (found == 3) {
        problem(start - from + 1, "more than FROM, TO and STATUS", "percent-encode blanks as %20");
        return;
      }
      starts[found] = start - from + 1;
      words[found++] = new String(text, start, at - start, StandardCharsets.US_ASCII);
    }
    if (found == 1) {
      problem(starts[0], "an entry without a target", "write FROM TO, or FROM TO STATUS");
    } else if (found > 1) {
      add(words, starts, found);
    }
  }

  private void add(String[] words, int[] starts, int found) {
    for (int i = 0; i < 2; i++) {
      if (words[i].length() > MAX_TEXT) {
        problem(starts[i], "longer than " + MAX_TEXT + " characters", "use a rule for it");
        return;
      }
    }
    int code = status;
    if (found == 3) {
      if (!words[2].matches("30[12378]")) {
        problem(
            starts[2],
            "\"" + Printable.shown(words[2], 40) + "\" is not the status of a redirect",
            STATUS_HINT);
        return;
      }
      code = Integer.parseInt(words[2]);
    }
    boolean isPrefix = words[0].endsWith("/*");
    String from = from(words[0], starts[0], isPrefix);
    if (from == null || !isTarget(words[1], starts[1], isPrefix)) {
      return;
    }
    if (count == MAX_ENTRIES) {
      problem(1, "more than " + MAX_ENTRIES + " entries", "use fewer");
      problems = MAX_PROBLEMS;
      return;
    }
    int known = entries.add(from, isPrefix, words[1], code);
    if (known != RedirectMap.NONE) {
      problem(
          starts[0],
          Printable.shown(words[0], 80) + " is already in line " + lines[known],
          "keep one of them");
      return;
    }
    if (count == lines.length) {
      lines = Arrays.copyOf(lines, 2 * count);
    }
    lines[count++] = line;
  }

  /** What is compared, in normal form; null after a problem. */
  private @Nullable String from(String word, int column, boolean isPrefix) {
    String text = isPrefix ? word.substring(0, word.length() - 1) : word;
    if (text.indexOf('*') >= 0) {
      problem(column, "a * can only stand at the end, behind a slash", "use a rule with a regex");
      return null;
    }
    if (text.contains("/:")) {
      problem(column, "placeholders are not known here", "write a prefix as /old/*, or use a rule");
      return null;
    }
    String host = "";
    String target = text;
    if (by == By.HOST_PATH) {
      int slash = text.indexOf('/');
      host = slash < 0 ? "" : text.substring(0, slash);
      if (!HOST.matcher(host).matches()) {
        problem(
            column, "not HOST/PATH", "write such as www.example.com/old, without scheme and port");
        return null;
      }
      target = text.substring(slash);
    } else if (!text.startsWith("/")) {
      problem(
          column,
          "\"" + Printable.shown(text, 80) + "\" is not a path",
          "begin it with a slash; with by: host-path entries are HOST/PATH");
      return null;
    }
    int mark = target.indexOf('?');
    if (mark >= 0 && (by != By.URI || isPrefix)) {
      problem(
          column + text.indexOf('?'),
          isPrefix ? "a prefix of a query" : "queries are not compared",
          isPrefix ? "end it before the query" : "remove the query, or set by: uri");
      return null;
    }
    if (!(TargetNormalizer.normalize(target, "GET") instanceof Accepted accepted)) {
      problem(
          column,
          "\"" + Printable.shown(text, 80) + "\" is not what a request can ask for",
          "percent-encode what no path has, and leave the fragment out");
      return null;
    }
    String query = accepted.query();
    return host.toLowerCase(Locale.ROOT) + accepted.path() + (query == null ? "" : "?" + query);
  }

  private boolean isTarget(String text, int column, boolean isPrefix) {
    for (int i = 0; i < text.length(); i++) {
      if (NOT_IN_URLS.indexOf(text.charAt(i)) >= 0) {
        problem(column + i, "a character that no URL has", "percent-encode it");
        return false;
      }
    }
    if (text.endsWith(";")) {
      problem(column + text.length() - 1, "a semicolon ends the target", "remove it, or write %3B");
      return false;
    }
    boolean isPath = text.startsWith("/") && !text.startsWith("//");
    if (!isPath && !ABSOLUTE.matcher(text).matches()) {
      problem(
          column,
          "\"" + Printable.shown(text, 80) + "\" is not a target",
          "begin it with a slash, or with http:// or https:// and a host");
      return false;
    }
    if (!isPrefix && text.contains(RedirectMap.REST)) {
      problem(
          column + text.indexOf(RedirectMap.REST),
          RedirectMap.REST + " stands for what follows a prefix, and this is none",
          "end FROM with /*");
      return false;
    }
    if (isPrefix && text.endsWith("/*")) {
      problem(
          column + text.length() - 1,
          "a * in a target stands for itself",
          "write " + RedirectMap.REST + " for what follows the prefix");
      return false;
    }
    return true;
  }

  /** Browsers would follow such a redirect until they give up. */
  private boolean leadsToItself(RedirectMap map, int entry) {
    String to = map.to(entry).replace(RedirectMap.REST, "x");
    int fragment = to.indexOf('#');
    if (!to.startsWith("/")) {
      return false;
    }
    String asked = fragment < 0 ? to : to.substring(0, fragment);
    if (!(TargetNormalizer.normalize(asked, "GET") instanceof Accepted accepted)
        || (by != By.URI && accepted.query() != null)) {
      return false;
    }
    String from = map.from(entry);
    int host = by == By.HOST_PATH ? from.indexOf('/') : 0;
    return map.find(from, host, accepted.path(), accepted.query()) == entry;
  }

  private void problem(int column, String message, String right) {
    problems++;
    boolean isLast = problems == MAX_PROBLEMS;
    reader.problem(
        new SourceLocation(file, line, column),
        key,
        message,
        isLast ? right + " (what follows was not read)" : right);
  }
}
