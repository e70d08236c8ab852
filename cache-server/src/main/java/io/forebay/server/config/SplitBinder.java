package io.forebay.server.config;

import io.forebay.server.config.SplitConfig.Shares;
import io.forebay.server.rule.Split;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads the splits of clients into groups. */
final class SplitBinder extends Binder {
  private final Map<String, Split> splits = new LinkedHashMap<>();

  SplitBinder(ConfigValues values, List<ConfigProblem> problems, Map<String, String> sources) {
    super(values, problems, sources);
  }

  List<SplitConfig> bind() {
    List<SplitConfig> bound = new ArrayList<>();
    for (Map.Entry<String, SourceLocation> entry : values.instances(ConfigKeys.SPLITS).entrySet()) {
      String name = entry.getKey();
      String scope = "splits." + name;
      String by = needed(scope, ConfigKeys.SPLIT_BY, entry.getValue());
      Shares groups = needed(scope, ConfigKeys.SPLIT_GROUPS, entry.getValue());
      String salt = value(scope, ConfigKeys.SPLIT_SALT);
      SplitConfig split = new SplitConfig(name, by, salt == null ? name : salt, groups);
      bound.add(split);
      splits.put(name, compiled(split));
      for (Field<SplitConfig, ?> field : ConfigKeys.SPLITS.fields()) {
        source(ConfigKeys.SPLITS, name, field, scope + "." + field.name());
      }
    }
    return List.copyOf(bound);
  }

  /** The splits by name, in the order of the file. */
  Map<String, Split> splits() {
    return splits;
  }

  private static Split compiled(SplitConfig split) {
    int blank = split.by().indexOf(' ');
    String kind = blank < 0 ? split.by() : split.by().substring(0, blank);
    String field = blank < 0 ? "" : split.by().substring(blank + 1);
    Split.By by = Split.By.valueOf(kind.toUpperCase(Locale.ROOT));
    return new Split(
        split.name(),
        by,
        by == Split.By.HEADER ? field.toLowerCase(Locale.ROOT) : field,
        split.salt(),
        List.copyOf(split.groups().parts().keySet()),
        List.copyOf(split.groups().parts().values()));
  }
}
