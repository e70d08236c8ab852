package io.forebay.lab.load;

import java.net.URI;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The script by which wrk draws requests as the lab's own client does, and reports. */
final class WrkScript {
  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  /** Numbers of Lua are whole up to 2^53; 30 bits are seconds. */
  private static final int FRESH_BITS = 23;

  private static final String CODE =
      """
      local threads = {}
      issued = 0
      asked = 0

      function setup(thread)
        thread:set("id", #threads)
        if #targets > 1 then
          local target = targets[#threads % #targets + 1]
          thread.addr = wrk.lookup(target.host, target.port)[1]
        end
        table.insert(threads, thread)
      end

      function init(args)
        math.randomseed(seed + id)
        local target = targets[id % #targets + 1]
        tail = " HTTP/1.1\\r\\nHost: " .. target.host .. ":" .. target.port .. "\\r\\n\\r\\n"
        for _, object in ipairs(objects) do
          object.next = id
          object.last = math.log(object.count + 0.5)
        end
        fresh = freshBase + id
        freshDue = (id + 0.5) / stride
      end

      -- Rejection-inversion (Hoermann and Derflinger, 1996), exponent 1.
      local first = math.log(1.5) - 1
      local below = 2 - math.exp(math.log(2.5) - 0.5)

      local function zipf(object)
        while true do
          local area = object.last + math.random() * (first - object.last)
          local x = math.exp(area)
          local k = math.min(math.max(math.floor(x + 0.5), 1), object.count)
          if k - x <= below or area >= math.log(k + 0.5) - 1 / k then
            return k - 1
          end
        end
      end

      local function number(object)
        freshDue = freshDue + freshShare
        if freshDue >= 1 then
          freshDue = freshDue - 1
          fresh = fresh + stride
          return fresh
        elseif popularity == "ZIPF" then
          return zipf(object)
        elseif popularity == "SEQUENTIAL" then
          local next = object.next
          object.next = next + stride
          return next % object.count
        end
        return math.floor(math.random() * object.count)
      end

      function request()
        local at = math.random() * objects[#objects].weight
        local drawn = 1
        while drawn < #objects and at >= objects[drawn].weight do
          drawn = drawn + 1
        end
        local object = objects[drawn]
        issued = issued + 1
        asked = asked + object.bytes
        return "GET " .. table.concat(object.parts, string.format("%.0f", number(object))) .. tail
      end

      function done(summary, latency)
        local function tell(name, value)
          io.write(string.format("forebay %s %.3f\\n", name, value))
        end
        local allIssued, allAsked = 0, 0
        for _, thread in ipairs(threads) do
          allIssued = allIssued + thread:get("issued")
          allAsked = allAsked + thread:get("asked")
        end
        tell("duration", summary.duration)
        tell("requests", summary.requests)
        tell("bytes", summary.bytes)
        tell("connect", summary.errors.connect)
        tell("read", summary.errors.read)
        tell("write", summary.errors.write)
        tell("status", summary.errors.status)
        tell("timeout", summary.errors.timeout)
        tell("issued", allIssued)
        tell("asked", allAsked)
        tell("mean", latency.mean)
        tell("p50", latency:percentile(50))
        tell("p99", latency:percentile(99))
        tell("p999", latency:percentile(99.9))
        tell("max", latency.max)
      end
      """;

  private WrkScript() {}

  static String of(LoadPlan plan, int threads, Instant now) {
    StringBuilder script = new StringBuilder();
    script.append("seed = ").append(Math.floorMod(plan.seed(), 1L << 31)).append('\n');
    script.append("stride = ").append(threads).append('\n');
    script
        .append("freshShare = ")
        .append(String.format(Locale.ROOT, "%.9f", plan.freshShare()))
        .append('\n');
    long seconds = Math.max(1, now.getEpochSecond() - EPOCH.getEpochSecond());
    script.append("freshBase = ").append(seconds).append(" * 2^").append(FRESH_BITS).append('\n');
    script.append("popularity = \"").append(plan.popularity()).append("\"\n");
    script
        .append("targets = {")
        .append(plan.targets().stream().map(WrkScript::target).collect(Collectors.joining(", ")))
        .append("}\n");
    script.append("objects = {\n");
    double weight = 0;
    for (LoadPlan.ObjectClass object : plan.objects()) {
      weight += object.weight();
      script.append(
          String.format(
              Locale.ROOT,
              "  {weight = %.9f, bytes = %d, count = %d, parts = {%s}},\n",
              weight,
              object.bytes(),
              object.count(),
              parts(plan.prefix(), object)));
    }
    return script.append("}\n\n").append(CODE).toString();
  }

  private static String target(URI target) {
    return "{host = " + quoted(target.getHost()) + ", port = \"" + target.getPort() + "\"}";
  }

  private static String parts(String prefix, LoadPlan.ObjectClass object) {
    String path = prefix + object.path().replace("{bytes}", Long.toString(object.bytes()));
    return Arrays.stream(path.split("\\{n}", -1))
        .map(WrkScript::quoted)
        .collect(Collectors.joining(", "));
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }
}
