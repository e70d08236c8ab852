package io.forebay.lab.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import org.jetbrains.letsPlot.commons.encoding.UnsupportedRGBEncoder;
import org.jetbrains.letsPlot.commons.geometry.DoubleVector;
import org.jetbrains.letsPlot.core.util.PlotSvgExportCommon;
import org.jspecify.annotations.Nullable;

/**
 * Draws panels as SVG with Lets-Plot, which takes a plot as maps and lists and needs neither AWT
 * nor fonts.
 */
final class PlotSvg {

  static final int WIDTH = 520;
  private static final int HEIGHT = 320;
  private static final int LEGEND_LINE = 22;
  private static final int WIDE = 1060;
  private static final int TRACK_HEIGHT = 120;

  private static final Pattern ID = Pattern.compile("\\bid=\"([^\"]+)\"");

  private PlotSvg() {}

  /**
   * A drawing.
   *
   * @param svg a whole document with the colours of light paper
   */
  record Drawing(String svg, int width, int height) {}

  /**
   * Draws a panel.
   *
   * @param prefix of all ids, different in each drawing of a page
   */
  static Drawing draw(Chart.Panel panel, String prefix) {
    return switch (panel) {
      case Chart.Categories categories -> draw(spec(categories), WIDTH, height(categories), prefix);
      case Chart.Timeline timeline ->
          draw(spec(timeline), WIDE, 60 + TRACK_HEIGHT * timeline.tracks().size(), prefix);
    };
  }

  private static Drawing draw(Map<String, Object> spec, int width, int height, String prefix) {
    String svg =
        PlotSvgExportCommon.INSTANCE.buildSvgImageFromRawSpecs(
            spec, new DoubleVector(width, height), new UnsupportedRGBEncoder(), true);
    return new Drawing(withOwnIds(svg, prefix), width, height);
  }

  /** The library makes random ids; a page needs different ones, a test the same ones. */
  private static String withOwnIds(String svg, String prefix) {
    Set<String> ids = new LinkedHashSet<>();
    Matcher matcher = ID.matcher(svg);
    while (matcher.find()) {
      ids.add(matcher.group(1));
    }
    String result = svg;
    int number = 0;
    for (String id : ids) {
      result = result.replaceAll("\\b" + Pattern.quote(id) + "\\b", prefix + "-" + number++);
    }
    return result;
  }

  /** The legend stands below the axes and takes nothing from them. */
  private static int height(Chart.Categories panel) {
    int series = panel.series().size();
    return series == 1 ? HEIGHT : HEIGHT + LEGEND_LINE * (series + 1);
  }

  /** With breaks at round numbers where there are at least two within the values. */
  private static Map<String, Object> logarithmic(Chart.Categories panel) {
    Map<String, Object> scale = map("aesthetic", "y", "name", panel.y(), "trans", "log10");
    double least = extreme(panel, true);
    double most = extreme(panel, false);
    List<Object> breaks = breaks(least, most);
    if (least > 0) {
      // The library leaves no room of its own above and below a logarithm.
      scale.put("limits", list(least / 1.3, most * 1.3));
    }
    if (breaks.size() > 1) {
      scale.put("breaks", breaks);
      List<Object> labels = new ArrayList<>();
      breaks.forEach(value -> labels.add(Numbers.text((Double) value)));
      scale.put("labels", labels);
    }
    return scale;
  }

  private static double extreme(Chart.Categories panel, boolean isLeast) {
    DoubleStream values =
        panel.series().stream()
            .flatMap(series -> series.points().stream())
            .mapToDouble(point -> isLeast ? point.y().least() : point.y().most());
    return (isLeast ? values.min() : values.max()).orElse(0);
  }

  /** One, or one, two and five, times powers of ten between two values. */
  private static List<Object> breaks(double least, double most) {
    List<Object> breaks = new ArrayList<>();
    if (!(least > 0)) {
      return breaks;
    }
    int[] steps = most / least >= 100 ? new int[] {1} : new int[] {1, 2, 5};
    for (double power = Math.pow(10, Math.floor(Math.log10(least))); power <= most; power *= 10) {
      for (int step : steps) {
        if (step * power >= least && step * power <= most) {
          breaks.add(step * power);
        }
      }
    }
    return breaks;
  }

  private static Map<String, Object> spec(Chart.Categories panel) {
    List<Object> x = new ArrayList<>();
    List<Object> y = new ArrayList<>();
    List<Object> name = new ArrayList<>();
    List<List<Object>> bars = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    List<Object> barName = new ArrayList<>();
    Set<Object> categories = new LinkedHashSet<>();
    boolean isJoined = false;
    for (Chart.Series series : panel.series()) {
      isJoined |= series.points().size() > 1;
      for (Chart.Point point : series.points()) {
        categories.add(point.x());
        x.add(point.x());
        y.add(point.y().median());
        name.add(series.name());
        if (point.y().count() > 1) {
          bars.get(0).add(point.x());
          bars.get(1).add(point.y().least());
          bars.get(2).add(point.y().most());
          barName.add(series.name());
        }
      }
    }
    List<Object> layers = new ArrayList<>();
    boolean isBars = panel.shape() == Chart.Shape.BARS;
    if (isBars) {
      layers.add(
          layer(
              map("x", "x", "y", "y", "fill", "series"),
              map("geom", "bar", "stat", "identity", "position", dodge(), "alpha", 0.75),
              map("size", 0.0)));
    } else if (isJoined) {
      layers.add(
          layer(
              map("x", "x", "y", "y", "color", "series", "group", "series"),
              map("geom", "line", "size", 1.0)));
    }
    if (!barName.isEmpty()) {
      Map<String, Object> data =
          map("x", bars.get(0), "least", bars.get(1), "most", bars.get(2), "series", barName);
      Map<String, Object> mapping = map("x", "x", "ymin", "least", "ymax", "most");
      mapping.put("group", "series");
      if (!isBars) {
        mapping.put("color", "series");
      }
      layers.add(
          layer(
              mapping,
              map("geom", "errorbar", "width", 0.12, "size", 0.7, "data", data),
              isBars ? map("position", dodge(), "color", Palette.INK.light()) : map()));
    }
    if (!isBars) {
      layers.add(
          layer(map("x", "x", "y", "y", "color", "series"), map("geom", "point", "size", 3.5)));
    }
    List<Object> names = new ArrayList<>();
    panel.series().forEach(series -> names.add(series.name()));
    List<Object> colours = Palette.ofSeries(names.size());
    boolean hasOneSeries = names.size() == 1;
    Map<String, Object> theme = theme();
    theme.put("legend_position", hasOneSeries ? "none" : "bottom");
    theme.put("legend_direction", "vertical");
    return map(
        "kind",
        "plot",
        "data",
        map("x", x, "y", y, "series", name),
        "layers",
        layers,
        "scales",
        list(
            map(
                "aesthetic",
                "x",
                "discrete",
                true,
                "name",
                panel.x(),
                "limits",
                new ArrayList<>(categories)),
            panel.isLogarithmic()
                ? logarithmic(panel)
                : map("aesthetic", "y", "name", panel.y(), "limits", list(0.0, null)),
            map(
                "aesthetic",
                "color",
                "discrete",
                true,
                "name",
                "",
                "values",
                colours,
                "limits",
                names),
            map(
                "aesthetic",
                "fill",
                "discrete",
                true,
                "name",
                "",
                "values",
                colours,
                "limits",
                names)),
        "theme",
        theme);
  }

  private static Map<String, Object> spec(Chart.Timeline panel) {
    List<Object> second = new ArrayList<>();
    List<Object> value = new ArrayList<>();
    List<Object> track = new ArrayList<>();
    List<Object> step = new ArrayList<>();
    for (Chart.Track one : panel.tracks()) {
      for (Chart.Second point : one.seconds()) {
        second.add((double) point.second());
        value.add(point.value());
        track.add(one.name());
        step.add(Integer.toString(point.step()));
      }
    }
    Chart.Track first =
        panel.tracks().stream().filter(one -> !one.seconds().isEmpty()).findFirst().orElseThrow();
    List<Object> at = new ArrayList<>();
    // The library takes spaces and shares of a width from no label, so its place is moved.
    List<Object> beside = new ArrayList<>();
    double last = first.seconds().stream().mapToInt(Chart.Second::second).max().orElse(0);
    List<Object> label = new ArrayList<>();
    List<Object> top = new ArrayList<>();
    List<Object> where = new ArrayList<>();
    double highest =
        first.seconds().stream().mapToDouble(Chart.Second::value).max().orElse(0) * 1.12;
    for (int i = 0; i < panel.marks().size(); i++) {
      at.add((double) panel.marks().get(i).second());
      beside.add(panel.marks().get(i).second() + last * 0.004);
      label.add(Integer.toString(i + 1));
      top.add(highest);
      where.add(first.name());
    }
    List<Object> layers = new ArrayList<>();
    if (!at.isEmpty()) {
      layers.add(
          map(
              "geom",
              "vline",
              "data",
              map("at", at),
              "mapping",
              map("xintercept", "at"),
              "linetype",
              "dashed",
              "size",
              0.5,
              "color",
              Palette.MUTED.light()));
      layers.add(
          map(
              "geom",
              "text",
              "data",
              map("at", beside, "label", label, "top", top, "track", where),
              "mapping",
              map("x", "at", "y", "top", "label", "label"),
              "hjust",
              0.0,
              "size",
              6,
              "color",
              Palette.MUTED.light()));
    }
    layers.add(
        map(
            "geom",
            "line",
            "data",
            map("second", second, "value", value, "track", track, "step", step),
            "mapping",
            map("x", "second", "y", "value", "group", "step"),
            "size",
            0.8,
            "color",
            Palette.SERIES_1.light(),
            "sampling",
            "none"));
    return map(
        "kind",
        "plot",
        "layers",
        layers,
        "facet",
        map("name", "grid", "y", "track", "y_order", 0, "scales", "free_y"),
        "scales",
        list(
            map("aesthetic", "x", "name", "seconds from the beginning of the first step"),
            map("aesthetic", "y", "name", "", "limits", list(0.0, null))),
        "theme",
        theme());
  }

  private static Map<String, Object> theme() {
    Map<String, Object> ink = map("color", Palette.INK.light());
    Map<String, Object> muted = map("color", Palette.MUTED.light());
    return map(
        "name",
        "minimal",
        "text",
        map("family", "sans-serif", "color", Palette.INK.light()),
        "axis_title",
        ink,
        "axis_text",
        muted,
        "legend_text",
        ink,
        "strip_text",
        ink,
        "axis_line",
        muted,
        "panel_grid_major",
        map("color", Palette.GRID.light(), "size", 0.6),
        "panel_grid_minor",
        "blank",
        "plot_background",
        "blank",
        "panel_background",
        "blank",
        "strip_background",
        "blank",
        "legend_background",
        "blank");
  }

  private static Map<String, Object> dodge() {
    return map("name", "dodge", "width", 0.9);
  }

  @SafeVarargs
  private static Map<String, Object> layer(
      Map<String, Object> mapping, Map<String, Object>... options) {
    Map<String, Object> layer = map("mapping", mapping);
    for (Map<String, Object> more : options) {
      layer.putAll(more);
    }
    return layer;
  }

  /** The library changes what it is given. */
  private static Map<String, Object> map(Object... namesAndValues) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return map;
  }

  private static List<@Nullable Object> list(@Nullable Object... values) {
    return new ArrayList<>(Arrays.asList(values));
  }
}
