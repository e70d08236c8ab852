package io.forebay.cli.store;

import io.forebay.cli.console.ByteSizes;
import io.forebay.cli.console.Output;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** Formats the store's responses for people. */
public final class StoreScreen {
  private static final int WIDTH = 78;

  private StoreScreen() {}

  // --- ls
  // -----------------------------------------------------------------------------------------

  /** State, size, age, tiers, URL; cut to a width, which only a terminal has. */
  static String line(Output output, JsonNode object, int width) {
    String state = object.path("state").asString("?");
    long missing = object.path("slicesMissing").asLong(0);
    String text =
        String.format(
            Locale.ROOT,
            "%-10s %8s %6s  %-10s  %s",
            missing > 0 && !state.equals("purged") ? state + "*" : state,
            ByteSizes.text(object.path("bytes").asLong(0)),
            object.has("ageSeconds") ? age(object.path("ageSeconds").asLong(0)) : "-",
            cut(tiers(object), 10),
            url(object.path("key").asString("")));
    text = cut(text, width);
    String shown = text.substring(0, Math.min(10, text.length()));
    String rest = text.substring(shown.length());
    return switch (state) {
      case "fresh" -> output.good(shown) + rest;
      case "purged", "unreadable" -> output.bad(shown) + rest;
      case "marker" -> output.faint(text);
      default -> shown + rest;
    };
  }

  /** The memory tier, or a middle tier, which have segments. */
  private static boolean isMemory(String tier) {
    return tier.equals("memory") || tier.matches("tier[1-8]");
  }

  static String cut(String text, int width) {
    return text.length() <= width ? text : text.substring(0, Math.max(0, width - 1)) + "…";
  }

  private static String tiers(JsonNode object) {
    StringBuilder text = new StringBuilder();
    object
        .path("tiers")
        .forEach(tier ->
            text.append(text.isEmpty() ? "" : "+")
                .append(tier.asString("").equals("memory") ? "mem" : tier.asString("?")));
    return text.toString();
  }

  /** A key as the URL that clients ask for: without the port that the scheme has anyway. */
  static String url(String key) {
    int mark = key.indexOf("://");
    int slash = mark < 0 ? -1 : key.indexOf('/', mark + 3);
    String port = key.startsWith("https:") ? ":443" : ":80";
    return slash > 0 && key.startsWith(port, slash - port.length())
        ? key.substring(0, slash - port.length()) + key.substring(slash)
        : key;
  }

  /** Seconds in the largest unit that leaves two digits or so. */
  static String age(long seconds) {
    long s = Math.abs(seconds);
    String text =
        s < 100
            ? s + "s"
            : s < 100 * 60 ? s / 60 + "m" : s < 100 * 3600 ? s / 3600 + "h" : s / 86_400 + "d";
    return seconds < 0 ? "-" + text : text;
  }

  // --- show
  // ---------------------------------------------------------------------------------------

  static List<String> show(Output output, JsonNode answer) {
    List<String> lines = new ArrayList<>();
    for (JsonNode target : answer.path("targets")) {
      if (!lines.isEmpty()) {
        lines.add("");
      }
      lines.add(output.strong(url(target.path("key").asString("?"))));
      lines.add("  " + target.path("answer").asString(""));
      row(lines, "key", target.path("key").asString("?"));
      if (target.has("route")) {
        row(lines, "route", target.path("route").asString("none"));
      }
      for (JsonNode object : target.path("objects")) {
        lines.add("");
        object(output, lines, object);
      }
    }
    return lines;
  }

  public static void object(Output output, List<String> lines, JsonNode object) {
    String state = object.path("state").asString("?");
    lines.add(
        "  "
            + output.strong(url(object.path("key").asString("?")))
            + (object.path("kind").asString("").equals("marker") ? "  (vary marker)" : ""));
    if (object.has("answer")) {
      lines.add("    " + object.path("answer").asString(""));
    }
    StringBuilder facts = new StringBuilder(state);
    if (object.has("status")) {
      facts.append(", status ").append(object.path("status").asInt(0));
    }
    facts.append(", ").append(ByteSizes.text(object.path("bytes").asLong(0)));
    if (object.has("ageSeconds")) {
      long left = object.path("ttlSeconds").asLong(0);
      facts
          .append(", age ")
          .append(age(object.path("ageSeconds").asLong(0)))
          .append(left >= 0 ? ", fresh for another " + age(left) : ", stale for " + age(-left));
    }
    row(lines, "  state", facts.toString());
    if (object.path("purged").asBoolean(false)) {
      row(lines, "  purge", "a purge in force covers it");
    } else if (object.path("softPurged").asBoolean(false)) {
      row(lines, "  purge", "a soft purge in force makes it stale");
    }
    String storageClass = object.path("class").asString("default");
    if (!storageClass.equals("default")) {
      row(lines, "  class", storageClass);
    }
    if (!object.path("variesBy").isEmpty()) {
      List<String> names = new ArrayList<>();
      object.path("variesBy").forEach(name -> names.add(name.asString("")));
      row(lines, "  varies by", String.join(", ", names));
    }
    if (object.has("inMemory")) {
      row(lines, "  memory", place(object.path("inMemory")));
    }
    if (object.has("onDisk")) {
      row(
          lines,
          "  disk",
          object.path("onDisk").path("disk").asString("?") + ", " + place(object.path("onDisk")));
    }
    slices(lines, object);
    String label = "  fields";
    for (JsonNode field : object.path("fields")) {
      row(lines, label, field.asString(""));
      label = "";
    }
  }

  private static String place(JsonNode place) {
    return String.format(
        Locale.ROOT,
        "region %d at %,d, %s, touched %s",
        place.path("region").asInt(0),
        place.path("offset").asInt(0),
        ByteSizes.text(place.path("recordBytes").asLong(0)),
        switch (place.path("touches").asInt(0)) {
          case 0 -> "never";
          case 1 -> "once";
          case 2 -> "twice";
          default -> "often";
        });
  }

  private static void slices(List<String> lines, JsonNode object) {
    JsonNode map = object.path("sliceMap");
    if (map.isMissingNode()) {
      return;
    }
    row(
        lines,
        "  slices",
        String.format(
            Locale.ROOT,
            "%,d of %s: %,d in memory, %,d on disk, %,d missing",
            object.path("slices").asLong(0),
            ByteSizes.text(map.path("sliceBytes").asLong(0)),
            map.path("inMemory").asLong(0),
            map.path("onDisk").asLong(0),
            map.path("missing").asLong(0)));
    List<String> runs = new ArrayList<>();
    for (JsonNode run : map.path("runs")) {
      long from = run.path("from").asLong(0);
      long to = run.path("to").asLong(0);
      String disk = run.path("disk").asString("");
      String where = run.path("inMemory").asBoolean(false) ? "memory" : "";
      where += where.isEmpty() || disk.isEmpty() ? disk : " and " + disk;
      runs.add(
          (from == to ? from + " " : from + "-" + to + " ")
              + (where.isEmpty() ? "missing" : where));
    }
    if (runs.size() > 1) {
      wrapped(lines, "", runs, "; ");
    }
  }

  // --- stat
  // ---------------------------------------------------------------------------------------

  static List<String> stat(Output output, JsonNode answer) {
    List<String> lines = new ArrayList<>();
    lines.add(
        output.faint(
            String.format(
                Locale.ROOT,
                "%-18s %7s %9s %5s %5s %6s %9s %9s",
                "",
                "regions",
                "capacity",
                "live",
                "dead",
                "asked",
                "objects",
                "slices")));
    for (JsonNode part : answer.path("parts")) {
      long capacity = part.path("capacityBytes").asLong(0);
      String segment = part.path("segment").asString("");
      String name = part.path("tier").asString("?");
      lines.add(
          String.format(
              Locale.ROOT,
              "%-18s %,7d %9s %5s %5s %6s %,9d %,9d",
              cut(isMemory(name) ? name + " " + (segment.isEmpty() ? "free" : segment) : name, 18),
              part.path("regions").asLong(0),
              ByteSizes.text(capacity),
              RegionMapScreen.percent(part.path("liveBytes").asLong(0), capacity),
              RegionMapScreen.percent(part.path("deadBytes").asLong(0), capacity),
              RegionMapScreen.percent(
                  part.path("touchedBytes").asLong(0), part.path("liveBytes").asLong(0)),
              part.path("objects").asLong(0),
              part.path("slices").asLong(0)));
      long withdrawn = part.path("withdrawnRegions").asLong(0);
      if (withdrawn > 0) {
        lines.add(
            String.format(
                Locale.ROOT,
                "%-18s %,7d %9s given back to the kernel",
                "memory withdrawn",
                withdrawn,
                ByteSizes.text(part.path("withdrawnBytes").asLong(0))));
      }
    }
    endurance(output, lines, answer.path("disks"));
    storageClasses(output, lines, answer);
    for (JsonNode part : answer.path("parts")) {
      if (part.path("objects").asLong(0) + part.path("slices").asLong(0) > 0) {
        lines.add("");
        classes(output, lines, answer, part);
      }
    }
    if (!answer.path("hosts").isEmpty()) {
      lines.add("");
      lines.add(output.faint("hosts with the most objects"));
      for (JsonNode host : answer.path("hosts")) {
        lines.add(
            String.format(
                Locale.ROOT,
                "%,12d  %-40s %9s in memory",
                host.path("objects").asLong(0),
                host.path("host").asString("?"),
                ByteSizes.text(host.path("memoryBytes").asLong(0))));
      }
      long others = answer.path("otherHostsObjects").asLong(0);
      if (others > 0) {
        lines.add(String.format(Locale.ROOT, "%,12d  of other hosts", others));
      }
    }
    return lines;
  }

  /** How much was written to each disk; a store at rest does not say. */
  private static void endurance(Output output, List<String> lines, JsonNode disks) {
    if (disks.isEmpty()) {
      return;
    }
    lines.add("");
    lines.add(
        output.faint(
            String.format(
                Locale.ROOT,
                "%-18s %9s %9s %9s %9s %9s  %s",
                "written",
                "in all",
                "in 24 h",
                "budget",
                "DWPD",
                "years",
                "writes now")));
    for (JsonNode disk : disks) {
      JsonNode endurance = disk.path("endurance");
      long budget = endurance.path("dailyBudgetBytes").asLong(0);
      lines.add(
          String.format(
              Locale.ROOT,
              "%-18s %9s %9s %9s %9s %9s  %s",
              cut(disk.path("name").asString("?"), 18),
              ByteSizes.text(endurance.path("writtenBytes").asLong(0)),
              ByteSizes.text(endurance.path("dayBytes").asLong(0)),
              budget == 0 ? "-" : ByteSizes.text(budget),
              number(endurance.path("driveWritesPerDay"), "%.2f"),
              number(endurance.path("yearsLeft"), "%.1f"),
              switch (endurance.path("admission").asString("open")) {
                case "closed" -> "nothing: budget used up";
                case "requested-again" -> "what is requested again";
                default -> "all";
              }));
    }
  }

  private static String number(JsonNode value, String format) {
    return value.isNumber() ? String.format(Locale.ROOT, format, value.asDouble(0)) : "-";
  }

  /** Where there is any but the default class; shares of disks where there is any. */
  private static void storageClasses(Output output, List<String> lines, JsonNode answer) {
    JsonNode classes = answer.path("classes");
    boolean isAny = false;
    for (JsonNode one : classes) {
      isAny |= !one.path("class").asString("").equals("default");
    }
    if (!isAny) {
      return;
    }
    long capacity = 0;
    for (JsonNode part : answer.path("parts")) {
      capacity +=
          isMemory(part.path("tier").asString("?")) ? 0 : part.path("capacityBytes").asLong(0);
    }
    boolean isOfDisks = hasDiskShares(classes, capacity);
    lines.add("");
    lines.add(
        output.faint(
            String.format(
                Locale.ROOT,
                "%-18s %9s %9s %9s %9s %9s %9s%s",
                "class",
                "objects",
                "in memory",
                "on disks",
                "quota",
                "floor",
                "pinned",
                isOfDisks ? " disk quota disk floor" : "")));
    for (JsonNode one : classes) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%-18s %,9d %9s %9s %9s %9s %9s%s",
              cut(one.path("class").asString("?"), 18),
              Math.max(one.path("memoryObjects").asLong(0), one.path("diskObjects").asLong(0)),
              ByteSizes.text(one.path("memoryBytes").asLong(0)),
              ByteSizes.text(one.path("diskBytes").asLong(0)),
              share(one, "quotaBytes"),
              share(one, "floorBytes"),
              share(one, "pinnedBytes"),
              isOfDisks
                  ? String.format(
                      Locale.ROOT,
                      " %10s %10s",
                      share(one, "diskQuotaBytes"),
                      share(one, "diskFloorBytes"))
                  : ""));
    }
  }

  private static boolean hasDiskShares(JsonNode classes, long diskBytes) {
    boolean isAny = false;
    for (JsonNode one : classes) {
      // Shares are of whole hundredths.
      boolean hasQuota = one.path("diskQuotaBytes").asLong(Long.MAX_VALUE) < diskBytes / 100 * 100;
      isAny |= hasQuota || one.path("diskFloorBytes").asLong(0) > 0;
    }
    return isAny;
  }

  private static String share(JsonNode storageClass, String field) {
    long bytes = storageClass.path(field).asLong(0);
    return bytes == 0 ? "-" : ByteSizes.text(bytes);
  }

  private static void classes(Output output, List<String> lines, JsonNode answer, JsonNode part) {
    String segment = part.path("segment").asString("");
    lines.add(
        output.strong(part.path("tier").asString("?") + (segment.isEmpty() ? "" : " " + segment)));
    JsonNode sizes = answer.path("sizeBounds");
    JsonNode seconds = answer.path("secondBounds");
    List<String> counts = new ArrayList<>();
    for (int n = 0; n < part.path("sizes").size(); n++) {
      String bound =
          n < sizes.size()
              ? "to " + ByteSizes.text(sizes.get(n).asLong(0))
              : "over " + ByteSizes.text(sizes.get(n - 1).asLong(0));
      count(counts, bound, part.path("sizes").get(n).asLong(0));
    }
    wrapped(
        lines,
        part.path("sizesOf").asString("").equals("records") ? "records" : "size",
        counts,
        "   ");
    counts.clear();
    for (int n = 0; n < part.path("ages").size(); n++) {
      count(counts, time(seconds, n), part.path("ages").get(n).asLong(0));
    }
    wrapped(lines, "age", counts, "   ");
    counts.clear();
    for (int n = 0; n < part.path("expires").size(); n++) {
      count(
          counts, n == 0 ? "expired" : time(seconds, n - 1), part.path("expires").get(n).asLong(0));
    }
    wrapped(lines, "expires", counts, "   ");
  }

  private static String time(JsonNode bounds, int n) {
    return n < bounds.size()
        ? "to " + age(bounds.get(n).asLong(0))
        : "over " + age(bounds.get(n - 1).asLong(0));
  }

  private static void count(List<String> counts, String name, long count) {
    if (count > 0) {
      counts.add(String.format(Locale.ROOT, "%s %,d", name, count));
    }
  }

  // --- verify
  // -------------------------------------------------------------------------------------

  static String flaw(Output output, JsonNode flaw) {
    long slice = flaw.path("slice").asLong(-1);
    String key = flaw.path("key").asString("");
    return output.bad("bad")
        + String.format(
            Locale.ROOT,
            "  %s region %d offset %,d, %s%s%s: %s",
            flaw.path("tier").asString("?"),
            flaw.path("region").asInt(0),
            flaw.path("offset").asInt(0),
            flaw.path("kind").asString("?"),
            slice < 0 ? "" : " " + slice,
            key.isEmpty()
                ? ""
                : " of ".repeat(slice < 0 ? 0 : 1) + (slice < 0 ? " " : "") + url(key),
            flaw.path("why").asString("?"));
  }

  private static void row(List<String> lines, String label, String text) {
    lines.add(String.format(Locale.ROOT, "  %-12s%s", label, text).stripTrailing());
  }

  /** Items after a label, in as many lines as they need. */
  private static void wrapped(
      List<String> lines, String label, List<String> items, String between) {
    String left = label;
    StringBuilder line = new StringBuilder();
    for (String item : items) {
      if (!line.isEmpty() && 14 + line.length() + between.length() + item.length() > WIDTH) {
        row(lines, left, line.toString());
        left = "";
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : between).append(item);
    }
    if (!line.isEmpty()) {
      row(lines, left, line.toString());
    }
  }
}
