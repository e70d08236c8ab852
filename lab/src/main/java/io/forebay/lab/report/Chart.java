package io.forebay.lab.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Panels that are read together.
 *
 * @param name of its files, without an ending
 */
record Chart(String name, String title, List<Panel> panels) {

  Chart {
    panels = panels.stream().filter(panel -> !panel.isEmpty()).toList();
  }

  /** Of a panel's file, and what its ids begin with. */
  String panelName(int panel) {
    return name + "-" + (panel + 1);
  }

  /** One pair of axes, or several over the same time. */
  sealed interface Panel {

    boolean isEmpty();

    /** What it shows, for those who do not see it. */
    String title();
  }

  /** How categories are drawn. */
  enum Shape {
    LINES,
    BARS
  }

  /**
   * A figure by categories in the order of the series.
   *
   * @param isLogarithmic whether the figure spans powers of ten
   */
  record Categories(String x, String y, Shape shape, boolean isLogarithmic, List<Series> series)
      implements Panel {

    Categories {
      series = series.stream().filter(one -> !one.points().isEmpty()).toList();
    }

    /** Lines of a figure over a dial of the steps. */
    static Categories byDial(
        String dial,
        String y,
        List<MeasuredStep> steps,
        Function<MeasuredStep, String> name,
        Function<MeasuredStep, @Nullable Spread> figure) {
      return new Categories(
          dial,
          y,
          Shape.LINES,
          false,
          Chart.series(steps, name, step -> step.dialText(dial), figure));
    }

    @Override
    public boolean isEmpty() {
      return series.isEmpty();
    }

    @Override
    public String title() {
      return y + " by " + x;
    }
  }

  /** The points of one program. */
  record Series(String name, List<Point> points) {

    Series {
      points = List.copyOf(points);
    }
  }

  record Point(String x, Spread y) {}

  /**
   * Figures of each second over a whole run.
   *
   * @param marks where steps begin
   */
  record Timeline(String title, List<Mark> marks, List<Track> tracks) implements Panel {

    @Override
    public boolean isEmpty() {
      return tracks.stream().allMatch(track -> track.seconds().isEmpty());
    }
  }

  record Mark(int second, String name) {}

  /** One figure over time. */
  record Track(String name, List<Second> seconds) {}

  /**
   * One value.
   *
   * @param step that it belongs to; values of different steps are not joined
   */
  record Second(int second, int step, double value) {}

  /**
   * Series of a figure: one a program, a point for each step that counts and whose figure is known.
   */
  static List<Series> series(
      List<MeasuredStep> steps,
      Function<MeasuredStep, String> x,
      Function<MeasuredStep, @Nullable Spread> figure) {
    return series(steps, MeasuredStep::who, x, figure);
  }

  static List<Series> series(
      List<MeasuredStep> steps,
      Function<MeasuredStep, String> name,
      Function<MeasuredStep, String> x,
      Function<MeasuredStep, @Nullable Spread> figure) {
    Map<String, List<Point>> points = new LinkedHashMap<>();
    for (MeasuredStep step : steps) {
      Spread y = step.counts() ? figure.apply(step) : null;
      if (y != null) {
        points
            .computeIfAbsent(name.apply(step), ignored -> new ArrayList<>())
            .add(new Point(x.apply(step), y));
      }
    }
    List<Series> series = new ArrayList<>();
    points.forEach((key, list) -> series.add(new Series(key, list)));
    return series;
  }
}
