package io.forebay.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.w3c.dom.Document;

class PlotSvgTest {

  @ParameterizedTest
  @EnumSource
  void oneValueIsAPlot(Chart.Shape shape) throws Exception {
    String svg = svg(categories(shape, series("forebay", 12.5)));

    assertTrue(texts(svg).contains("48"), texts(svg).toString());
    assertTrue(texts(svg).contains("Gbit/s"), texts(svg).toString());
  }

  @ParameterizedTest
  @EnumSource
  void zeroesAreAPlot(Chart.Shape shape) throws Exception {
    String svg = svg(categories(shape, series("forebay", 0, 0, 0)));

    assertTrue(texts(svg).contains("800"), texts(svg).toString());
  }

  @ParameterizedTest
  @EnumSource
  void repetitionsHaveBarsFromLeastToMost(Chart.Shape shape) throws Exception {
    Chart.Series one = series("forebay", 10, 20, 30);
    Chart.Series more =
        new Chart.Series(
            "forebay",
            one.points().stream()
                .map(point ->
                    new Chart.Point(
                        point.x(), spread(point.y().median() - 4, point.y().median(), 34)))
                .toList());

    assertNotEquals(lines(svg(categories(shape, one))), lines(svg(categories(shape, more))));
  }

  @Test
  void categoriesKeepTheirOrderAndProgramsTheirNames() throws Exception {
    List<String> texts =
        texts(svg(categories(Chart.Shape.LINES, series("forebay", 1, 2, 3), series("nginx", 2))));

    assertTrue(texts.indexOf("48") < texts.indexOf("100"), texts.toString());
    assertTrue(texts.indexOf("100") < texts.indexOf("800"), texts.toString());
    assertTrue(texts.contains("forebay") && texts.contains("nginx"), texts.toString());
  }

  @Test
  void barsHaveALegend() throws Exception {
    List<String> texts =
        texts(svg(categories(Chart.Shape.BARS, series("forebay", 1, 2), series("nginx", 2))));

    assertTrue(texts.contains("forebay") && texts.contains("nginx"), texts.toString());
  }

  @Test
  void powersOfTenAreAPlot() throws Exception {
    Chart.Categories panel =
        new Chart.Categories(
            "size", "ms", Chart.Shape.LINES, true, List.of(series("forebay", 4.4, 40, 995)));

    List<String> texts = texts(svg(panel));
    assertTrue(texts.containsAll(List.of("10", "100")), texts.toString());
  }

  @Test
  void valuesBetweenRoundNumbersAndZeroesHaveALogarithmicAxisToo() throws Exception {
    for (Chart.Series series :
        List.of(series("forebay", 26, 27), series("forebay", 12), series("forebay", 0, 3))) {
      assertTrue(
          svg(new Chart.Categories("size", "ms", Chart.Shape.LINES, true, List.of(series)))
              .contains("<svg"));
    }
  }

  @Test
  void panelsWithoutAFigureAreLeftOut() {
    Chart chart =
        new Chart(
            "name",
            "title",
            List.of(
                categories(Chart.Shape.LINES),
                categories(Chart.Shape.BARS, new Chart.Series("forebay", List.of())),
                new Chart.Timeline(
                    "t",
                    List.of(new Chart.Mark(0, "a")),
                    List.of(new Chart.Track("Gbit/s", List.of())))));

    assertEquals(List.of(), chart.panels());
  }

  @Test
  void aTimelineMarksStepsAndHasAllTracks() throws Exception {
    List<Chart.Second> seconds = new ArrayList<>();
    for (int second = 0; second < 30; second++) {
      seconds.add(new Chart.Second(second, second / 15, 5 + second % 7));
    }
    String svg =
        svg(
            new Chart.Timeline(
                "one-byte with forebay",
                List.of(new Chart.Mark(0, "one"), new Chart.Mark(15, "two")),
                List.of(new Chart.Track("Gbit/s", seconds), new Chart.Track("cores", seconds))));

    List<String> texts = texts(svg);
    assertTrue(texts.containsAll(List.of("1", "2", "Gbit/s", "cores")), texts.toString());
  }

  @Test
  void drawingsOfTheSameAreTheSameAndShareNoId() {
    Chart.Categories panel = categories(Chart.Shape.LINES, series("forebay", 1, 2));
    String first = PlotSvg.draw(panel, "a").svg();

    assertEquals(first, PlotSvg.draw(panel, "a").svg());
    assertTrue(first.contains("id=\"a-0\""), first);
    assertTrue(!PlotSvg.draw(panel, "b").svg().contains("\"a-"));
  }

  @Test
  void coloursBecomeVariables() {
    Chart.Panel panel = categories(Chart.Shape.LINES, series("forebay", 1, 2), series("nginx", 2));
    String svg = Palette.withVariables(PlotSvg.draw(panel, "a").svg());

    assertTrue(svg.contains("var(--plot-series-1)"), svg);
    assertTrue(svg.contains("var(--plot-ink)"), svg);
    assertTrue(svg.contains("var(--plot-paper)"), svg);
    assertTrue(!svg.toLowerCase(java.util.Locale.ROOT).contains(Palette.INK.light()), svg);
  }

  @Test
  void nothingIsDrawnWithoutFigures() {
    assertThrows(RuntimeException.class, () -> svg(new Chart.Timeline("t", List.of(), List.of())));
  }

  private static String svg(Chart.Panel panel) throws Exception {
    String svg = PlotSvg.draw(panel, "test").svg();
    Document document = WellFormed.parse(svg);
    assertEquals("svg", document.getDocumentElement().getTagName());
    return svg;
  }

  private static List<String> texts(String svg) throws Exception {
    return WellFormed.texts(WellFormed.parse(svg), "text");
  }

  private static int lines(String svg) throws Exception {
    Document document = WellFormed.parse(svg);
    return document.getElementsByTagName("line").getLength()
        + document.getElementsByTagName("path").getLength();
  }

  private static Chart.Categories categories(Chart.Shape shape, Chart.Series... series) {
    return new Chart.Categories("connections", "Gbit/s", shape, false, List.of(series));
  }

  private static Chart.Series series(String name, double... values) {
    String[] x = {"48", "100", "800"};
    List<Chart.Point> points = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      points.add(new Chart.Point(x[i], spread(values[i])));
    }
    return new Chart.Series(name, points);
  }

  private static Spread spread(double... values) {
    return Objects.requireNonNull(Spread.of(values));
  }
}
