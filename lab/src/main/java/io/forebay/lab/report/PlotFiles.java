package io.forebay.lab.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** The plots of a report, drawn and written below a directory. */
final class PlotFiles {
  private final Path directory;
  private final Map<String, PlotSvg.Drawing> drawings = new HashMap<>();
  private final Set<String> pictures = new HashSet<>();
  private final String note;

  private PlotFiles(List<Section> sections, Path directory, Optional<ChromiumScreenshots> browser)
      throws IOException, InterruptedException {
    this.directory = directory;
    List<Chart> charts = charts(sections);
    for (Chart chart : charts) {
      draw(chart);
    }
    note = pictures(charts, browser);
  }

  /** Draws the charts of all sections as SVG and, with a browser, as PNG. */
  static PlotFiles write(
      List<Section> sections, Path directory, Optional<ChromiumScreenshots> browser)
      throws IOException, InterruptedException {
    return new PlotFiles(sections, Files.createDirectories(directory), browser);
  }

  /** Of all panels, by their names. */
  Map<String, PlotSvg.Drawing> drawings() {
    return drawings;
  }

  /** Names of charts that there is a PNG of. */
  Set<String> pictures() {
    return pictures;
  }

  /** A sentence on which files there are. */
  String note() {
    return note;
  }

  private static List<Chart> charts(List<Section> sections) {
    return sections.stream()
        .flatMap(section -> section.blocks().stream())
        .filter(ReportBlock.Picture.class::isInstance)
        .map(block -> ((ReportBlock.Picture) block).chart())
        .toList();
  }

  private void draw(Chart chart) throws IOException {
    for (int i = 0; i < chart.panels().size(); i++) {
      String name = chart.panelName(i);
      PlotSvg.Drawing drawing = PlotSvg.draw(chart.panels().get(i), "plot-" + name);
      drawings.put(name, drawing);
      Files.writeString(directory.resolve(name + ".svg"), drawing.svg());
    }
  }

  /** Makes a picture of each chart; the first that fails ends it. */
  private String pictures(List<Chart> charts, Optional<ChromiumScreenshots> browser)
      throws IOException, InterruptedException {
    if (browser.isEmpty()) {
      return "There are no PNGs of the plots: Chromium is not installed. Each plot is an SVG below"
          + " plots.";
    }
    for (Chart chart : charts) {
      if (chart.panels().isEmpty()) {
        continue;
      }
      List<PlotSvg.Drawing> parts = new ArrayList<>();
      for (int i = 0; i < chart.panels().size(); i++) {
        parts.add(Objects.requireNonNull(drawings.get(chart.panelName(i))));
      }
      int width = Math.min(2 * PlotSvg.WIDTH, parts.stream().mapToInt(p -> p.width()).sum());
      width = Math.max(width, parts.stream().mapToInt(p -> p.width()).max().orElse(0));
      int height = 0;
      int rowWidth = 0;
      for (PlotSvg.Drawing part : parts) {
        rowWidth += part.width();
        if (height == 0 || rowWidth > width) {
          height += part.height();
          rowWidth = part.width();
        }
      }
      Path png = directory.resolve(chart.name() + ".png");
      if (!browser.get().picture(HtmlWriter.page(parts), png, width, height)) {
        return String.format(
            Locale.ROOT,
            "%s made no picture of the plot %s, so PNGs are missing from there on.",
            browser.get().program().getFileName(),
            chart.name());
      }
      pictures.add(chart.name());
    }
    return "Plots are below plots, as SVG and as PNG.";
  }
}
