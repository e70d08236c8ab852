package io.forebay.server.config;

import io.forebay.core.key.NamePatterns;
import io.forebay.core.route.CookieFilter;
import io.forebay.server.config.ServerConfig.KeyConfig;
import io.forebay.server.page.ErrorPages;
import io.forebay.server.plugin.PluginSet;
import io.forebay.server.rule.Condition;
import io.forebay.server.rule.Extension;
import io.forebay.server.rule.KeyGroups;
import io.forebay.server.rule.LocalAnswer;
import io.forebay.server.rule.RequestPart;
import io.forebay.server.rule.RoutePresets;
import io.forebay.server.rule.RouteRules;
import io.forebay.server.rule.Rule;
import io.forebay.server.rule.RuleActions;
import io.forebay.server.rule.Split;
import io.forebay.server.text.Printable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compiles the rules of routes, and the sets of rules that they share. */
final class RuleBinder {
  static final int MAX_RULES = 1000;
  static final int MAX_NAMED = 1000;

  private final ConfigValues values;
  private final TreeReader reader;
  private final ConditionBinder conditions;
  private final ActionBinder actions;
  private final PresetBinder presets;
  private final Map<String, Split> splits;
  private final Map<String, ConfigTree> sets;
  private final Map<String, List<Bound>> boundSets = new HashMap<>();

  /** A rule and where it stands. */
  private record Bound(Rule rule, SourceLocation place, String path) {}

  RuleBinder(
      ConfigValues values,
      List<ConfigProblem> problems,
      Map<String, Split> splits,
      GeoConfig geo,
      HandshakeFacts handshakes,
      Set<String> listeners,
      Set<String> origins,
      PluginSet plugins) {
    this.values = values;
    this.splits = splits;
    reader = new TreeReader(problems);
    conditions =
        new ConditionBinder(
            reader,
            named(ConfigKeys.MATCHERS, ConfigKeys.MATCHER),
            splits,
            geo,
            handshakes,
            listeners);
    actions =
        new ActionBinder(
            reader,
            conditions,
            origins,
            values.files(),
            new PluginActionBinder(reader, plugins, origins));
    presets = new PresetBinder(values, reader);
    sets = named(ConfigKeys.RULE_SETS, ConfigKeys.RULE_SET);
    conditions.bindMatchers();
    sets.keySet().forEach(this::set);
  }

  /** Which requests have a line in the access log. */
  LogSampling sampling() {
    String path = "access-log." + LogKeys.SAMPLE.name();
    ConfigTree tree = values.tree(path);
    return tree == null
        ? LogSampling.NONE
        : new LogSamplingBinder(reader, conditions).bind(path, tree);
  }

  private Map<String, ConfigTree> named(Section<?> section, Field<?, ?> field) {
    Map<String, ConfigTree> trees = new LinkedHashMap<>();
    for (Map.Entry<String, SourceLocation> entry : values.instances(section).entrySet()) {
      String path = section.prefix() + "." + entry.getKey();
      if (trees.size() == MAX_NAMED) {
        reader.problem(
            entry.getValue(), section.prefix(), "more than " + MAX_NAMED + " names", "use fewer");
        break;
      }
      ConfigTree tree = values.tree(path + "." + field.name());
      if (tree != null) {
        trees.put(entry.getKey(), tree);
      } else {
        reader.problem(entry.getValue(), path, "is empty", "remove it");
      }
    }
    return trees;
  }

  /** The texts of matchers or sets of rules by name, for the dump. */
  static Map<String, String> texts(ConfigValues values, Section<?> section, Field<?, ?> field) {
    Map<String, String> texts = new LinkedHashMap<>();
    for (String name : values.instances(section).keySet()) {
      ConfigTree tree = values.tree(section.prefix() + "." + name + "." + field.name());
      if (tree != null) {
        texts.put(name, TreeText.of(tree));
      }
    }
    return texts;
  }

  /** The rules of the route whose keys begin with {@code scope}. */
  RouteRules ofRoute(String scope, KeyConfig key, CookieFilter cookies) {
    RoutePresets ofAll = presets.ofRoute(scope);
    ConfigTree tree = values.tree(scope + "." + ConfigKeys.ROUTE_RULES.name());
    if (tree == null) {
      return new RouteRules("", List.of(), ofAll, KeyGroups.NONE);
    }
    List<Bound> rules = rules(scope + ".rules", tree, true);
    if (rules.size() > MAX_RULES) {
      reader.problem(
          tree.place(),
          scope + ".rules",
          rules.size() + " rules with those of its sets",
          "use at most " + MAX_RULES);
    }
    rules.forEach(rule -> checkKey(rule, key, cookies));
    return new RouteRules(
        rules.isEmpty() ? "" : TreeText.of(tree),
        rules.stream().map(Bound::rule).toList(),
        ofAll,
        keyGroups(scope, tree, rules, key));
  }

  /** Error pages of all routes, and of requests without a route. */
  ErrorPages errorPages() {
    return presets.defaultPages(named(ConfigKeys.ERROR_PAGES, ConfigKeys.ERROR_PAGE));
  }

  /** The splits on which it depends what the origin is asked: the key tells their groups apart. */
  private KeyGroups keyGroups(String scope, ConfigTree tree, List<Bound> rules, KeyConfig key) {
    Set<String> names = new LinkedHashSet<>();
    for (Bound bound : rules) {
      Condition condition = bound.rule().when();
      if (condition != null && changesShared(bound.rule())) {
        condition.parts(part -> {
          if (part.kind() == RequestPart.Kind.SPLIT) {
            names.add(part.name());
          }
        });
      }
    }
    // By name: what keys say must not depend on the order of the file.
    List<Split> used =
        splits.values().stream()
            .filter(split -> names.contains(split.name()))
            .sorted(Comparator.comparing(Split::name))
            .toList();
    List<Extension> extensions = new ArrayList<>();
    Set<String> extensionNames = new HashSet<>();
    for (Bound bound : rules) {
      Extension extension = bound.rule().extension();
      if (extension != null && !extension.groups().isEmpty()) {
        extensions.add(extension);
        if (!extensionNames.add(extension.name())) {
          reader.problem(
              bound.place(),
              bound.path(),
              "another rule of the route has groups of plugin " + extension.name(),
              "a key can have them once; use the plugin in one rule of the route");
          return KeyGroups.NONE;
        }
      }
    }
    long combinations = KeyGroups.combinations(used, extensions);
    if (combinations > KeyGroups.MAX) {
      reader.problem(
          tree.place(),
          scope + ".rules",
          (extensions.isEmpty() ? "splits with " : "splits and plugins with ")
              + combinations
              + " combinations of groups change what the origin is asked",
          "use at most " + KeyGroups.MAX);
      return KeyGroups.NONE;
    }
    if ((!used.isEmpty() || !extensions.isEmpty()) && key.noVarySearch()) {
      reader.problem(
          tree.place(),
          scope + ".rules",
          (used.isEmpty() ? "a plugin" : "a split")
              + " changes what the origin is asked, and the key honours No-Vary-Search",
          "set key.no-vary-search: false, or add pass: true to the rule");
    }
    return used.isEmpty() && extensions.isEmpty()
        ? KeyGroups.NONE
        : new KeyGroups(used, extensions);
  }

  private static boolean changesShared(Rule rule) {
    return !rule.actions().passes() && rule.actions().changesRequest();
  }

  /**
   * What the origin is asked for a key must not depend on what is not in the key: the next client
   * with this key gets the answer, too (I7).
   */
  private void checkKey(Bound bound, KeyConfig key, CookieFilter cookies) {
    Condition condition = bound.rule().when();
    if (condition == null || !changesShared(bound.rule())) {
      return;
    }
    Set<String> missing = new LinkedHashSet<>();
    condition.parts(part -> {
      if (!isInKey(part, key, cookies)) {
        missing.add(part.toString());
      }
    });
    if (!missing.isEmpty()) {
      reader.problem(
          bound.place(),
          bound.path(),
          "changes what the origin is asked by "
              + String.join(", ", missing)
              + ", which is not in the key of what is stored",
          "add it to the key of the route, or add pass: true to the rule");
    }
  }

  private static boolean isInKey(RequestPart part, KeyConfig key, CookieFilter cookies) {
    return switch (part.kind()) {
      case PATH -> !key.foldPathCase();
      case HOST -> key.host() == null;
      case SCHEME -> key.scheme();
      case QUERY -> isQueryInKey(part.name(), key);
      case HEADER ->
          // Keys have a normal form of the one, and origins may get another one of their own.
          !List.of("accept-language", "authorization").contains(part.name())
              && (key.headers().contains(part.name()) || key.unkeyed().key().contains(part.name()));
      case COOKIE -> key.cookies().contains(part.name()) && cookies.passes(part.name());
      // Its groups come into the key with the rule.
      case SPLIT -> true;
      case METHOD, CLIENT, LISTENER, PROTOCOL, TLS, TIME, WHOLE -> false;
    };
  }

  private static boolean isQueryInKey(String name, KeyConfig key) {
    NamePatterns keep = new NamePatterns(key.keep());
    return !key.query().equals("ignore")
        && !key.noVarySearch()
        && !new NamePatterns(key.strip()).matches(name, 0, name.length())
        && (keep.isEmpty() || keep.matches(name, 0, name.length()));
  }

  private List<Bound> rules(String path, ConfigTree tree, boolean mayUse) {
    if (!(tree instanceof ConfigTree.Sequence sequence)) {
      reader.problem(tree.place(), path, "not a list of rules", "begin each rule with a dash");
      return List.of();
    }
    if (sequence.items().size() > MAX_RULES) {
      reader.problem(
          tree.place(), path, sequence.items().size() + " rules", "use at most " + MAX_RULES);
      return List.of();
    }
    List<Bound> rules = new ArrayList<>();
    int index = 0;
    for (ConfigTree item : sequence.items()) {
      add(rules, path + "." + index++, item, index, mayUse);
    }
    return rules;
  }

  private void add(List<Bound> rules, String path, ConfigTree tree, int number, boolean mayUse) {
    Map<String, ConfigTree.Entry> entries = reader.entries(path, tree, ActionBinder.RULE_KEYS);
    if (entries == null) {
      return;
    }
    ConfigTree.Entry use = entries.get("use");
    if (use != null) {
      if (entries.size() > 1) {
        reader.problem(use.place(), path + ".use", "a rule that uses a set has no other keys", "");
      } else if (!mayUse) {
        reader.problem(use.place(), path + ".use", "a set of rules cannot use another", "");
      } else {
        rules.addAll(used(path + ".use", use.value()));
      }
      return;
    }
    ConfigTree.Entry name = entries.get("name");
    String given = name == null ? null : reader.value(path + ".name", name.value(), ValueType.NAME);
    ConfigTree.Entry when = entries.get("when");
    Condition condition = when == null ? null : conditions.bind(path + ".when", when.value());
    boolean isWhole =
        tree instanceof ConfigTree.Mapping mapping && mapping.entries().size() == entries.size();
    RuleActions done = isWhole ? actions.bind(path, tree.place(), entries) : null;
    if (done == null || (when != null && condition == null)) {
      return;
    }
    Condition held = condition;
    if (done.answer() instanceof LocalAnswer.MapRedirect redirect) {
      Condition hasEntry = redirect.map().condition();
      held = held == null ? hasEntry : Condition.all(List.of(held, hasEntry));
    }
    Rule rule =
        new Rule(
            given == null ? "rule-" + number : given,
            tree.place().text(),
            held,
            actions.appliesOnError(path, entries),
            done);
    ConfigTree.Entry onError = entries.get("on-error");
    if (onError != null && !rule.hasExpression() && !done.dependsOnExpression()) {
      reader.problem(
          onError.place(),
          path + ".on-error",
          "only an expression can have no value, and the rule has none",
          "remove it");
      return;
    }
    if (done.groups() > rule.groups()) {
      reader.problem(
          tree.place(),
          path,
          "names $" + done.groups() + ", but no regex on the path has so many groups",
          "add path: {regex: ...} with groups in parentheses to when");
      return;
    }
    rules.add(new Bound(rule, tree.place(), path));
  }

  private List<Bound> used(String path, ConfigTree tree) {
    String name = reader.text(path, tree);
    if (name == null) {
      return List.of();
    }
    if (!sets.containsKey(name)) {
      reader.problem(
          tree.place(),
          path,
          "there is no set of rules named " + Printable.shown(name),
          sets.isEmpty() ? "add it under rule-sets" : Printable.suggestion(name, sets.keySet()));
      return List.of();
    }
    return set(name);
  }

  private List<Bound> set(String name) {
    List<Bound> known = boundSets.get(name);
    ConfigTree tree = sets.get(name);
    if (known == null && tree != null) {
      values.files().alias("rule-sets." + name, "rule-sets." + name + ".rules");
      known = List.copyOf(rules("rule-sets." + name, tree, false));
      boundSets.put(name, known);
    }
    return known == null ? List.of() : known;
  }
}
