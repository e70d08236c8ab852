package io.forebay.lab.scenario;

import io.forebay.lab.scenario.Setup.HitRatio;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Makes a scenario of a tree to which a profile was applied. */
final class ScenarioBinder {
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,39}");
  private static final List<String> OWN_KEYS =
      List.of("name", "title", "source", "repetitions", "steps");
  private static final int MAX_STEPS = 200;
  private static final JsonMapper JSON = new JsonMapper();

  private final String source;
  private final Profile profile;
  private final int cores;

  ScenarioBinder(String source, Profile profile, int cores) {
    this.source = source;
    this.profile = profile;
    this.cores = cores;
  }

  Scenario bind(Profiles.Applied applied) {
    try {
      return bound(applied);
    } catch (ArithmeticException tooMany) {
      throw new ScenarioException(
          source + ": sizes, counts or connections are too large together; make them smaller",
          tooMany);
    }
  }

  private Scenario bound(Profiles.Applied applied) {
    ObjectNode tree = applied.tree();
    MappingReader top = new MappingReader(source, "", tree);
    String name = name(top, "name");
    String title = top.text("title", null);
    String published = top.text("source", "");
    int repetitions = top.integer("repetitions", 1, 1, 1000);
    if (!top.isList("steps") || top.list("steps").isEmpty()) {
      throw top.problem("steps", "must be a list of at least one step; write - {name: …}");
    }
    ObjectNode dials = tree.deepCopy();
    OWN_KEYS.forEach(dials::remove);
    List<Step> steps = new ArrayList<>();
    for (MappingReader.Entry entry : top.list("steps")) {
      String step = name(entry.keys(), "name");
      ObjectNode merged = dials.deepCopy();
      ObjectNode own = ((ObjectNode) entry.node()).deepCopy();
      own.remove("name");
      Profiles.merge(merged, own);
      steps.addAll(steps(step, merged));
    }
    check(top, steps);
    Map<String, Object> settings =
        JSON.convertValue(tree, new TypeReference<Map<String, Object>>() {});
    settings.values().removeIf(value -> value == null);
    return new Scenario(
        name,
        title,
        published,
        profile,
        applied.factor(),
        applied.timeFactor(),
        repetitions,
        steps,
        settings);
  }

  static String name(MappingReader keys, String key) {
    String name = keys.text(key, null);
    if (!NAME.matcher(name).matches()) {
      throw keys.problem(key, "is '" + name + "'; write small letters, digits and hyphens");
    }
    return name;
  }

  private static void check(MappingReader top, List<Step> steps) {
    if (steps.size() > MAX_STEPS) {
      throw top.problem("steps", "make " + steps.size() + "; at most " + MAX_STEPS);
    }
    Set<String> names = new HashSet<>();
    for (Step step : steps) {
      if (!names.add(step.name())) {
        throw top.problem("steps", "two are called " + step.name() + "; rename one");
      }
    }
  }

  /** The steps that lists of dials make of one entry. */
  private List<Step> steps(String name, ObjectNode tree) {
    MappingReader keys =
        new MappingReader(
            source + " (profile " + profile.label() + ", step " + name + ")", "", tree);
    MappingReader load = keys.mapping("load");
    MappingReader server = keys.mapping("server");
    List<Dial> loops = loops(server);
    List<Dial> rates = dials(load, "rate", 0, 0, 1e9);
    List<Dial> connections = dials(load, "connections", 1, 1, 10_000_000);
    @Nullable HitRatio wanted = LoadBinder.hitRatio(keys);
    Setup setup = SetupBinder.setup(keys, server, wanted);
    Load template = LoadBinder.load(load, keys.mapping("time"), wanted);
    @Nullable Search search = LoadBinder.search(keys, setup);
    List<@Nullable ObjectRow> apart = new ArrayList<>();
    if (keys.flag("objects-apart", false)) {
      apart.addAll(setup.objects());
    } else {
      apart.add(null);
    }
    load.end();
    server.end();
    keys.end();
    List<Step> steps = new ArrayList<>();
    for (Dial loop : loops) {
      for (Dial rate : rates) {
        for (Dial connection : connections) {
          for (@Nullable ObjectRow only : apart) {
            Setup own = only == null ? setup : setup.withOnly(only);
            @Nullable String object = only == null ? null : only.name();
            steps.add(
                new Step(
                    name
                        + loop.suffix
                        + rate.suffix
                        + connection.suffix
                        + (object == null ? "" : "-" + object),
                    own.withLoops((int) loop.value),
                    template.withDials(rate.value, (int) connection.value, object),
                    search));
          }
        }
      }
    }
    return steps;
  }

  /**
   * A value of a dial that may be a list.
   *
   * @param suffix of the step's name; empty where the file has one value and no list
   */
  private record Dial(double value, String suffix) {}

  private static List<Dial> dials(
      MappingReader keys, String key, double absent, double min, double max) {
    if (!keys.has(key)) {
      return List.of(new Dial(absent, ""));
    }
    boolean isList = keys.isList(key);
    List<Dial> dials = new ArrayList<>();
    for (MappingReader.Entry entry : keys.list(key)) {
      double value =
          "rate".equals(key) ? entry.number(min, max) : entry.integer((int) min, (int) max);
      dials.add(new Dial(value, isList ? "-" + entry.text() : ""));
    }
    if (dials.isEmpty()) {
      throw keys.problem(key, "is an empty list; write a value");
    }
    return dials;
  }

  private List<Dial> loops(MappingReader server) {
    JsonNode value = server.get("loops");
    if (value == null || "all".equals(value.asString(""))) {
      return List.of(new Dial(0, ""));
    }
    if (!"each".equals(value.asString(""))) {
      return dials(server, "loops", 0, 1, 4096);
    }
    List<Dial> each = new ArrayList<>();
    for (int loops = 1; loops < cores; loops *= 2) {
      each.add(new Dial(loops, "-" + loops));
    }
    each.add(new Dial(cores, "-" + cores));
    return each;
  }
}
