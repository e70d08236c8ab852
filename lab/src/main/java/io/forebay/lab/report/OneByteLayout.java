package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import java.util.Comparator;
import java.util.List;

/** Requests a second of objects of one byte, by cores and objects. */
final class OneByteLayout implements Layout {

  @Override
  public String id() {
    return "one-byte";
  }

  @Override
  public String title() {
    return "143,000 requests a second: objects of 1 byte";
  }

  @Override
  public boolean fits(String scenario) {
    return scenario.equals("one-byte");
  }

  @Override
  public List<ReportBlock> blocks(List<MeasuredStep> steps, Published published) {
    List<MeasuredStep> sorted =
        steps.stream()
            .sorted(
                Comparator.<MeasuredStep>comparingDouble(step -> step.number("cores"))
                    .thenComparingDouble(step -> step.number("objects")))
            .toList();
    Table.Builder table =
        new Table.Builder(
            "Requests a second by cores and objects",
            2,
            "Program",
            "Step",
            "Cores",
            "Objects",
            "Requests/s",
            "Requests/s per core",
            "CPU us a request",
            "Hit ratio %");
    for (MeasuredStep step : sorted) {
      table.measured(
          step,
          step.who(),
          step.step(),
          step.dialText("cores"),
          step.dialText("objects"),
          step.text(Figure.REQUESTS),
          step.text(Figure.REQUESTS_PER_CORE),
          step.text(Figure.MICROS_PER_REQUEST),
          Numbers.percent(step.spread(Figure.HIT_RATIO)));
    }
    for (Published.OneByteRow row : published.oneByte().rows()) {
      Integer cores = row.cores();
      table.published(
          "published",
          row.machine(),
          cores == null ? Numbers.NOT_KNOWN : cores.toString(),
          Numbers.NOT_KNOWN,
          Numbers.range(row.low(), row.high()),
          cores == null ? Numbers.NOT_KNOWN : Numbers.range(row.low() / cores, row.high() / cores),
          Numbers.NOT_KNOWN,
          Numbers.NOT_KNOWN);
    }
    return List.of(
        new ReportBlock.Grid(
            table.note(published.oneByte().source() + ".").note(Notes.PER_CORE).build()),
        new ReportBlock.Picture(
            new Chart(
                "one-byte",
                "Requests a second by cores",
                List.of(
                    byCores(sorted, "requests/s", Figure.REQUESTS),
                    byCores(sorted, "requests/s per busy core", Figure.REQUESTS_PER_CORE),
                    Chart.Categories.byDial(
                        "objects",
                        "requests/s",
                        sorted.stream().filter(OneByteLayout::isByObjects).toList(),
                        MeasuredStep::who,
                        step -> step.spread(Figure.REQUESTS))))));
  }

  private static Chart.Panel byCores(List<MeasuredStep> steps, String y, Figure figure) {
    return Chart.Categories.byDial(
        "cores",
        y,
        steps.stream().filter(step -> !isByObjects(step)).toList(),
        step -> step.who() + ", " + withoutCores(step),
        step -> step.spread(figure));
  }

  /** Steps that differ in their objects and not in their cores. */
  private static boolean isByObjects(MeasuredStep step) {
    return step.step().startsWith("objects");
  }

  /** {@code bursts} of {@code bursts-2}: one series. */
  private static String withoutCores(MeasuredStep step) {
    String suffix = "-" + step.dialText("cores");
    return step.step().endsWith(suffix)
        ? step.step().substring(0, step.step().length() - suffix.length())
        : step.step();
  }
}
