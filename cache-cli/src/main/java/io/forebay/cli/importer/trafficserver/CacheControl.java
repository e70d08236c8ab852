package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.Conditions;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.SettingUnits;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.server.text.LinearRegex;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code cache.config}: lifetimes of responses by the URL that the origin is asked for. */
final class CacheControl {
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})([dhmsw]?)");

  private final ImportReport report;
  private final List<Directive> lines;
  private final boolean hasTtl;

  CacheControl(Path directory, ImportReport report) throws ImportException {
    this.report = report;
    Path file = directory.resolve("cache.config");
    lines = Files.isRegularFile(file) ? LineReader.read(file) : List.of();
    hasTtl = lines.stream().anyMatch(each -> each.text().contains("ttl-in-cache="));
  }

  List<Directive> lines() {
    return lines;
  }

  /** The rules for responses of a rule of {@code remap.config}. */
  List<Map<String, Object>> rules(RemapRule of) throws ImportException {
    List<Map<String, Object>> rules = new ArrayList<>();
    for (Directive each : lines) {
      Map<String, String> tags = LineReader.tags(each);
      try {
        if (isFor(tags, of.to()) && mayMatch(tags, of.to())) {
          // The first line that holds decides there, the last rule here.
          rules.addFirst(rule(each, tags, of));
        }
      } catch (UntranslatableException e) {
        report.left(each, e.reason());
      }
    }
    return rules;
  }

  /** What no rule's target has gets a verdict. */
  void close() {
    for (Directive each : lines) {
      if (!report.knows(each)) {
        report.unneeded(each, "no rule of remap.config asks such a host");
      }
    }
  }

  /** Whether a line of {@code cache.config} or {@code parent.config} is for a target. */
  static boolean isFor(Map<String, String> tags, RemapUrl target) throws UntranslatableException {
    String domain = tags.get("dest_domain");
    String host = tags.get("dest_host");
    if (tags.containsKey("dest_ip")) {
      throw new UntranslatableException("the address of an origin is no condition");
    }
    if (domain != null) {
      String own = domain.toLowerCase(Locale.ROOT);
      boolean isWithin = target.host().endsWith(own.startsWith(".") ? own : "." + own);
      return own.equals(".") || own.equals(target.host()) || isWithin;
    }
    if (host != null) {
      return host.equalsIgnoreCase(target.host());
    }
    if (!tags.containsKey("url_regex")) {
      throw new UntranslatableException("a line names a host, a domain or a url_regex");
    }
    return true;
  }

  /** Whether requests of a rule can have its scheme, port and prefix. */
  private static boolean mayMatch(Map<String, String> tags, RemapUrl target) {
    String scheme = target.isTls() ? "https" : "http";
    String port = String.valueOf(target.port());
    String prefix = path(tags.getOrDefault("prefix", ""));
    return tags.getOrDefault("scheme", scheme).equals(scheme)
        && tags.getOrDefault("port", port).equals(port)
        && (prefix.startsWith(target.path()) || target.path().startsWith(prefix));
  }

  private static String path(String prefix) {
    return prefix.startsWith("/") ? prefix : "/" + prefix;
  }

  private Map<String, Object> rule(Directive of, Map<String, String> tags, RemapRule rule)
      throws UntranslatableException {
    Map<String, Object> condition = null;
    Map<String, Object> action = new LinkedHashMap<>();
    String note = "";
    for (Map.Entry<String, String> tag : tags.entrySet()) {
      String value = tag.getValue();
      switch (tag.getKey()) {
        case "dest_domain", "dest_host", "scheme", "port" -> {}
        case "url_regex" -> condition = Conditions.both(condition, path(regex(value)));
        case "prefix" -> condition = Conditions.both(condition, prefix(value, rule));
        case "suffix" -> condition = Conditions.both(condition, path(Map.of("suffix", value)));
        case "method" ->
            condition =
                Conditions.both(
                    condition, Map.of("method", List.of(value.toUpperCase(Locale.ROOT))));
        case "ttl-in-cache" -> {
          action.put("ttl", time(value));
          note = "no-store and private still hold";
        }
        case "revalidate" -> {
          action.put("ttl", time(value));
          note = "the lifetime of what is stored from now on";
        }
        case "action" -> {
          switch (value.toLowerCase(Locale.ROOT)) {
            case "never-cache" -> {
              action.put("cache", "false");
              note = hasTtl ? "also where ttl-in-cache of another line holds" : "";
            }
            case "ignore-client-no-cache" ->
                throw new UntranslatableException("see client-directives of the route");
            default -> throw new UntranslatableException("no-store of an origin always holds");
          }
        }
        default -> throw new UntranslatableException("rules have no " + tag.getKey());
      }
    }
    if (action.isEmpty()) {
      throw new UntranslatableException("a line without a directive");
    }
    if (note.isEmpty()) {
      report.taken(of);
    } else {
      report.adapted(of, note);
    }
    return Conditions.limited(action, condition);
  }

  private static Map<String, Object> path(Map<String, Object> test) {
    return Map.of("path", test);
  }

  private static Map<String, Object> regex(String value) throws UntranslatableException {
    // It is found in the whole URL; rules look at the path.
    String rest = value.replaceFirst("^\\^?https?\\??:(//|\\\\/\\\\/)[^/]*", "^");
    if (rest.contains("://") || rest.equals("^") || rest.contains("\\?")) {
      throw new UntranslatableException("rules compare the path, and not the whole URL");
    }
    try {
      return Map.of("regex", LinearRegex.of(rest).toString());
    } catch (IllegalArgumentException e) {
      throw new UntranslatableException(
          "the expression cannot be matched in linear time, or is too large: " + e.getMessage());
    }
  }

  /** The prefix as clients send it. */
  private static Map<String, Object> prefix(String value, RemapRule rule) {
    String whole = path(value);
    String target = rule.to().path();
    String rest = whole.startsWith(target) ? whole.substring(target.length()) : "";
    return path(Map.of("prefix", rule.from().path() + rest));
  }

  private static String time(String text) throws UntranslatableException {
    Matcher part = TIME.matcher(text);
    long seconds = 0;
    int at = 0;
    while (part.find() && part.start() == at) {
      seconds += Long.parseLong(part.group(1)) * unit(part.group(2));
      at = part.end();
    }
    if (at == 0 || at < text.length() || seconds > 315_360_000) {
      throw new UntranslatableException("a time that is not understood");
    }
    return SettingUnits.duration(1000 * seconds);
  }

  private static long unit(String text) {
    return switch (text) {
      case "m" -> 60;
      case "h" -> 3600;
      case "d" -> 86_400;
      case "w" -> 604_800;
      default -> 1;
    };
  }
}
