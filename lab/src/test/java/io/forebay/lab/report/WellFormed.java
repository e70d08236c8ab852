package io.forebay.lab.report;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** Parses HTML and SVG by the rules of XML. */
final class WellFormed {

  private WellFormed() {}

  static Document parse(String text) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
    factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    DocumentBuilder builder = factory.newDocumentBuilder();
    builder.setErrorHandler(null);
    return builder.parse(new InputSource(new StringReader(text)));
  }

  /** Texts of all elements of a name, in their order. */
  static List<String> texts(Document document, String element) {
    List<String> texts = new ArrayList<>();
    NodeList elements = document.getElementsByTagName(element);
    for (int i = 0; i < elements.getLength(); i++) {
      texts.add(elements.item(i).getTextContent().strip());
    }
    return texts;
  }
}
