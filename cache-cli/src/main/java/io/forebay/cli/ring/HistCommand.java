package io.forebay.cli.ring;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.Terminal;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.ring.RingRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Draws how times or sizes of responses are distributed, by what the cache made of requests. */
@Command(
    name = "hist",
    header = "Draw a histogram of times to the first or last byte, or of sizes.",
    sortOptions = false,
    description = {
      "",
      "Hits are drawn as |, all other requests as #. The scale is logarithmic: 1e-3 is a",
      "millisecond. Counts fade: after 20 seconds a third of them is left.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  forebay hist",
      "  forebay hist --of size 'route == \"video\"'",
      "  forebay hist --of last-byte --once --json"
    })
public final class HistCommand implements Callable<Integer> {
  private static final double FADE_SECONDS = 20;
  private static final int DEFAULT_ROWS = 16;

  /** What is drawn. */
  enum Of {
    FIRST_BYTE("first byte, s", -6, 9),
    LAST_BYTE("last byte, s", -6, 9),
    SIZE("body, bytes", 0, 10);

    private final String unit;
    private final int firstDecade;
    private final int decades;

    Of(String unit, int firstDecade, int decades) {
      this.unit = unit;
      this.firstDecade = firstDecade;
      this.decades = decades;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final RingOptions rings = new RingOptions();
  @Mixin private final LiveScreen live = new LiveScreen();

  @Option(
      names = "--of",
      paramLabel = "WHAT",
      defaultValue = "first-byte",
      description = "first-byte (the default), last-byte or size.")
  private String of = "first-byte";

  public HistCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    live.check();
    Of what = what();
    Output output = common.output();
    boolean isDrawn = !live.isOnce() && !output.isJson() && Terminal.isOutput();
    int perDecade = Math.max(1, (Terminal.width() - 1) / what.decades);
    LogHistogram histogram = new LogHistogram(what.firstDecade, what.decades, perDecade);
    RecordQuery query = rings.query();
    try (RingSource source = rings.open()) {
      if (isDrawn) {
        LiveScreen.clear(output);
      }
      RecordFeed feed = new RecordFeed(source, query, record -> count(histogram, what, record));
      live.run(
          source,
          feed,
          output,
          () -> {
            show(output, histogram, what, isDrawn);
            histogram.fade(1 - Math.exp(-live.intervalSeconds() / FADE_SECONDS));
          });
    }
    return ExitCode.OK;
  }

  private Of what() {
    for (Of one : Of.values()) {
      if (one.toString().equals(of)) {
        return one;
      }
    }
    throw new CommandException(ExitCode.USAGE, "--of must be first-byte, last-byte or size");
  }

  private static void count(LogHistogram histogram, Of what, RingRecord record) {
    double value =
        switch (what) {
          case FIRST_BYTE -> record.firstByteNanos() / 1e9;
          case LAST_BYTE -> record.durationNanos() / 1e9;
          case SIZE -> record.bytes();
        };
    // Without a response there is no first byte.
    if (value >= 0) {
      histogram.add(value, record.cache() == CacheResult.HIT);
    }
  }

  private static void show(Output output, LogHistogram histogram, Of what, boolean isDrawn) {
    output.json(json(histogram, what));
    if (isDrawn) {
      LiveScreen.draw(output, screen(histogram, what, Math.max(4, Terminal.height() - 4)));
    } else {
      screen(histogram, what, DEFAULT_ROWS).forEach(output::line);
    }
  }

  /** Rows from the top, then the scale. */
  static List<String> screen(LogHistogram histogram, Of what, int rows) {
    double highest = histogram.highest();
    List<String> screen = new ArrayList<>();
    screen.add(
        String.format(
            Locale.ROOT,
            "%s, by powers of ten; highest column %.0f; | hits, # others",
            what.unit,
            highest));
    for (int row = rows; row > 0; row--) {
      StringBuilder line = new StringBuilder(histogram.columns());
      for (int column = 0; column < histogram.columns(); column++) {
        line.append(mark(histogram, column, highest / rows * (row - 1)));
      }
      screen.add(line.toString().stripTrailing());
    }
    StringBuilder scale = new StringBuilder();
    StringBuilder labels = new StringBuilder();
    int perDecade = histogram.columnsPerDecade();
    for (int column = 0; column < histogram.columns(); column++) {
      scale.append(column % perDecade == 0 ? '+' : '-');
      if (column % perDecade == 0 && labels.length() <= column) {
        labels.repeat(' ', column - labels.length());
        labels.append("1e").append(histogram.firstDecade() + column / perDecade);
      }
    }
    screen.add(scale.toString());
    screen.add(labels.toString());
    return screen;
  }

  /** Others stand on hits; a column with any request has a mark in the lowest row. */
  private static char mark(LogHistogram histogram, int column, double above) {
    double hits = histogram.hits(column);
    return hits > above ? '|' : hits + histogram.others(column) > above ? '#' : ' ';
  }

  private static ObjectNode json(LogHistogram histogram, Of what) {
    ObjectNode json = Output.mapper().createObjectNode();
    json.put("of", what.toString());
    ArrayNode columns = json.putArray("columns");
    for (int column = 0; column < histogram.columns(); column++) {
      if (histogram.hits(column) + histogram.others(column) >= 0.5) {
        ObjectNode one = columns.addObject();
        one.put("from", histogram.from(column));
        one.put("to", histogram.from(column + 1));
        one.put("hits", Math.round(histogram.hits(column)));
        one.put("others", Math.round(histogram.others(column)));
      }
    }
    return json;
  }
}
