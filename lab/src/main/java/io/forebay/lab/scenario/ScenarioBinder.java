package io.forebay.lab.scenario;

import io.forebay.lab.scenario.Setup.HitRatio;
import io.forebay.lab.scenario.Setup.HitRatioBy;
import io.forebay.lab.scenario.Setup.HitRatioOf;
import io.forebay.lab.scenario.Setup.Network;
import io.forebay.lab.scenario.Setup.Origin;
import io.forebay.lab.scenario.Setup.Popularity;
import io.forebay.lab.scenario.Setup.Protocol;
import io.forebay.lab.scenario.Setup.Server;
import io.forebay.lab.scenario.Setup.Tier;
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
  private static final Pattern CPUS =
      Pattern.compile("\\d{1,4}(-\\d{1,4})?(,\\d{1,4}(-\\d{1,4})?){0,255}");
  private static final List<String> OWN_KEYS =
      List.of("name", "title", "source", "repetitions", "steps");
  private static final int MAX_STEPS = 200;
  private static final int MAX_ROWS = 100;
  private static final long LEAST_MEMORY = 64L << 20;
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
    ObjectNode tree = applied.tree();
    Keys top = new Keys(source, "", tree);
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
    for (Keys.Entry entry : top.list("steps")) {
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

  private static String name(Keys keys, String key) {
    String name = keys.text(key, null);
    if (!NAME.matcher(name).matches()) {
      throw keys.problem(key, "is '" + name + "'; write small letters, digits and hyphens");
    }
    return name;
  }

  private static void check(Keys top, List<Step> steps) {
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
    Keys keys =
        new Keys(source + " (profile " + profile.label() + ", step " + name + ")", "", tree);
    Keys load = keys.mapping("load");
    Keys server = keys.mapping("server");
    List<Dial> loops = loops(server);
    List<Dial> rates = dials(load, "rate", 0, 0, 1e9);
    List<Dial> connections = dials(load, "connections", 1, 1, 10_000_000);
    @Nullable HitRatio wanted = hitRatio(keys);
    Setup setup = setup(keys, server, wanted);
    Load template = load(load, keys.mapping("time"), wanted);
    @Nullable Search search = search(keys, setup);
    List<@Nullable String> apart = new ArrayList<>();
    if (keys.flag("objects-apart", false)) {
      setup.objects().forEach(row -> apart.add(row.name()));
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
          for (@Nullable String only : apart) {
            steps.add(
                new Step(
                    name
                        + loop.suffix
                        + rate.suffix
                        + connection.suffix
                        + (only == null ? "" : "-" + only),
                    withLoops(setup, (int) loop.value),
                    with(template, rate.value, (int) connection.value, only),
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

  private static List<Dial> dials(Keys keys, String key, double absent, double least, double most) {
    if (!keys.has(key)) {
      keys.get(key);
      return List.of(new Dial(absent, ""));
    }
    boolean isList = keys.isList(key);
    List<Dial> dials = new ArrayList<>();
    for (Keys.Entry entry : keys.list(key)) {
      double value =
          "rate".equals(key) ? entry.number(least, most) : entry.integer((int) least, (int) most);
      dials.add(new Dial(value, isList ? "-" + entry.text() : ""));
    }
    if (dials.isEmpty()) {
      throw keys.problem(key, "is an empty list; write a value");
    }
    return dials;
  }

  private List<Dial> loops(Keys server) {
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

  private static Setup withLoops(Setup setup, int loops) {
    Server server = setup.server();
    return new Setup(
        new Server(
            server.memoryBytes(),
            server.diskBytes(),
            loops,
            server.instances(),
            server.cpus(),
            server.numaNode()),
        setup.origin(),
        setup.objects(),
        setup.footprintBytes(),
        setup.channels(),
        setup.popularity(),
        setup.sizedBy(),
        setup.tier(),
        setup.tls(),
        setup.protocol(),
        setup.network());
  }

  private static Load with(Load load, double rate, int connections, @Nullable String only) {
    return new Load(
        load.client(),
        load.clients(),
        connections,
        load.requestsPerConnection(),
        load.streams(),
        rate,
        load.ratePerConnection(),
        load.ramps(),
        load.warmUpSeconds(),
        load.measuredSeconds(),
        load.timeoutMillis(),
        only,
        load.freshShare(),
        load.wanted(),
        load.resumedShare(),
        load.verify());
  }

  private static Setup setup(Keys keys, Keys server, @Nullable HitRatio wanted) {
    Server program =
        new Server(
            server.bytes("memory", 1L << 30, LEAST_MEMORY),
            server.bytes("disk", 0, 0),
            0,
            server.integer("instances", 1, 1, 64),
            cpus(server),
            server.integer("numa", -1, 0, 1023));
    Tier tier = keys.choice("tier", Tier.class, Tier.MEMORY);
    if (tier == Tier.DISK && program.diskBytes() == 0) {
      throw keys.problem("tier", "is disk without one; write server: {disk: SIZE}");
    }
    long channels = keys.integer("channels", 0, 1, 100_000_000);
    List<ObjectRow> rows = objects(keys, program.memoryBytes(), channels);
    Protocol protocol = keys.choice("protocol", Protocol.class, Protocol.HTTP1);
    boolean tls = keys.flag("tls", false);
    if (protocol == Protocol.HTTP3 && !tls) {
      throw keys.problem("protocol", "is http3, which has TLS always; write tls: true");
    }
    return new Setup(
        program,
        origin(keys.mapping("origin")),
        rows,
        Setup.footprint(rows),
        channels,
        keys.choice("popularity", Popularity.class, Popularity.UNIFORM),
        wanted == null || wanted.by() == HitRatioBy.FRESH_NAMES ? null : wanted,
        tier,
        tls,
        protocol,
        network(keys.mapping("network")));
  }

  private static @Nullable String cpus(Keys server) {
    if (!server.has("cpus")) {
      server.get("cpus");
      return null;
    }
    String cpus = server.text("cpus", null);
    if (!cpus.equals("loops") && !CPUS.matcher(cpus).matches()) {
      throw server.problem(
          "cpus", "is '" + cpus + "'; write loops, or a list in quotes such as \"0-3,8\"");
    }
    return cpus;
  }

  private static Origin origin(Keys keys) {
    Origin origin =
        new Origin(
            keys.integer("threads", 1, 1, 256),
            (int) Math.round(keys.seconds("latency", 0, 0, 600) * 1000),
            keys.bytes("bandwidth", 0, 0),
            (int) keys.seconds("max-age", 3600, 0, 31_536_000));
    keys.end();
    return origin;
  }

  private static Network network(Keys keys) {
    Network network =
        new Network(
            (int) Math.round(keys.seconds("delay", 0, 0, 10) * 1000), keys.share("loss", 0));
    keys.end();
    return network;
  }

  private static @Nullable HitRatio hitRatio(Keys keys) {
    if (!keys.has("hit-ratio")) {
      keys.get("hit-ratio");
      return null;
    }
    Keys ratio = keys.mapping("hit-ratio");
    if (!ratio.has("wanted")) {
      throw ratio.problem("wanted", "is missing; write a share such as 98.8%");
    }
    HitRatio wanted =
        new HitRatio(
            ratio.share("wanted", 1),
            ratio.choice("of", HitRatioOf.class, HitRatioOf.REQUESTS),
            ratio.choice("by", HitRatioBy.class, HitRatioBy.FRESH_NAMES));
    ratio.end();
    return wanted;
  }

  private static List<ObjectRow> objects(Keys keys, long memoryBytes, long channels) {
    List<Keys.Entry> entries = keys.list("objects");
    if (entries.isEmpty() || entries.size() > MAX_ROWS) {
      throw keys.problem("objects", "must be a list of 1 to " + MAX_ROWS + " rows");
    }
    List<ObjectRow> rows = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Keys.Entry entry : entries) {
      ObjectRow row = object(entry.keys());
      if (!names.add(row.name())) {
        throw entry.problem("is called " + row.name() + " like another row; rename one");
      }
      rows.add(row);
    }
    long segments = keys.integer("segments", 60, 1, 1_000_000);
    if (channels > 0 && keys.has("footprint")) {
      throw keys.problem("footprint", "goes without channels; keep one of them");
    }
    long count = channels > 0 ? channels * segments : count(keys, rows, memoryBytes);
    List<ObjectRow> counted = new ArrayList<>();
    for (ObjectRow row : rows) {
      if (row.count() > 0) {
        counted.add(row);
      } else if (count > 0) {
        counted.add(row.withCount(count));
      } else {
        throw keys.problem(
            "objects", "have no count; write footprint, channels, or a count in each row");
      }
    }
    return counted;
  }

  private static ObjectRow object(Keys keys) {
    String name = name(keys, "name");
    long bytes = keys.bytes("size", -1, 1);
    if (bytes < 0) {
      throw keys.problem("size", "is missing; write a size such as 384KB or 2MB");
    }
    String path = keys.text("path", "/o/{bytes}/" + name + "-{n}");
    if (!path.startsWith("/") || !path.contains("{n}")) {
      throw keys.problem("path", "is '" + path + "'; write a path with {n} for the number");
    }
    ObjectRow row =
        new ObjectRow(
            name,
            bytes,
            keys.number("weight", 1, 0, 1e9),
            keys.integer("count", 0, 1, 1_000_000_000),
            path);
    keys.end();
    return row;
  }

  /** How many files of each row fill the footprint; 0 where none is given. */
  private static long count(Keys keys, List<ObjectRow> rows, long memoryBytes) {
    if (!keys.has("footprint")) {
      keys.get("footprint");
      return 0;
    }
    String text = keys.text("footprint", null);
    long bytes =
        text.matches("\\d{1,4}(\\.\\d{1,3})?x")
            ? Math.round(Double.parseDouble(text.substring(0, text.length() - 1)) * memoryBytes)
            : Units.bytes(text).orElse(-1);
    if (bytes < 1) {
      throw keys.problem(
          "footprint",
          "is '" + text + "'; write a size such as 64GB, or a multiple of memory such as 4x");
    }
    long set = 0;
    for (ObjectRow row : rows) {
      set += row.count() > 0 ? 0 : row.bytes();
    }
    return set == 0 ? 0 : Math.max(1, bytes / set);
  }

  private static Load load(Keys keys, Keys time, @Nullable HitRatio wanted) {
    List<Load.Ramp> ramps = new ArrayList<>();
    for (Keys.Entry entry : keys.list("ramps")) {
      Keys ramp = entry.keys();
      double from = ramp.number("rate", 1, 0.001, 1e9);
      ramps.add(
          new Load.Ramp(
              ramp.seconds("time", 60, 0.5, 86_400), from, ramp.number("to", from, 0, 1e9)));
      ramp.end();
    }
    double perConnection = keys.number("rate-per-connection", 0, 0, 1e6);
    if (perConnection > 0 && keys.has("rate")) {
      throw keys.problem("rate", "goes without rate-per-connection; keep one of them");
    }
    double fresh = keys.share("fresh", 0);
    if (fresh > 0 && wanted != null) {
      throw keys.problem("fresh", "goes without hit-ratio; keep one of them");
    }
    if (wanted != null && wanted.by() == HitRatioBy.FRESH_NAMES) {
      fresh = 1 - wanted.wanted();
    }
    Load load =
        new Load(
            keys.text("client", "own"),
            keys.integer("clients", 1, 1, 1000),
            1,
            keys.integer("requests-per-connection", 0, 0, 1_000_000_000),
            keys.integer("streams", 1, 1, 1000),
            0,
            perConnection,
            ramps,
            time.seconds("warm-up", 1, 0, 86_400),
            time.seconds("measured", 10, 1, 86_400),
            (int) Math.round(keys.seconds("timeout", 30, 0.01, 3600) * 1000),
            null,
            fresh,
            wanted,
            keys.share("resumed", 0),
            keys.flag("verify", false));
    time.end();
    if (!Set.of("own", "wrk", "h2load").contains(load.client())) {
      throw keys.problem("client", "is '" + load.client() + "'; write one of own, wrk, h2load");
    }
    return load;
  }

  private static @Nullable Search search(Keys keys, Setup setup) {
    if (!keys.has("search")) {
      keys.get("search");
      return null;
    }
    Keys search = keys.mapping("search");
    Search.By by = search.choice("by", Search.By.class, Search.By.CONNECTIONS);
    int from = search.integer("from", 1, 1, 10_000_000);
    if (by == Search.By.CHANNELS && setup.channels() == 0) {
      throw search.problem("by", "is channels without any; write channels: " + from);
    }
    Search result =
        new Search(
            by,
            from,
            search.integer("most", 1_000_000, from, 10_000_000),
            search.number("growth", 2, 1.01, 100),
            search.integer("refinements", 2, 0, 20),
            by == Search.By.CONNECTIONS
                ? search.number("limit", 1.2, 1, 1000)
                : search.share("limit", 0.85),
            search.seconds("held", 0, 0, 86_400),
            keys.integer("segments", 60, 1, 1_000_000));
    search.end();
    return result;
  }
}
