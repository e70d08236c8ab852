package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.trafficserver.RemapRule.Kind;
import io.forebay.cli.importer.trafficserver.RemapRule.Plugin;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rules of a {@code remap.config}, with the filters that hold where they stand. */
final class RemapReader {
  private static final int MAX_DEPTH = 16;
  private static final int MAX_RULES = 10_000;
  private static final Pattern CAPTURE = Pattern.compile("\\$(\\d)");

  private static final Map<String, Kind> KINDS =
      Map.of(
          "map", Kind.MAP,
          "map_with_recv_port", Kind.MAP,
          "map_with_referer", Kind.MAP,
          "redirect", Kind.PERMANENT_REDIRECT,
          "redirect_temporary", Kind.TEMPORARY_REDIRECT);

  private final Path directory;
  private final ImportReport report;
  private final Records records;
  private final Map<String, List<Map<String, Object>>> filters = new LinkedHashMap<>();
  private final Set<String> active = new TreeSet<>();
  private final List<RemapRule> rules = new ArrayList<>();
  private final List<RemapRule> byPort = new ArrayList<>();
  private final List<Directive> all = new ArrayList<>();

  RemapReader(Path directory, ImportReport report, Records records) {
    this.directory = directory;
    this.report = report;
    this.records = records;
  }

  /** Reads a file and what it includes. */
  void read(Path file) throws ImportException {
    read(file, 0);
    // Rules by the port of the listener come before all others.
    rules.addAll(0, byPort);
  }

  /** The rules that clients meet, in their order. */
  List<RemapRule> rules() {
    return rules;
  }

  /** All statements. */
  List<Directive> all() {
    return all;
  }

  private void read(Path file, int depth) throws ImportException {
    if (depth > MAX_DEPTH) {
      throw new ImportException(
          file + ": more than " + MAX_DEPTH + " levels, or a circle of files");
    }
    for (Directive each : LineReader.read(file)) {
      String name = each.name().toLowerCase(Locale.ROOT);
      if (name.startsWith(".")) {
        all.add(each);
        named(each, name, depth);
      } else {
        Directive whole = grouped(each);
        all.add(whole);
        rule(whole, name);
      }
      if (rules.size() + byPort.size() > MAX_RULES) {
        throw new ImportException(each.file(), each.line(), "more than " + MAX_RULES + " rules");
      }
    }
  }

  // --- filters and includes ----------------------------------------------------------------------

  private void named(Directive of, String name, int depth) throws ImportException {
    String argument = of.argument(0);
    switch (name) {
      case ".definefilter", ".deffilter", ".defflt" -> define(of, argument);
      case ".deletefilter", ".delfilter", ".delflt" -> {
        filters.remove(argument);
        active.remove(argument);
        report.taken(of);
      }
      case ".usefilter", ".activefilter", ".activatefilter", ".useflt" -> {
        if (!filters.containsKey(argument)) {
          throw new ImportException(of.file(), of.line(), "no filter is named " + argument);
        }
        active.add(argument);
        report.taken(of);
      }
      case ".unusefilter", ".deactivatefilter", ".unactivefilter", ".deuseflt", ".unuseflt" -> {
        if (argument.equals("ip_allow")) {
          report.left(of, "ip_allow.yaml is not taken over");
        } else {
          active.remove(argument);
          report.taken(of);
        }
      }
      case ".include" -> include(of, depth);
      default ->
          throw new ImportException(
              of.file(), of.line(), of.name() + " is no statement of remap.config");
    }
  }

  private void define(Directive of, String name) throws ImportException {
    if (name.isEmpty() || name.startsWith("@")) {
      throw new ImportException(
          of.file(), of.line(), "a filter has a name and words such as @method=GET");
    }
    List<String> words = of.arguments().subList(1, of.arguments().size());
    try {
      filters.put(name, AccessFilter.rules(words));
      report.taken(of);
    } catch (UntranslatableException e) {
      filters.put(name, List.of(AccessFilter.CLOSED));
      report.left(of, e.reason() + "; where it is active, all requests are refused");
    }
  }

  private void include(Directive of, int depth) throws ImportException {
    boolean isFound = !of.arguments().isEmpty();
    for (String name : of.arguments()) {
      Path named = directory.resolve(name);
      if (Files.isDirectory(named)) {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(named)) {
          for (Path each : found) {
            if (Files.isRegularFile(each) && files.size() < 1000) {
              files.add(each);
            }
          }
        } catch (java.io.IOException e) {
          throw new ImportException(of.file(), of.line(), "cannot list " + named);
        }
        files.sort(null);
        for (Path each : files) {
          read(each, depth + 1);
        }
      } else if (Files.isRegularFile(named)) {
        read(named, depth + 1);
      } else {
        isFound = false;
      }
    }
    if (isFound) {
      report.taken(of);
    } else {
      report.left(of, "there is no such file");
    }
  }

  // --- rules -------------------------------------------------------------------------------------

  /** The statement with its filter and its plugins, each with its parameters, as a block. */
  private static Directive grouped(Directive of) {
    List<String> plain = new ArrayList<>();
    List<Directive> inner = new ArrayList<>();
    List<String> filter = new ArrayList<>();
    List<String> plugin = new ArrayList<>();
    for (String word : of.arguments()) {
      if (AccessFilter.has(word)) {
        filter.add(word);
      } else if (word.startsWith("@pparam=") && !plugin.isEmpty()) {
        plugin.add(word.substring("@pparam=".length()));
      } else if (word.startsWith("@")) {
        flush(of, plugin, inner);
        plugin.add(word);
      } else {
        plain.add(word);
      }
    }
    flush(of, plugin, inner);
    flush(of, filter, inner);
    return new Directive(of.file(), of.line(), of.name(), plain, inner);
  }

  private static void flush(Directive of, List<String> words, List<Directive> into) {
    if (!words.isEmpty()) {
      into.add(
          new Directive(
              of.file(), of.line(), words.getFirst(), words.subList(1, words.size()), null));
      words.clear();
    }
  }

  private void rule(Directive of, String name) throws ImportException {
    boolean isRegex = name.startsWith("regex_");
    String type = isRegex ? name.substring("regex_".length()) : name;
    Kind kind = KINDS.get(type);
    if (kind == null && !type.equals("reverse_map")) {
      throw new ImportException(
          of.file(), of.line(), of.name() + " is no rule of remap.config, such as map or redirect");
    }
    if (of.arguments().size() < 2) {
      throw new ImportException(of.file(), of.line(), of.name() + ": a rule has two URLs");
    }
    if (kind == null) {
      reverse(of);
      return;
    }
    try {
      RemapUrl from = RemapUrl.of(of.argument(0), isRegex);
      RemapUrl to = RemapUrl.of(of.argument(1), isRegex);
      if (to.host().isEmpty()) {
        throw new UntranslatableException("a target without a host");
      }
      List<Map<String, Object>> guards = guards(of);
      List<Plugin> plugins = plugins(of);
      report.taken(of);
      if (of.arguments().size() > 2 && !type.equals("map_with_referer")) {
        report.unneeded(of, "rules have no tags");
      }
      if (type.equals("map_with_referer")) {
        referer(of, guards);
      }
      List<RemapRule> into = type.equals("map_with_recv_port") ? byPort : rules;
      if (type.equals("map_with_recv_port")) {
        report.adapted(of, "whichever port the request came by");
        from = new RemapUrl(from.scheme(), from.host(), from.isTls() ? 443 : 80, from.path());
      }
      if (isRegex) {
        for (HostExpansion.Name each : HostExpansion.of(from.host())) {
          into.add(expanded(of, kind, from, to, each, guards, plugins));
        }
      } else {
        into.add(new RemapRule(of, kind, from, to, guards, plugins));
      }
    } catch (UntranslatableException e) {
      report.allLeft(of, e.reason());
    }
  }

  private RemapRule expanded(
      Directive of,
      Kind kind,
      RemapUrl from,
      RemapUrl to,
      HostExpansion.Name name,
      List<Map<String, Object>> guards,
      List<Plugin> plugins)
      throws UntranslatableException {
    List<Map<String, Object>> all = new ArrayList<>();
    if (name.check() != null) {
      Map<String, Object> host = Map.of("host", Map.of("regex", name.check()));
      all.add(Map.of("when", Map.of("not", host), "deny", "404"));
    }
    if (name.host().startsWith("*")) {
      report.adapted(of, "names that have a rule of their own go there, wherever it stands");
    }
    all.addAll(guards);
    Matcher capture = CAPTURE.matcher(to.host());
    StringBuilder host = new StringBuilder();
    while (capture.find()) {
      int number = Integer.parseInt(capture.group(1));
      List<String> captures = name.captures();
      if (captures != null && number < captures.size()) {
        capture.appendReplacement(host, Matcher.quoteReplacement(captures.get(number)));
      } else if (captures == null && number == 0 && kind != Kind.MAP) {
        capture.appendReplacement(host, Matcher.quoteReplacement("$host"));
      } else {
        throw new UntranslatableException("the target depends on the host: write one for each");
      }
    }
    capture.appendTail(host);
    String target = host.toString().toLowerCase(Locale.ROOT);
    if (!target.matches("(\\$host)?[a-z0-9._-]*|\\[[0-9a-f:.]+]") || target.isEmpty()) {
      throw new UntranslatableException(target + " is not a host");
    }
    return new RemapRule(of, kind, from.withHost(name.host()), to.withHost(target), all, plugins);
  }

  private List<Map<String, Object>> guards(Directive of) {
    List<Map<String, Object>> guards = new ArrayList<>();
    active.forEach(name -> guards.addAll(filters.getOrDefault(name, List.of())));
    for (Directive each : of.block()) {
      if (AccessFilter.has(each.name())) {
        List<String> words = new ArrayList<>(List.of(each.name()));
        words.addAll(each.arguments());
        try {
          guards.addAll(AccessFilter.rules(words));
          report.taken(each);
        } catch (UntranslatableException e) {
          guards.add(AccessFilter.CLOSED);
          report.left(each, e.reason() + "; all requests are refused");
        }
      }
    }
    return guards;
  }

  private static List<Plugin> plugins(Directive of) {
    List<Plugin> plugins = new ArrayList<>();
    for (Directive each : of.block()) {
      if (each.name().startsWith("@plugin=")) {
        String file = each.name().substring("@plugin=".length());
        String name = file.substring(file.lastIndexOf('/') + 1).replaceAll("\\.so$", "");
        plugins.add(new Plugin(each, name, each.arguments()));
      }
    }
    return plugins;
  }

  private void referer(Directive of, List<Map<String, Object>> guards) {
    if (records.isOn("http.referer_filter", false)) {
      guards.add(AccessFilter.CLOSED);
      report.left(of, "write a rule on the header Referer; all requests are refused");
    } else {
      report.adapted(of, "proxy.config.http.referer_filter is off, so any referer is served");
    }
  }

  private void reverse(Directive of) {
    if (records.isOn("url_remap.pristine_host_hdr", false)) {
      report.allUnneeded(of, "the origin gets the client's Host, and names it in Location");
    } else {
      report.allLeft(of, "the Location of an origin is not changed");
    }
  }
}
