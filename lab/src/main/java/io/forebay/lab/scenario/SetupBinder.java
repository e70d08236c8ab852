package io.forebay.lab.scenario;

import io.forebay.lab.scenario.Setup.HitRatio;
import io.forebay.lab.scenario.Setup.HitRatioBy;
import io.forebay.lab.scenario.Setup.Network;
import io.forebay.lab.scenario.Setup.Origin;
import io.forebay.lab.scenario.Setup.Popularity;
import io.forebay.lab.scenario.Setup.Protocol;
import io.forebay.lab.scenario.Setup.Server;
import io.forebay.lab.scenario.Setup.Tier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes what is started for a step: origin, objects and server. */
final class SetupBinder {
  private static final Pattern CPUS =
      Pattern.compile("\\d{1,4}(-\\d{1,4})?(,\\d{1,4}(-\\d{1,4})?){0,255}");
  private static final int MAX_ROWS = 100;

  /** So that buffers beside the tier do not decide. */
  private static final long MIN_MEMORY = 64L << 20;

  private SetupBinder() {}

  static Setup setup(MappingReader keys, MappingReader server, @Nullable HitRatio wanted) {
    Server program =
        new Server(
            server.bytes("memory", 1L << 30, MIN_MEMORY),
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

  private static @Nullable String cpus(MappingReader server) {
    if (!server.has("cpus")) {
      return null;
    }
    String cpus = server.text("cpus", null);
    if (!cpus.equals("loops") && !CPUS.matcher(cpus).matches()) {
      throw server.problem(
          "cpus", "is '" + cpus + "'; write loops, or a list in quotes such as \"0-3,8\"");
    }
    return cpus;
  }

  private static Origin origin(MappingReader keys) {
    Origin origin =
        new Origin(
            keys.integer("threads", 1, 1, 256),
            (int) Math.round(keys.seconds("latency", 0, 0, 600) * 1000),
            keys.bytes("bandwidth", 0, 0),
            (int) keys.seconds("max-age", 3600, 0, 31_536_000));
    keys.end();
    return origin;
  }

  private static Network network(MappingReader keys) {
    Network network =
        new Network(
            (int) Math.round(keys.seconds("delay", 0, 0, 10) * 1000), keys.share("loss", 0));
    keys.end();
    return network;
  }

  private static List<ObjectRow> objects(MappingReader keys, long memoryBytes, long channels) {
    List<MappingReader.Entry> entries = keys.list("objects");
    if (entries.isEmpty() || entries.size() > MAX_ROWS) {
      throw keys.problem("objects", "must be a list of 1 to " + MAX_ROWS + " rows");
    }
    List<ObjectRow> rows = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (MappingReader.Entry entry : entries) {
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
    boolean isApart = keys.flag("objects-apart", false);
    List<ObjectRow> counted = new ArrayList<>();
    for (ObjectRow row : rows) {
      List<ObjectRow> together = isApart ? List.of(row) : rows;
      long count = channels > 0 ? channels * segments : count(keys, together, memoryBytes);
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

  private static ObjectRow object(MappingReader keys) {
    String name = ScenarioBinder.name(keys, "name");
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

  /** How many files of each of these rows fill the footprint; 0 where none is given. */
  private static long count(MappingReader keys, List<ObjectRow> rows, long memoryBytes) {
    if (!keys.has("footprint")) {
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
}
