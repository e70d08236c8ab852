package io.forebay.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.result.ResultFiles;
import io.forebay.lab.result.ResultFixture;
import io.forebay.lab.result.RunResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The report of a fixed set of results. */
class ReportTest {

  private static final String BUSY = "The client was 91 % busy.";

  @TempDir static Path directory;
  private static String html = "";
  private static String markdown = "";
  private static Document page;
  private static List<String> notes = List.of();

  @BeforeAll
  static void write() throws Exception {
    List<RunResult> runs =
        List.of(
            ResultFixture.run(
                "xeon6-live",
                List.of(
                    ResultFixture.step("live-48", 1, Map.of("connections", 48), 2.4),
                    ResultFixture.step("live-48", 2, Map.of("connections", 48), 2.6),
                    ResultFixture.step("live-100", 1, Map.of("connections", 100), 7.77, BUSY))),
            ResultFixture.run(
                "xeon6-vod",
                List.of(ResultFixture.step("vod-48", 1, Map.of("connections", 48), 1.25))),
            ResultFixture.run("intel-2", List.of(ResultFixture.step("hit-80", 1, Map.of(), 1.5))),
            ResultFixture.run(
                "att-kpis",
                List.of(
                    ResultFixture.step("one", 1, Map.of("connections", 1), 0.2),
                    ResultFixture.step("kpi2-held-200", 1, Map.of("connections", 200), 1.75))),
            ResultFixture.run(
                "att-channels",
                List.of(ResultFixture.step("channels-4", 1, Map.of("channels", 4), 1.1))),
            ResultFixture.run(
                "one-byte",
                List.of(
                    ResultFixture.step(
                        "c1", 1, Map.of("cores", 1, "objects", 1000), 0.001, 1, null))),
            ResultFixture.run(
                "flash-sizes",
                List.of(
                    ResultFixture.step(
                        "100k", 1, Map.of("objectBytes", 100_000), 2.1, 100_000, 82.5))),
            ResultFixture.run("own", "nginx", List.of(ResultFixture.step("a", 1, Map.of(), 1))));
    notes = Report.write(runs, directory, Optional.empty());
    html = Files.readString(directory.resolve("index.html"));
    markdown = Files.readString(directory.resolve("report.md"));
    page = WellFormed.parse(html);
  }

  @Test
  void resultsAreKept() throws Exception {
    assertEquals(8, ResultFiles.read(directory).size());
  }

  @Test
  void thePageIsOneFileWithoutScripts() {
    assertEquals(0, page.getElementsByTagName("script").getLength());
    assertEquals(0, page.getElementsByTagName("link").getLength());
    assertEquals(0, page.getElementsByTagName("img").getLength());
    assertFalse(html.contains("@import"));
    assertTrue(html.contains("prefers-color-scheme: dark"));
    assertTrue(html.contains("@media print"));
  }

  @Test
  void noIdIsUsedTwice() {
    Set<String> ids = new HashSet<>();
    for (Element element : elements("*")) {
      String id = element.getAttribute("id");
      assertTrue(id.isEmpty() || ids.add(id), id);
    }
    assertTrue(ids.contains("xeon6"), ids.toString());
  }

  @Test
  void oursStandAboveThePublishedRowsOfTheSameConnections() {
    List<List<String>> rows = rows("ours", "Live Gbit/s");
    assertEquals(
        List.of("forebay 1.2", "AMD EPYC <test> & co", "48", "2.50 (2.40–2.60)", "n/a"),
        rows.getFirst().subList(0, 5));
    assertEquals("1.25", rows.getFirst().get(6));
    List<List<String>> published = rows("published", "Live Gbit/s");
    assertEquals(14, published.size());
    assertTrue(
        published.contains(
            List.of(
                "SYS-212H",
                "1 x 6710E, 64 cores",
                "48",
                "549.8",
                "1.34",
                "8.59",
                "416.9",
                "0.86",
                "6.51")),
        published.toString());
  }

  @Test
  void voidRowsAreStruckAndSayWhy() {
    List<List<String>> rows = rows("void", "Live Gbit/s");
    assertEquals(1, rows.size());
    assertEquals("7.77", rows.getFirst().get(3));
    Element row = elements("tr").stream().filter(tr -> is(tr, "void")).findFirst().orElseThrow();
    assertEquals(9, row.getElementsByTagName("s").getLength());
    assertEquals(List.of(List.of("VOID: " + BUSY)), rows("why", "Live Gbit/s"));
    assertTrue(markdown.contains("~~7.77~~"), markdown);
    assertTrue(markdown.contains(BUSY), markdown);
  }

  @Test
  void nothingVoidIsInAPlot() throws Exception {
    String plot = Files.readString(directory.resolve("plots/xeon6-1.svg"));
    List<String> texts = WellFormed.texts(WellFormed.parse(plot), "text");
    assertTrue(texts.contains("48"), texts.toString());
    assertFalse(texts.contains("100"), texts.toString());
  }

  @Test
  void figuresPerWattNeedAMeter() {
    assertTrue(Files.exists(directory.resolve("plots/flash-sizes-3.svg")));
    assertFalse(Files.exists(directory.resolve("plots/xeon6-2.svg")));
    List<String> ours = rows("ours", "Requests/s/W").getFirst();
    assertFalse(ours.get(8).equals("n/a"), ours.toString());
  }

  @Test
  void eachTestHasItsLayout() {
    assertEquals("case 2: forebay 1.2", rows("ours", "TTLB p99 ms").getFirst().getFirst());
    assertEquals("149.6", rows("published", "Cores busy").getFirst().get(1));
    assertTrue(
        rows("ours", "KPI")
            .contains(List.of("2", "Peak connections, held 10 s", "forebay 1.2", "200")),
        rows("ours", "KPI").toString());
    assertEquals("12.50", rows("ours", "Mean response of 4 MB ms").getFirst().get(4));
    assertEquals(2, rows("ours", "Object").size());
    assertEquals("143,000", rows("published", "Objects").getFirst().get(4));
    assertEquals("35,750", rows("published", "Objects").getFirst().get(5));
    assertEquals("100 KB", rows("published", "Goodput Gbit/s").getFirst().getFirst());
    assertEquals("nginx 1.2", rows("ours", "Hit ratio %").getLast().get(1));
  }

  @Test
  void theFactorTheMachineAndTheCommandAreTold() {
    for (String text : List.of(html, markdown)) {
      assertTrue(text.contains("divided: xeon6-live by 60, xeon6-vod by 60"), text);
      assertTrue(text.contains("./forebay lab run xeon6-live --profile here"), text);
      assertTrue(text.contains("6.1.0"), text);
    }
    assertTrue(html.contains("AMD EPYC &lt;test&gt; &amp; co"));
  }

  @Test
  void withoutABrowserTheReportSaysSo() {
    assertTrue(notes.getFirst().contains("Chromium is not installed"), notes.toString());
    assertTrue(html.contains("Chromium is not installed"));
    assertTrue(markdown.contains("plots/xeon6-1.svg"));
  }

  @Test
  void runsOfDifferentProfilesShareNoTable() throws Exception {
    RunResult here =
        ResultFixture.run("intel-1", List.of(ResultFixture.step("hit-100", 1, Map.of(), 1.5)));
    RunResult full =
        new RunResult(
            1, "intel-1", "full", 1, "forebay", "1.2", "", "", Map.of(), Map.of(), here.steps());
    Path both = directory.resolve("both");

    Report.write(List.of(here, full), both, Optional.empty());

    Document document = WellFormed.parse(Files.readString(both.resolve("index.html")));
    List<String> titles = WellFormed.texts(document, "h2");
    assertTrue(
        titles.contains("Varnish with Intel: cases 1 to 4 (profile full)"), titles.toString());
  }

  @Test
  void aReportOfNothingIsAReport() throws Exception {
    Path empty = directory.resolve("empty");
    Report.write(List.of(ResultFixture.run("xeon6-live", List.of())), empty, Optional.empty());
    Report.write(List.of(), directory.resolve("none"), Optional.empty());

    assertTrue(Files.readString(empty.resolve("report.md")).contains("No step has run."));
  }

  /** Cells of the rows of one class, in tables with a column of some name. */
  private static List<List<String>> rows(String kind, String column) {
    List<List<String>> rows = new ArrayList<>();
    for (Element table : elements("table")) {
      if (texts(table, "th").contains(column)) {
        NodeList all = table.getElementsByTagName("tr");
        for (int i = 0; i < all.getLength(); i++) {
          if (is((Element) all.item(i), kind)) {
            rows.add(texts((Element) all.item(i), "td"));
          }
        }
      }
    }
    return rows;
  }

  private static boolean is(Element element, String kind) {
    return element.getAttribute("class").equals(kind);
  }

  private static List<String> texts(Element element, String name) {
    List<String> texts = new ArrayList<>();
    NodeList all = element.getElementsByTagName(name);
    for (int i = 0; i < all.getLength(); i++) {
      texts.add(all.item(i).getTextContent());
    }
    return texts;
  }

  private static List<Element> elements(String name) {
    List<Element> elements = new ArrayList<>();
    NodeList all = page.getElementsByTagName(name);
    for (int i = 0; i < all.getLength(); i++) {
      elements.add((Element) all.item(i));
    }
    return elements;
  }
}
