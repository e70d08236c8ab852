package io.forebay.e2e.imported;

import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.ImportReport.Item;
import io.forebay.cli.importer.model.Verdict;
import io.forebay.e2e.imported.Answer.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Differences between two answers, and whether the report of an import names them. A line names one
 * if all of this holds:
 *
 * <ul>
 *   <li>its verdict is <em>adapted</em> or <em>left</em>, and its statement may change an answer;
 *   <li>it is about the host and the path of the request: if it or a block around it has paths, one
 *       of them is that of the request, and the block of its site has the host, if any block has
 *       it;
 *   <li>for a field, it has the name of the field; for a coding, it says so of codings.
 * </ul>
 */
final class NamedDifferences {
  /** Statements that no answer depends on. */
  private static final Pattern NEUTRAL =
      Pattern.compile(
          "(?i)(listen|access_log|error_log|log_format|client_max_body_size|.*timeout.*|ssl_(?!verify).*"
              + "|keepalive.*|worker_.*|user|pid|log|email|servers|protocols|max_header_size|storage|admin|real_ip.*|http2"
              + "|proxy_buffer.*|CONFIG .*|import std.*)\\b.*");

  /** Statements that only fields, codings or lifetimes depend on. */
  private static final Pattern OF_FIELDS =
      Pattern.compile(
          "(?i)(add_header|expires|header|proxy_set_header|proxy_hide_header|more_set.*|gzip.*|brotli.*"
              + "|encode|charset.*|unset|request_header|set beresp\\.(ttl|grace|keep|do_gzip))\\b.*");

  /** Lines whose paths say for which requests they are. */
  private static final Pattern BY_PATH =
      Pattern.compile(
          "[\\s}]*(location|handle|handle_path|route|if|elsif|elseif|map|redirect|regex_map)\\b.*");

  private static final Pattern PATH =
      Pattern.compile("(?<![\\w.:/}-])\\^?((?:\\\\?/[\\w%~.\\\\-]*)+)");
  private static final Pattern EXTENSION = Pattern.compile("\\\\\\.\\(?|\\*\\.");

  private final List<String> lines;
  private final String file;
  private final List<Item> items;

  /** The innermost block around each line, by the lines that open blocks, the outermost first. */
  private final List<List<Integer>> around;

  NamedDifferences(String file, String text, ImportReport report) {
    this.file = file;
    this.lines = text.lines().toList();
    this.items =
        report.items().stream()
            .filter(item -> item.verdict() == Verdict.ADAPTED || item.verdict() == Verdict.LEFT)
            .filter(item -> !NEUTRAL.matcher(item.directive()).matches())
            .toList();
    this.around = blocks(lines);
  }

  private static List<List<Integer>> blocks(List<String> lines) {
    List<List<Integer>> all = new ArrayList<>();
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      all.add(List.copyOf(open));
      String line = lines.get(i).replaceAll("\\$?\\{[^{}\\s]*}", "").replaceAll("\"[^\"]*\"", "");
      for (int at = 0; at < line.length(); at++) {
        char each = line.charAt(at);
        if (each == '{') {
          open.add(i);
        } else if (each == '}' && !open.isEmpty()) {
          open.removeLast();
        }
      }
    }
    return all;
  }

  /** The aspects in which two answers differ and of which no line of the report speaks. */
  List<String> unnamed(Request request, Map<String, String> before, Map<String, String> after) {
    List<String> differing = new ArrayList<>();
    TreeSet<String> aspects = new TreeSet<>(before.keySet());
    aspects.addAll(after.keySet());
    boolean isOther = !before.getOrDefault("status", "").equals(after.get("status"));
    for (String aspect : isOther ? List.of("status") : List.copyOf(aspects)) {
      if (!before.getOrDefault(aspect, "").equals(after.getOrDefault(aspect, ""))) {
        differing.add(aspect);
      }
    }
    if (differing.contains("origin host")) {
      // The origin makes its Location of it.
      differing.remove("location");
    }
    // An answer that comes from elsewhere, as the report says, is another one in all.
    boolean isNamedOther =
        differing.stream().anyMatch(one -> one.matches("status|body|origin target"))
            && items.stream().anyMatch(item -> isAbout(item, request) && changesAnswers(item));
    if (isNamedOther) {
      return List.of();
    }
    return differing.stream()
        .filter(aspect -> items.stream().noneMatch(item -> names(item, aspect, request)))
        .toList();
  }

  private static boolean changesAnswers(Item item) {
    return !OF_FIELDS.matcher(item.directive()).matches();
  }

  private boolean names(Item item, String aspect, Request request) {
    if (!isAbout(item, request)) {
      return false;
    }
    String said = (item.directive() + " " + item.text()).toLowerCase(Locale.ROOT);
    if (aspect.startsWith("field ")
        || (aspect.startsWith("origin ") && !aspect.endsWith("target"))) {
      String name = aspect.substring(aspect.indexOf(' ') + 1);
      return said.contains(name)
          || (said.startsWith("expires") && name.matches("expires|cache-control"));
    }
    return switch (aspect) {
      case "content-encoding" -> said.matches(".*(compress|gzip|brotli|encode|zstd|coding).*");
      case "location" -> said.contains("location") || said.contains("redirect");
      default -> changesAnswers(item);
    };
  }

  private boolean isAbout(Item item, Request request) {
    if (!item.file().endsWith(file) || item.line() < 1 || item.line() > lines.size()) {
      return true;
    }
    int line = item.line() - 1;
    List<Integer> enclosing = new ArrayList<>(around.get(line));
    return isAtHost(enclosing, line, request) && isAtPath(enclosing, line, request);
  }

  private boolean isAtPath(List<Integer> enclosing, int line, Request request) {
    List<Integer> places = new ArrayList<>(enclosing);
    places.add(line);
    places.removeIf(place -> !BY_PATH.matcher(lines.get(place)).matches());
    for (int place : places.reversed()) {
      String text = lines.get(place);
      if (EXTENSION.matcher(text).find() || text.contains("@")) {
        return true;
      }
      Matcher paths = PATH.matcher(text);
      boolean hasPath = false;
      while (paths.find()) {
        String path = paths.group(1).replace("\\", "");
        if (path.length() > 1) {
          hasPath = true;
          if (request.path().contains(path) || path.startsWith(request.path() + "/")) {
            return true;
          }
        }
      }
      if (hasPath) {
        return false;
      }
    }
    return true;
  }

  private boolean isAtHost(List<Integer> enclosing, int line, Request request) {
    if (enclosing.isEmpty()) {
      return true;
    }
    int site = enclosing.getFirst();
    if (lines.get(site).strip().equals("{")) {
      // Options of the whole server.
      return true;
    }
    for (int place : enclosing) {
      if (lines.get(place).matches("\\s*server\\s*\\{.*")) {
        site = place;
      }
    }
    boolean isHere = false;
    boolean isElsewhere = false;
    for (int i = 0; i < lines.size(); i++) {
      boolean hasHosts = around.get(i).isEmpty() || lines.get(i).contains("server_name");
      if (hasHosts && lines.get(i).toLowerCase(Locale.ROOT).contains(request.host())) {
        boolean isWithin = i == site || around.get(i).contains(site);
        isHere |= isWithin;
        isElsewhere |= !isWithin;
      }
    }
    return isHere || !isElsewhere || line == site;
  }
}
