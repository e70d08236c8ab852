package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import java.util.List;
import java.util.TreeSet;

/** Cases 1 to 4 of the white paper: the hit ratio as a dial, first and last byte. */
final class IntelLayout implements Layout {

  private static final String PREFIX = "intel-";

  @Override
  public String id() {
    return "intel";
  }

  @Override
  public String title() {
    return "Varnish with Intel: cases 1 to 4";
  }

  @Override
  public boolean fits(String scenario) {
    return scenario.startsWith(PREFIX);
  }

  @Override
  public List<ReportBlock> blocks(List<MeasuredStep> steps, Published published) {
    Table.Builder table =
        new Table.Builder(
            "Cases of the white paper",
            1,
            "Case",
            "Gbit/s",
            "CPU %",
            "Cores busy",
            "TTFB avg ms",
            "TTFB p99 ms",
            "TTLB avg ms",
            "TTLB p99 ms",
            "Hit ratio %",
            "Gbit/s per core");
    TreeSet<String> cases = new TreeSet<>();
    steps.forEach(step -> cases.add(caseOf(step)));
    for (String one : cases) {
      steps.stream().filter(step -> caseOf(step).equals(one)).forEach(step -> add(table, step));
      published.intel().rows().stream()
          .filter(row -> Integer.toString(row.name()).equals(one))
          .forEach(row -> add(table, row));
    }
    return List.of(
        new ReportBlock.Grid(
            table
                .note(published.intel().source() + "; p99 is the highest of its three runs.")
                .note(Notes.PER_CORE)
                .build()),
        new ReportBlock.Picture(
            new Chart(
                "intel",
                "Bandwidth and latency by case",
                List.of(
                    panel(steps, "Gbit/s", Figure.GOODPUT),
                    panel(steps, "first byte p99 ms", Figure.FIRST_BYTE_P99),
                    panel(steps, "last byte mean ms", Figure.LAST_BYTE_MEAN),
                    panel(steps, "last byte p99 ms", Figure.LAST_BYTE_P99)))));
  }

  private static String caseOf(MeasuredStep step) {
    return step.run().scenario().substring(PREFIX.length());
  }

  private static Chart.Panel panel(List<MeasuredStep> steps, String y, Figure figure) {
    return new Chart.Categories(
        "case",
        y,
        Chart.Shape.BARS,
        false,
        Chart.series(steps, IntelLayout::label, step -> step.spread(figure)));
  }

  /** The case, and the step where a case has several. */
  private static String label(MeasuredStep step) {
    return step.run().steps().stream().map(one -> one.name()).distinct().count() > 1
        ? caseOf(step) + " " + step.step()
        : caseOf(step);
  }

  private static void add(Table.Builder table, MeasuredStep step) {
    table.measured(
        step,
        "case " + label(step) + ": " + step.who(),
        step.text(Figure.GOODPUT),
        Numbers.text(step.cpuPercent()),
        step.text(Figure.CORES),
        step.text(Figure.FIRST_BYTE_MEAN),
        step.text(Figure.FIRST_BYTE_P99),
        step.text(Figure.LAST_BYTE_MEAN),
        step.text(Figure.LAST_BYTE_P99),
        Numbers.percent(step.spread(Figure.HIT_RATIO)),
        step.text(Figure.GIGABITS_PER_CORE));
  }

  private static void add(Table.Builder table, Published.IntelRow row) {
    table.published(
        row.text(),
        Numbers.text(row.gbps()),
        Numbers.text(row.cpuPercent()),
        Numbers.text(row.busyCores()),
        Numbers.text(row.ttfbMean()),
        Numbers.text(row.ttfbP99()),
        Numbers.text(row.ttlbMean()),
        Numbers.text(row.ttlbP99()),
        Numbers.text(row.hitPercent()),
        Numbers.text(row.gbps() / row.busyCores()));
  }
}
