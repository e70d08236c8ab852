package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import io.forebay.lab.result.Latency;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/**
 * The five KPIs of the AT&amp;T test.
 *
 * <p>KPI 1 is taken from the first step with the fewest connections. KPIs 2 to 4 are taken from the
 * step that held the peak, whose name has {@code held} in it, and have no row where it does not
 * count.
 */
final class AttKpiLayout implements Layout {

  private static final double BYTE_HIT_TARGET = 0.85;

  @Override
  public String id() {
    return "att-kpis";
  }

  @Override
  public String title() {
    return "Traffic Server with AT&T: KPIs";
  }

  @Override
  public boolean fits(String scenario) {
    return scenario.equals("att-kpis");
  }

  @Override
  public List<ReportBlock> blocks(List<MeasuredStep> steps, Published published) {
    Map<String, List<MeasuredStep>> programs = new LinkedHashMap<>();
    steps.stream()
        .filter(MeasuredStep::counts)
        .filter(step -> step.number("connections") > 0)
        .sorted(Comparator.comparingDouble(step -> step.number("connections")))
        .forEach(
            step -> programs.computeIfAbsent(step.who(), ignored -> new ArrayList<>()).add(step));
    Table.Builder kpis = new Table.Builder("KPIs", 3, "KPI", "What", "Program", "Figure");
    programs.forEach((who, list) -> addUnloaded(kpis, who, list.getFirst()));
    published(kpis, published, 1, "Mean response time, unloaded");
    programs.forEach((who, list) -> peak(list).ifPresent(step -> addPeak(kpis, who, step)));
    published(kpis, published, 2, "Peak connections");
    programs.forEach((who, list) -> peak(list).ifPresent(step -> addThroughput(kpis, who, step)));
    published(kpis, published, 3, "Throughput at the peak");
    programs.forEach((who, list) -> peak(list).ifPresent(step -> addByteHits(kpis, who, step)));
    published(kpis, published, 4, "Byte hit ratio at the peak");
    programs.forEach((who, list) -> addChannels(kpis, who, list));
    published(kpis, published, 5, "Channels at 85 % byte hits");
    return List.of(
        new ReportBlock.Grid(
            kpis.note(published.att().source() + ".")
                .note(
                    "KPI 2: most connections whose mean response time is at most 1.2 times the unloaded"
                        + " one; no row where the step that holds them does not count.")
                .build()),
        new ReportBlock.Grid(byObject(programs)),
        new ReportBlock.Grid(StepsLayout.table("Steps", steps)),
        new ReportBlock.Picture(
            new Chart(
                "att-kpis",
                "Response time and bandwidth by connections",
                List.of(
                    panel(steps, "last byte mean ms", Figure.LAST_BYTE_MEAN),
                    panel(steps, "Gbit/s", Figure.GOODPUT)))));
  }

  private static Chart.Panel panel(List<MeasuredStep> steps, String y, Figure figure) {
    return Chart.Categories.byDial(
        "connections",
        y,
        steps.stream()
            .filter(step -> !step.step().startsWith("kpi1") && !isHeld(step))
            .sorted(Comparator.comparingDouble(step -> step.number("connections")))
            .toList(),
        MeasuredStep::who,
        step -> step.spread(figure));
  }

  private static void published(Table.Builder table, Published published, int kpi, String what) {
    published.att().kpis().stream()
        .filter(one -> one.kpi() == kpi)
        .forEach(one -> table.published(Integer.toString(kpi), what, "published", one.text()));
  }

  private static void addUnloaded(Table.Builder table, String who, MeasuredStep step) {
    table.measured(
        step,
        "1",
        "Mean response time, " + step.dialText("connections") + " connections",
        who,
        step.text(Figure.LAST_BYTE_MEAN) + " ms");
  }

  private static void addPeak(Table.Builder table, String who, MeasuredStep peak) {
    double held = peak.steps().stream().mapToDouble(one -> one.load().seconds()).max().orElse(0);
    table.measured(
        peak,
        "2",
        "Peak connections, held " + Numbers.text(held) + " s",
        who,
        peak.dialText("connections"));
  }

  private static void addThroughput(Table.Builder table, String who, MeasuredStep peak) {
    table.measured(peak, "3", "Throughput at the peak", who, peak.text(Figure.GOODPUT) + " Gbit/s");
  }

  private static void addByteHits(Table.Builder table, String who, MeasuredStep peak) {
    table.measured(
        peak,
        "4",
        "Byte hit ratio at the peak",
        who,
        Numbers.percent(peak.spread(Figure.BYTE_HIT_RATIO)) + " %");
  }

  private static void addChannels(Table.Builder table, String who, List<MeasuredStep> steps) {
    steps.stream()
        .filter(step -> step.number("channels") > 0)
        .filter(step -> step.median(Figure.BYTE_HIT_RATIO) >= BYTE_HIT_TARGET)
        .max(Comparator.comparingDouble(step -> step.number("channels")))
        .ifPresent(step ->
            table.measured(
                step, "5", "Channels at 85 % byte hits", who, step.dialText("channels")));
  }

  /** The peak that was held; empty where none counts. */
  private static Optional<MeasuredStep> peak(List<MeasuredStep> sorted) {
    return sorted.stream().filter(AttKpiLayout::isHeld).findFirst();
  }

  private static boolean isHeld(MeasuredStep step) {
    return step.step().contains("held");
  }

  private static Table byObject(Map<String, List<MeasuredStep>> programs) {
    Table.Builder table =
        new Table.Builder(
            "KPI 1: response time by object of table 3",
            2,
            "Object",
            "Program",
            "Mean ms",
            "p50 ms",
            "p99 ms",
            "Requests");
    programs.forEach((who, steps) -> {
      MeasuredStep unloaded = steps.getFirst();
      for (String object : new TreeSet<>(unloaded.objects())) {
        table.measured(
            unloaded,
            object,
            who,
            text(unloaded, object, Latency::mean),
            text(unloaded, object, Latency::p50),
            text(unloaded, object, Latency::p99),
            text(unloaded, object, Latency::count));
      }
    });
    return table.note("The paper has no figures of single objects.").build();
  }

  private static String text(MeasuredStep step, String object, ToDoubleFunction<Latency> part) {
    return Numbers.text(
        Spread.of(
            step.steps().stream()
                .map(one -> one.load().byObject().getOrDefault(object, Latency.NONE))
                .filter(latency -> latency.count() > 0)
                .mapToDouble(part)
                .toArray()));
  }
}
