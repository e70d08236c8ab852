package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Every scenario: its steps with the figures that all of them have. */
final class StepsLayout implements Layout {

  @Override
  public String id() {
    return "steps";
  }

  @Override
  public String title() {
    return "Other scenarios";
  }

  @Override
  public boolean fits(String scenario) {
    return true;
  }

  @Override
  public List<ReportBlock> blocks(List<MeasuredStep> steps, Published published) {
    Map<String, List<MeasuredStep>> scenarios = new LinkedHashMap<>();
    for (MeasuredStep step : steps) {
      scenarios.computeIfAbsent(step.run().scenario(), ignored -> new ArrayList<>()).add(step);
    }
    List<ReportBlock> blocks = new ArrayList<>();
    scenarios.forEach((name, list) -> blocks.add(new ReportBlock.Grid(table(name, list))));
    return blocks;
  }

  static Table table(String title, List<MeasuredStep> steps) {
    Table.Builder table =
        new Table.Builder(
            title,
            2,
            "Step",
            "Program",
            "Connections",
            "Requests/s",
            "Gbit/s",
            "TTFB p50 ms",
            "TTFB p99 ms",
            "TTLB p50 ms",
            "TTLB p99 ms",
            "Cores busy",
            "Hit ratio %",
            "Errors");
    for (MeasuredStep step : steps) {
      table.measured(
          step,
          step.step(),
          step.who(),
          step.dialText("connections"),
          step.text(Figure.REQUESTS),
          step.text(Figure.GOODPUT),
          step.text(Figure.FIRST_BYTE_P50),
          step.text(Figure.FIRST_BYTE_P99),
          step.text(Figure.LAST_BYTE_P50),
          step.text(Figure.LAST_BYTE_P99),
          step.text(Figure.CORES),
          Numbers.percent(step.spread(Figure.HIT_RATIO)),
          step.text(Figure.ERRORS));
    }
    return table.build();
  }
}
