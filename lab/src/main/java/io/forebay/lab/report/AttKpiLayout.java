package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import io.forebay.lab.result.Latency;
import io.forebay.lab.result.StepResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The five KPIs of the AT&amp;T test.
 *
 * <p>KPI 1 is taken from the first step with the fewest connections. KPIs 2 to 4 are taken from the
 * step whose name holds {@code held}, or else from the one with the most connections whose mean
 * response time is at most 1.2 times that of the step {@code unloaded}.
 */
final class AttKpiLayout implements Layout {

  private static final double DEGRADED = 1.2;
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
  public List<Block> blocks(List<Measured> steps, Published published) {
    Map<String, List<Measured>> programs = new LinkedHashMap<>();
    steps.stream()
        .filter(Measured::counts)
        .filter(step -> step.number("connections") > 0)
        .sorted(Comparator.comparingDouble(step -> step.number("connections")))
        .forEach(
            step -> programs.computeIfAbsent(step.who(), ignored -> new ArrayList<>()).add(step));
    Table.Builder kpis = new Table.Builder("KPIs", 3, "KPI", "What", "Program", "Figure");
    programs.forEach((who, list) -> addUnloaded(kpis, who, list.getFirst()));
    published(kpis, published, 1, "Mean response time, unloaded");
    programs.forEach((who, list) -> addPeak(kpis, who, list));
    published(kpis, published, 2, "Peak connections");
    programs.forEach((who, list) -> addThroughput(kpis, who, peak(list)));
    published(kpis, published, 3, "Throughput at the peak");
    programs.forEach((who, list) -> addByteHits(kpis, who, peak(list)));
    published(kpis, published, 4, "Byte hit ratio at the peak");
    programs.forEach((who, list) -> addChannels(kpis, who, list));
    published(kpis, published, 5, "Channels at 85 % byte hits");
    return List.of(
        new Block.Grid(
            kpis.note(published.att().source() + ".")
                .note(
                    "KPI 2: most connections whose mean response time is at most 1.2 times that of"
                        + " one connection.")
                .build()),
        new Block.Grid(byObject(programs)),
        new Block.Grid(StepsLayout.table("Steps", steps)),
        new Block.Picture(
            new Chart(
                "att-kpis",
                "Response time and bandwidth by connections",
                List.of(
                    panel(steps, "last byte mean ms", Figure.LAST_BYTE_MEAN),
                    panel(steps, "Gbit/s", Figure.GOODPUT)))));
  }

  private static Chart.Panel panel(List<Measured> steps, String y, Figure figure) {
    return new Chart.Categories(
        "connections",
        y,
        Chart.Shape.LINES,
        false,
        Chart.series(
            steps.stream()
                .filter(step -> !step.step().startsWith("kpi1") && !isHeld(step))
                .sorted(Comparator.comparingDouble(step -> step.number("connections")))
                .toList(),
            step -> step.dialText("connections"),
            step -> step.spread(figure)));
  }

  private static void published(Table.Builder table, Published published, int kpi, String what) {
    published.att().kpis().stream()
        .filter(one -> one.kpi() == kpi)
        .forEach(one -> table.published(Integer.toString(kpi), what, "published", one.text()));
  }

  private static void addUnloaded(Table.Builder table, String who, Measured step) {
    table.measured(
        step,
        "1",
        "Mean response time, " + step.dialText("connections") + " connections",
        who,
        step.text(Figure.LAST_BYTE_MEAN) + " ms");
  }

  private static void addPeak(Table.Builder table, String who, List<Measured> steps) {
    Measured peak = peak(steps);
    double held = peak.steps().stream().mapToDouble(one -> one.load().seconds()).max().orElse(0);
    table.measured(
        peak,
        "2",
        "Peak connections, held " + Numbers.text(held) + " s",
        who,
        peak.dialText("connections"));
  }

  private static void addThroughput(Table.Builder table, String who, Measured peak) {
    table.measured(peak, "3", "Throughput at the peak", who, peak.text(Figure.GOODPUT) + " Gbit/s");
  }

  private static void addByteHits(Table.Builder table, String who, Measured peak) {
    table.measured(
        peak,
        "4",
        "Byte hit ratio at the peak",
        who,
        Numbers.percent(peak.spread(Figure.BYTE_HIT_RATIO)) + " %");
  }

  private static void addChannels(Table.Builder table, String who, List<Measured> steps) {
    steps.stream()
        .filter(step -> step.number("channels") > 0)
        .filter(step -> step.median(Figure.BYTE_HIT_RATIO) >= BYTE_HIT_TARGET)
        .max(Comparator.comparingDouble(step -> step.number("channels")))
        .ifPresent(step ->
            table.measured(
                step, "5", "Channels at 85 % byte hits", who, step.dialText("channels")));
  }

  private static Measured peak(List<Measured> sorted) {
    Optional<Measured> held = sorted.stream().filter(AttKpiLayout::isHeld).findFirst();
    if (held.isPresent()) {
      return held.get();
    }
    Measured unloaded =
        sorted.stream()
            .filter(step -> step.step().contains("unloaded"))
            .findFirst()
            .orElse(sorted.getFirst());
    double bound = DEGRADED * unloaded.median(Figure.LAST_BYTE_MEAN);
    Measured peak = sorted.getFirst();
    for (Measured step : sorted) {
      if (step.median(Figure.LAST_BYTE_MEAN) <= bound) {
        peak = step;
      }
    }
    return peak;
  }

  private static boolean isHeld(Measured step) {
    return step.step().contains("held");
  }

  private static Table byObject(Map<String, List<Measured>> programs) {
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
      Measured unloaded = steps.getFirst();
      for (String object : new TreeSet<>(unloaded.objects())) {
        table.measured(
            unloaded,
            object,
            who,
            Numbers.text(of(unloaded, object, 0)),
            Numbers.text(of(unloaded, object, 1)),
            Numbers.text(of(unloaded, object, 2)),
            Numbers.text(of(unloaded, object, 3)));
      }
    });
    return table.note("The paper has no figures of single objects.").build();
  }

  private static @Nullable Spread of(Measured step, String object, int part) {
    return Spread.of(step.steps().stream().mapToDouble(one -> of(one, object, part)).toArray());
  }

  private static double of(StepResult step, String object, int part) {
    Latency latency = step.load().byObject().get(object);
    if (latency == null || latency.count() == 0) {
      return Double.NaN;
    }
    return switch (part) {
      case 0 -> latency.mean();
      case 1 -> latency.p50();
      case 2 -> latency.p99();
      default -> (double) latency.count();
    };
  }
}
