package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import java.util.Comparator;
import java.util.List;
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
  public List<Block> blocks(List<Measured> steps, Published published) {
    List<Measured> sorted =
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
    for (Measured step : sorted) {
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
        new Block.Grid(
            table
                .note(
                    published.att().source()
                        + "; channels a socket. It does not tell the cores, so there is no figure"
                        + " per core.")
                .build()),
        new Block.Picture(
            new Chart(
                "att-channels",
                "Bandwidth, byte hits and response time by channels",
                List.of(
                    panel(sorted, "Gbit/s", Figure.GOODPUT),
                    new Chart.Categories(
                        "channels",
                        "byte hit ratio %",
                        Chart.Shape.LINES,
                        false,
                        Chart.series(
                            sorted,
                            AttChannelsLayout::series,
                            step -> step.dialText("channels"),
                            AttChannelsLayout::byteHits)),
                    new Chart.Categories(
                        "channels",
                        "mean response of 4 MB ms",
                        Chart.Shape.LINES,
                        false,
                        Chart.series(
                            sorted,
                            AttChannelsLayout::series,
                            step -> step.dialText("channels"),
                            AttChannelsLayout::response))))));
  }

  private static Chart.Panel panel(List<Measured> steps, String y, Figure figure) {
    return new Chart.Categories(
        "channels",
        y,
        Chart.Shape.LINES,
        false,
        Chart.series(
            steps,
            AttChannelsLayout::series,
            step -> step.dialText("channels"),
            step -> step.spread(figure)));
  }

  private static String series(Measured step) {
    return step.run().scenario() + ", " + step.who();
  }

  private static @Nullable Spread byteHits(Measured step) {
    Spread ratio = step.spread(Figure.BYTE_HIT_RATIO);
    return ratio == null ? null : ratio.times(100);
  }

  /** Of the objects of 4096 KB, by the names of the scenario's table. */
  private static @Nullable Spread response(Measured step) {
    return step.lastByteOf("4096", "4m", "4M");
  }
}
