package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code parent.config}: servers that are asked in place of the host of a rule's target. */
final class ParentProxies {
  private static final Pattern PARENT =
      Pattern.compile(
          "(?:https?://)?([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):(\\d{1,5})(?:\\|([0-9.]+))?(?:&.*)?");
  private static final Set<String> TAGS =
      Set.of(
          "dest_domain",
          "dest_host",
          "url_regex",
          "parent",
          "secondary_parent",
          "round_robin",
          "go_direct",
          "parent_is_proxy",
          "scheme",
          "port");

  private final ImportReport report;
  private final ConfigDraft draft;
  private final List<Directive> lines;

  ParentProxies(Path directory, ImportReport report, ConfigDraft draft) throws ImportException {
    this.report = report;
    this.draft = draft;
    Path file = directory.resolve("parent.config");
    lines = Files.isRegularFile(file) ? LineReader.read(file) : List.of();
  }

  List<Directive> lines() {
    return lines;
  }

  /**
   * Adds the servers of an origin to its settings: those of the first line for the target, or the
   * target itself.
   */
  void servers(RemapUrl target, Map<String, Object> origin) throws ImportException {
    for (Directive each : lines) {
      Map<String, String> tags = LineReader.tags(each);
      try {
        for (String name : tags.keySet()) {
          if (!TAGS.contains(name)) {
            throw new UntranslatableException("origins have no " + name);
          }
        }
        if (CacheControl.isFor(tags, target) && !tags.containsKey("url_regex")) {
          if (tags.containsKey("parent")) {
            parents(each, tags, target, origin);
          } else {
            report.taken(each);
            origin.put("url", target.origin());
          }
          return;
        }
        if (tags.containsKey("url_regex")) {
          throw new UntranslatableException("an origin has one group of servers for all paths");
        }
      } catch (UntranslatableException e) {
        report.left(each, e.reason());
      }
    }
    origin.put("url", target.origin());
  }

  /** What no rule's target has gets a verdict. */
  void close() {
    for (Directive each : lines) {
      if (!report.knows(each)) {
        report.unneeded(each, "no rule of remap.config asks such a host");
      }
    }
  }

  private void parents(
      Directive of, Map<String, String> tags, RemapUrl target, Map<String, Object> origin)
      throws UntranslatableException {
    String order = tags.getOrDefault("round_robin", "true");
    List<Object> servers = new ArrayList<>();
    add(servers, tags.getOrDefault("parent", ""), target, false);
    if (order.equals("false")) {
      // The first one that answers; the others stand in for it.
      List<Object> others = new ArrayList<>(servers.subList(1, servers.size()));
      servers.subList(1, servers.size()).clear();
      others.forEach(each -> servers.add(backup(each)));
    }
    add(servers, tags.getOrDefault("secondary_parent", ""), target, true);
    if (servers.size() > 64) {
      throw new UntranslatableException("an origin has 64 servers at most");
    }
    origin.put("servers", servers);
    if (servers.size() > 1) {
      origin.put("balance", order.equals("consistent_hash") ? "consistent" : "round-robin");
    }
    origin.putIfAbsent("host", target.authority());
    if (!tags.getOrDefault("go_direct", "true").equals("false")) {
      Map<String, Object> direct = new LinkedHashMap<>();
      direct.put("url", target.origin());
      direct.put("host", target.authority());
      origin.put("fallback", List.of(draft.origin(target.host() + "-direct", direct)));
    }
    boolean isProxy = !tags.getOrDefault("parent_is_proxy", "true").equals("false");
    String note = isProxy ? "they are asked as servers, for the path and the host" : "";
    if (order.equals("true")) {
      note +=
          (note.isEmpty() ? "" : "; ")
              + "each request goes to the next one, of whatever client it is";
    }
    if (note.isEmpty()) {
      report.taken(of);
    } else {
      report.adapted(of, note);
    }
  }

  private static Map<String, Object> backup(Object server) {
    Map<String, Object> backup = new LinkedHashMap<>();
    if (server instanceof Map<?, ?> map) {
      map.forEach((key, value) -> backup.put(String.valueOf(key), value));
    } else {
      backup.put("url", server);
    }
    backup.put("backup", "true");
    return backup;
  }

  private static void add(List<Object> servers, String list, RemapUrl target, boolean isBackup)
      throws UntranslatableException {
    for (String each : list.split("[;,\\s]+", -1)) {
      if (each.isEmpty()) {
        continue;
      }
      Matcher parent = PARENT.matcher(each);
      if (!parent.matches()) {
        throw new UntranslatableException(each + " is not HOST:PORT");
      }
      String scheme = target.isTls() && each.startsWith("https") ? "https" : "http";
      String url = scheme + "://" + parent.group(1) + ":" + parent.group(2);
      String weight = parent.group(3);
      Map<String, Object> server = new LinkedHashMap<>();
      server.put("url", url);
      if (weight != null && !weight.matches("1(\\.0*)?")) {
        if (!weight.matches("[1-9]\\d{0,2}(\\.0*)?")) {
          throw new UntranslatableException("weights are whole numbers");
        }
        server.put("weight", weight.replaceFirst("\\..*", ""));
      }
      if (isBackup) {
        server.put("backup", "true");
      }
      servers.add(server.size() == 1 ? url : server);
    }
  }
}
