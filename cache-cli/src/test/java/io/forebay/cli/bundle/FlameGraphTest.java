package io.forebay.cli.bundle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

final class FlameGraphTest {

  @Test
  void boxesAreAsWideAsTheirShareAndBelowTheirCaller() throws Exception {
    FlameGraph graph = new FlameGraph();
    for (int i = 0; i < 3; i++) {
      graph.add("loop-0", List.of("a.B.<init>", "a.B.run"));
    }
    graph.add("loop-1", List.of("a.C.other", "a.B.run"));
    assertEquals(4, graph.samples());
    String html = graph.html("A & B");
    String svg = html.substring(html.indexOf("<svg"), html.indexOf("</body>"));
    NodeList boxes =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(svg)))
            .getElementsByTagName("g");
    assertEquals(7, boxes.getLength());
    assertEquals("0 1600", box(boxes, "all (100.0 %, 4 samples)"));
    assertEquals("17 1200", box(boxes, "loop-0 (75.0 %, 3 samples)"));
    assertEquals("51 1200", box(boxes, "a.B.<init> (75.0 %, 3 samples)"));
    assertEquals("51 400", box(boxes, "a.C.other (25.0 %, 1 samples)"));
    assertTrue(html.contains("<h1>A &amp; B</h1>"), html);
  }

  @Test
  void nothingSampledIsAPage() {
    assertTrue(new FlameGraph().html("none").contains("0 samples"));
  }

  /** Row and width of the box with that title. */
  private static String box(NodeList boxes, String title) {
    for (int i = 0; i < boxes.getLength(); i++) {
      Element box = (Element) boxes.item(i);
      if (box.getElementsByTagName("title").item(0).getTextContent().equals(title)) {
        Element rect = (Element) box.getElementsByTagName("rect").item(0);
        return rect.getAttribute("y") + " " + rect.getAttribute("width").replace(".0", "");
      }
    }
    throw new AssertionError("no box " + title);
  }
}
