package io.forebay.server.config;

import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.rule.Condition;
import io.forebay.server.text.Printable;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Compiles the rules by which requests have a line in the access log. */
final class LogSamplingBinder {
  private static final List<String> KEYS = List.of("when", "status", "cache", "keep");
  private static final List<String> CACHES =
      Stream.of(CacheResult.values())
          .map(result -> result.name().toLowerCase(Locale.ROOT))
          .toList();

  private final TreeReader reader;
  private final ConditionBinder conditions;

  LogSamplingBinder(TreeReader reader, ConditionBinder conditions) {
    this.reader = reader;
    this.conditions = conditions;
  }

  LogSampling bind(String path, ConfigTree tree) {
    if (!(tree instanceof ConfigTree.Sequence sequence)) {
      reader.problem(tree.place(), path, "not a list of rules", "begin each rule with a dash");
      return LogSampling.NONE;
    }
    if (sequence.items().size() > LogSampling.MAX_RULES) {
      reader.problem(
          tree.place(),
          path,
          sequence.items().size() + " rules",
          "use at most " + LogSampling.MAX_RULES);
      return LogSampling.NONE;
    }
    List<LogSampling.Rule> rules = new ArrayList<>();
    int index = 0;
    for (ConfigTree item : sequence.items()) {
      LogSampling.Rule rule = rule(path + "." + index++, item);
      if (rule != null) {
        rules.add(rule);
      }
    }
    return new LogSampling(rules.isEmpty() ? "" : TreeText.of(tree), rules);
  }

  private LogSampling.@Nullable Rule rule(String path, ConfigTree tree) {
    Map<String, ConfigTree.Entry> entries = reader.entries(path, tree, KEYS);
    if (entries == null) {
      return null;
    }
    ConfigTree.Entry keep = entries.get("keep");
    if (keep == null) {
      reader.problem(tree.place(), path, "keep is missing", "write a share such as keep: 1%");
      return null;
    }
    Integer share = share(path + ".keep", keep.value());
    ConfigTree.Entry when = entries.get("when");
    Condition condition = when == null ? null : conditions.bind(path + ".when", when.value());
    ConfigTree.Entry status = entries.get("status");
    BitSet statuses = status == null ? null : conditions.statuses(path + ".status", status.value());
    ConfigTree.Entry cache = entries.get("cache");
    List<String> names =
        cache == null ? List.of() : reader.words(path + ".cache", cache.value(), CACHES);
    if (share == null || names == null || (when != null && condition == null)) {
      return null;
    }
    Set<CacheResult> caches = EnumSet.noneOf(CacheResult.class);
    names.forEach(name -> caches.add(CacheResult.valueOf(name.toUpperCase(Locale.ROOT))));
    return new LogSampling.Rule(condition, statuses, caches, share);
  }

  /** A share in hundredths of a percent. */
  private @Nullable Integer share(String path, ConfigTree tree) {
    String text = reader.text(path, tree);
    if (text == null) {
      return null;
    }
    if (text.matches("(100|[0-9]{1,2}(\\.[0-9]{1,2})?)%")) {
      return new BigDecimal(text.substring(0, text.length() - 1)).movePointRight(2).intValueExact();
    }
    reader.problem(
        tree.place(),
        path,
        "\"" + Printable.shown(text) + "\" is not a share",
        "write 0% to 100%, such as 1% or 0.05%");
    return null;
  }
}
