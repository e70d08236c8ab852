package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Figures 12 to 14 of the AT&amp;T test: bandwidth, byte hits and response time by channels. */
final class AttChannelsLayout implements Layout {

  @Override
  public String id() {
    return "att-channels";
  }

  @Override
  public String title() {
    return "Traffic Server with AT&T: channels";
  }

  @Override
  public boolean fits(String scenario) {
    return scenario.equals("att-channels") || scenario.equals("att-90-10");
  }

  @Override
  public List<ReportBlock> blocks(List<MeasuredStep> steps, Published published) {
    List<MeasuredStep> sorted =
        steps.stream().sorted(Comparator.comparingDouble(step -> step.number("channels"))).toList();
    Table.Builder table =
        new Table.Builder(
            "Channels",
            1,
            "Machine",
            "Channels",
            "Gbit/s",
            "Byte hit ratio %",
            "Mean response of 4 MB ms",
            "Gbit/s per core");
    for (MeasuredStep step : sorted) {
      table.measured(
          step,
          step.run().scenario() + ": " + step.who(),
          step.dialText("channels"),
          step.text(Figure.GOODPUT),
          Numbers.percent(step.spread(Figure.BYTE_HIT_RATIO)),
          Numbers.text(response(step)),
          step.text(Figure.GIGABITS_PER_CORE));
    }
    for (Published.Channels row : published.att().channels()) {
      table.published(
          row.machine(),
          Numbers.text((double) row.channels()),
          Numbers.text(row.gbps()),
          Numbers.text(row.hit()),
          Numbers.text(row.response()),
          Numbers.NOT_KNOWN);
    }
    return List.of(
        new ReportBlock.Grid(
            table
                .note(
                    published.att().source()
                        + "; channels a socket. It does not tell the cores, so there is no figure"
                        + " per core.")
                .build()),
        new ReportBlock.Picture(
            new Chart(
                "att-channels",
                "Bandwidth, byte hits and response time by channels",
                List.of(
                    panel(sorted, "Gbit/s", step -> step.spread(Figure.GOODPUT)),
                    panel(sorted, "byte hit ratio %", AttChannelsLayout::byteHits),
                    panel(sorted, "mean response of 4 MB ms", AttChannelsLayout::response)))));
  }

  private static Chart.Panel panel(
      List<MeasuredStep> steps, String y, Function<MeasuredStep, @Nullable Spread> figure) {
    return Chart.Categories.byDial("channels", y, steps, AttChannelsLayout::series, figure);
  }

  private static String series(MeasuredStep step) {
    return step.run().scenario() + ", " + step.who();
  }

  private static @Nullable Spread byteHits(MeasuredStep step) {
    Spread ratio = step.spread(Figure.BYTE_HIT_RATIO);
    return ratio == null ? null : ratio.times(100);
  }

  /** Of the objects of 4096 KB, by the names of the scenario's table. */
  private static @Nullable Spread response(MeasuredStep step) {
    return step.lastByteOf("4096", "4m", "4M");
  }
}
