package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Table 2 of the Xeon 6 test: live and VoD by connections. */
final class XeonLayout implements Layout {

  /** One row: the same program, machine and connections, live and VoD. */
  private record Row(String who, double connections, boolean counts) {}

  @Override
  public String id() {
    return "xeon6";
  }

  @Override
  public String title() {
    return "Varnish Enterprise on Xeon 6: live and VoD";
  }

  @Override
  public boolean fits(String scenario) {
    return scenario.startsWith("xeon6");
  }

  @Override
  public List<ReportBlock> blocks(List<MeasuredStep> steps, Published published) {
    List<MeasuredStep> sorted =
        steps.stream()
            .sorted(Comparator.comparingDouble(step -> step.number("connections")))
            .toList();
    Table.Builder table =
        new Table.Builder(
            "Table 2 of the test",
            2,
            "Server",
            "CPU",
            "Connections",
            "Live Gbit/s",
            "Gbit/s/W",
            "Gbit/s per core",
            "VoD Gbit/s",
            "Gbit/s/W",
            "Gbit/s per core");
    Set<Double> all = new LinkedHashSet<>();
    sorted.forEach(step -> all.add(step.number("connections")));
    for (double connections : all) {
      Set<Row> rows = new LinkedHashSet<>();
      for (MeasuredStep step : sorted) {
        if (Double.compare(step.number("connections"), connections) == 0) {
          rows.add(new Row(step.who(), connections, step.counts()));
        }
      }
      rows.forEach(row -> add(table, row, sorted));
      published.xeon6().rows().stream()
          .filter(row -> row.connections() == connections)
          .forEach(row -> add(table, row));
    }
    return List.of(
        new ReportBlock.Grid(
            table
                .note(published.xeon6().source() + ".")
                .note(
                    "Gbit/s per watt of VoD, and of live on 6780E alone, are one figure of the"
                        + " source for all connections.")
                .note(Notes.PER_CORE)
                .build()),
        new ReportBlock.Picture(
            new Chart(
                "xeon6",
                "Gbit/s and Gbit/s per watt by connections",
                List.of(
                    panel(sorted, "Gbit/s", Figure.GOODPUT),
                    panel(sorted, "Gbit/s per watt", Figure.GIGABITS_PER_WATT)))));
  }

  private static Chart.Panel panel(List<MeasuredStep> steps, String y, Figure figure) {
    return Chart.Categories.byDial(
        "connections",
        y,
        steps,
        step -> (isLive(step) ? "live, " : "VoD, ") + step.who(),
        step -> step.spread(figure));
  }

  private static void add(Table.Builder table, Row row, List<MeasuredStep> steps) {
    MeasuredStep live = find(row, steps, true);
    MeasuredStep vod = find(row, steps, false);
    MeasuredStep any = live != null ? live : Objects.requireNonNull(vod);
    List<String> cells = new ArrayList<>();
    cells.add(any.who());
    cells.add(Facts.cpu(any.run()));
    cells.add(any.dialText("connections"));
    addFigures(cells, live);
    addFigures(cells, vod);
    table.measured(
        live != null && vod != null ? live.with(vod) : any, cells.toArray(String[]::new));
  }

  private static void addFigures(List<String> cells, @Nullable MeasuredStep step) {
    cells.add(step == null ? "–" : step.text(Figure.GOODPUT));
    cells.add(step == null ? "–" : step.text(Figure.GIGABITS_PER_WATT));
    cells.add(step == null ? "–" : step.text(Figure.GIGABITS_PER_CORE));
  }

  private static @Nullable MeasuredStep find(Row row, List<MeasuredStep> steps, boolean isLive) {
    return steps.stream()
        .filter(step -> new Row(step.who(), step.number("connections"), step.counts()).equals(row))
        .filter(step -> isLive(step) == isLive)
        .findFirst()
        .orElse(null);
  }

  private static boolean isLive(MeasuredStep step) {
    return step.run().scenario().contains("live");
  }

  private static void add(Table.Builder table, Published.Xeon6Row row) {
    double low = row.vod().getFirst();
    double high = row.vod().getLast();
    table.published(
        row.server(),
        row.cpu() + ", " + row.cores() + " cores",
        Numbers.text((double) row.connections()),
        Numbers.text(row.live()),
        Numbers.text(row.livePerWatt()),
        Numbers.text(row.live() / row.cores()),
        Numbers.range(low, high),
        Numbers.text(row.vodPerWatt()),
        Numbers.range(low / row.cores(), high / row.cores()));
  }
}
