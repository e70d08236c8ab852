package io.forebay.cli.store;

import io.forebay.cli.console.ByteSizes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/**
 * Draws the regions of a store: some lines for each segment, the youngest region first. The height
 * of a cell is the live share of its region, the colour how much of that was requested since it was
 * written; without colours a line of digits shows it in tenths.
 */
final class RegionMapScreen {
  private static final String BLOCKS = " ▁▂▃▄▅▆▇█";
  private static final String LETTERS = " .:-=+*#@";
  private static final int LABEL = 16;
  private static final int MAX_ROWS = 6;

  /** Cold to hot; the bounds are shares of the live bytes. */
  private static final String[] COLOURS = {"34", "36", "32", "33", "31"};

  private static final double[] BOUNDS = {0, 0.25, 0.5, 0.75};
  private static final String[] NAMES = {"none", "to 25 %", "to 50 %", "to 75 %", "more"};

  private final int width;
  private final boolean isColoured;
  private final String ramp;

  /**
   * A screen of so many columns.
   *
   * @param hasBlocks whether what reads it can show block characters
   */
  RegionMapScreen(int width, boolean isColoured, boolean hasBlocks) {
    this.width = Math.max(LABEL + 8, width);
    this.isColoured = isColoured;
    this.ramp = hasBlocks ? BLOCKS : LETTERS;
  }

  /** One cell: regions that are neighbours in age. */
  private record Cell(double used, double live, double touched) {}

  List<String> lines(JsonNode map) {
    List<String> lines = new ArrayList<>();
    for (JsonNode tier : map.path("tiers")) {
      tier(lines, tier);
    }
    if (!lines.isEmpty()) {
      lines.addAll(legend());
    }
    return lines;
  }

  private void tier(List<String> lines, JsonNode tier) {
    long regionBytes = tier.path("regionBytes").asLong(1);
    List<JsonNode> regions = new ArrayList<>();
    tier.path("regions").forEach(regions::add);
    long live = sum(regions, "liveBytes");
    long used = sum(regions, "usedBytes");
    long total = regionBytes * regions.size();
    lines.add(
        String.format(
            Locale.ROOT,
            "%s: %s, %d regions of %s, %s used, %s live",
            StoreScreen.cut(tier.path("tier").asString("?"), 18),
            ByteSizes.text(total),
            regions.size(),
            ByteSizes.text(regionBytes),
            percent(used, total),
            percent(live, total)));
    List<List<JsonNode>> rows = new ArrayList<>();
    List<String> labels =
        List.of("probation", "protected", "written", "free", "limbo", "withdrawn", "damaged");
    labels.forEach(label -> rows.add(new ArrayList<>()));
    for (JsonNode region : regions) {
      rows.get(labels.indexOf(row(region))).add(region);
    }
    int most = rows.stream().mapToInt(List::size).max().orElse(0);
    int columns = width - LABEL;
    int group = Math.max(1, Math.ceilDiv(most, columns * MAX_ROWS));
    for (int n = 0; n < rows.size(); n++) {
      draw(lines, labels.get(n), rows.get(n), group, columns, regionBytes);
    }
    if (group > 1) {
      lines.add("  " + faint("a cell is " + group + " regions"));
    }
    lines.add("");
  }

  private static String row(JsonNode region) {
    String state = region.path("state").asString("free");
    return switch (state) {
      case "open", "sealed" -> {
        String segment = region.path("segment").asString("");
        yield segment.equals("probation") || segment.equals("protected") ? segment : "written";
      }
      case "limbo", "withdrawn", "damaged" -> state;
      default -> "free";
    };
  }

  private void draw(
      List<String> lines,
      String label,
      List<JsonNode> regions,
      int group,
      int columns,
      long regionBytes) {
    if (regions.isEmpty()) {
      return;
    }
    regions.sort(Comparator.comparingLong((JsonNode one) -> one.path("age").asLong(0)).reversed());
    List<Cell> cells = cells(regions, group, regionBytes);
    String left = String.format(Locale.ROOT, "  %-9s%4s ", label, Integer.toString(regions.size()));
    for (int from = 0; from < cells.size(); from += columns) {
      List<Cell> row = cells.subList(from, Math.min(cells.size(), from + columns));
      lines.add((left + cells(row, label)).stripTrailing());
      boolean isWarm = row.stream().anyMatch(cell -> cell.touched() > 0);
      if (!isColoured && isWarm) {
        lines.add(("  requested    " + " " + digits(row)).stripTrailing());
      }
      left = " ".repeat(LABEL);
    }
  }

  private static List<Cell> cells(List<JsonNode> regions, int group, long regionBytes) {
    List<Cell> cells = new ArrayList<>();
    for (int from = 0; from < regions.size(); from += group) {
      List<JsonNode> some = regions.subList(from, Math.min(regions.size(), from + group));
      double room = (double) regionBytes * some.size();
      long live = sum(some, "liveBytes");
      cells.add(
          new Cell(
              sum(some, "usedBytes") / room,
              live / room,
              live == 0 ? 0 : sum(some, "touchedBytes") / (double) live));
    }
    return cells;
  }

  private String cells(List<Cell> row, String label) {
    StringBuilder text = new StringBuilder();
    String colour = "";
    for (Cell cell : row) {
      String wanted = colour(cell, label);
      if (!wanted.equals(colour)) {
        text.append(colour.isEmpty() ? "" : "\u001b[0m");
        text.append(wanted.isEmpty() ? "" : "\u001b[" + wanted + "m");
        colour = wanted;
      }
      text.append(glyph(cell, label));
    }
    return text.append(colour.isEmpty() ? "" : "\u001b[0m").toString();
  }

  private char glyph(Cell cell, String label) {
    return switch (label) {
      case "free" -> ramp.equals(BLOCKS) ? '·' : '_';
      case "limbo" -> '~';
      case "withdrawn" -> '-';
      case "damaged" -> '!';
      default -> {
        // What holds anything can be seen, and full is only what is full.
        int level = (int) Math.floor(cell.live() * (ramp.length() - 1) + 0.02);
        yield ramp.charAt(
            Math.clamp(cell.used() > 0 ? Math.max(1, level) : level, 0, ramp.length() - 1));
      }
    };
  }

  private String colour(Cell cell, String label) {
    if (!isColoured) {
      return "";
    }
    return switch (label) {
      case "free", "limbo", "withdrawn" -> "2";
      case "damaged" -> "1;31";
      default -> COLOURS[heat(cell.touched())];
    };
  }

  private static int heat(double touched) {
    int n = 0;
    while (n < BOUNDS.length && touched > BOUNDS[n]) {
      n++;
    }
    return n;
  }

  private static String digits(List<Cell> row) {
    StringBuilder text = new StringBuilder();
    for (Cell cell : row) {
      int tenths = (int) Math.min(9, Math.ceil(cell.touched() * 10));
      text.append(tenths == 0 ? " " : Integer.toString(tenths));
    }
    return text.toString();
  }

  private List<String> legend() {
    String height =
        "height: live share of a region ("
            + ramp.charAt(1)
            + " little, "
            + ramp.charAt(8)
            + " full), the youngest on the left";
    if (!isColoured) {
      return List.of(
          height, "digits: tenths of the live bytes that were requested since they were written");
    }
    StringBuilder colours = new StringBuilder("requested since written:");
    for (int n = 0; n < COLOURS.length; n++) {
      colours
          .append("  \u001b[")
          .append(COLOURS[n])
          .append('m')
          .append(ramp.charAt(8))
          .append("\u001b[0m ")
          .append(NAMES[n]);
    }
    return List.of(height, colours.toString());
  }

  private String faint(String text) {
    return isColoured ? "\u001b[2m" + text + "\u001b[0m" : text;
  }

  private static long sum(List<JsonNode> regions, String field) {
    return regions.stream().mapToLong(region -> region.path(field).asLong(0)).sum();
  }

  static String percent(long part, long whole) {
    return whole == 0 ? "0 %" : String.format(Locale.ROOT, "%.0f %%", 100.0 * part / whole);
  }
}
