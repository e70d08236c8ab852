package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The edge node with 245 TB of flash: six sizes, goodput beside throughput, requests per watt. */
final class FlashSizesLayout implements Layout {

  @Override
  public String id() {
    return "flash-sizes";
  }

  @Override
  public String title() {
    return "Edge node with 245 TB of flash: sizes";
  }

  @Override
  public boolean fits(String scenario) {
    return scenario.equals("flash-sizes");
  }

  @Override
  public List<ReportBlock> blocks(List<MeasuredStep> steps, Published published) {
    List<MeasuredStep> sorted =
        steps.stream().sorted(Comparator.comparingDouble(FlashSizesLayout::bytes)).toList();
    Table.Builder table =
        new Table.Builder(
            "Sizes",
            2,
            "Size",
            "Program",
            "Requests/s",
            "Goodput Gbit/s",
            "Throughput Gbit/s",
            "TTFB ms",
            "TTLB ms",
            "CPU %",
            "Requests/s/W",
            "Errors",
            "Gbit/s per core");
    Set<Double> sizes = new LinkedHashSet<>();
    sorted.forEach(step -> sizes.add(bytes(step)));
    for (double size : sizes) {
      sorted.stream()
          .filter(step -> Double.compare(bytes(step), size) == 0)
          .forEach(step -> add(table, step));
      published.flashSizes().rows().stream()
          .filter(row -> row.kilobytes() * 1000.0 == size)
          .forEach(row -> add(table, row));
    }
    return List.of(
        new ReportBlock.Grid(
            table
                .note(
                    published.flashSizes().source()
                        + "; it gives one bound of goodput and throughput for small objects and"
                        + " one for large ones, and no other rows.")
                .note("Throughput is what the interface sent, goodput the bodies that clients got.")
                .build()),
        new ReportBlock.Picture(
            new Chart(
                "flash-sizes",
                "Last byte, CPU and watts by size",
                List.of(
                    new Chart.Categories(
                        "size",
                        "last byte mean ms",
                        Chart.Shape.LINES,
                        true,
                        Chart.series(
                            sorted,
                            FlashSizesLayout::size,
                            step -> step.spread(Figure.LAST_BYTE_MEAN))),
                    new Chart.Categories(
                        "size",
                        "CPU %",
                        Chart.Shape.LINES,
                        false,
                        Chart.series(sorted, FlashSizesLayout::size, MeasuredStep::cpuPercent)),
                    new Chart.Categories(
                        "size",
                        "watts",
                        Chart.Shape.LINES,
                        false,
                        Chart.series(
                            sorted, FlashSizesLayout::size, step -> step.spread(Figure.WATTS)))))));
  }

  private static void add(Table.Builder table, MeasuredStep step) {
    table.measured(
        step,
        size(step),
        step.who(),
        step.text(Figure.REQUESTS),
        step.text(Figure.GOODPUT),
        step.text(Figure.THROUGHPUT),
        step.text(Figure.FIRST_BYTE_MEAN),
        step.text(Figure.LAST_BYTE_MEAN),
        Numbers.text(step.cpuPercent()),
        step.text(Figure.REQUESTS_PER_WATT),
        step.text(Figure.ERRORS),
        step.text(Figure.GIGABITS_PER_CORE));
  }

  private static void add(Table.Builder table, Published.FlashRow row) {
    table.published(
        Numbers.bytes(row.kilobytes() * 1000L),
        "published",
        Numbers.NOT_KNOWN,
        Numbers.text(row.goodput()),
        Numbers.text(row.throughput()),
        Numbers.NOT_KNOWN,
        Numbers.text(row.ttlb()),
        Numbers.text(row.cpuPercent()),
        Numbers.text(row.requestsPerWatt()),
        Numbers.NOT_KNOWN,
        Numbers.NOT_KNOWN);
  }

  /** The dial, or what a request brought on average. */
  private static double bytes(MeasuredStep step) {
    double bytes = step.number("objectBytes");
    if (bytes > 0) {
      return bytes;
    }
    return step.steps().stream()
        .filter(one -> one.load().requests() > 0)
        .mapToDouble(one -> Math.rint((double) one.load().bodyBytes() / one.load().requests()))
        .findFirst()
        .orElse(0);
  }

  private static String size(MeasuredStep step) {
    return Numbers.bytes((long) bytes(step));
  }
}
