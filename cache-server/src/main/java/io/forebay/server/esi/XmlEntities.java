package io.forebay.server.esi;

/** The five entities of XML within attributes. */
final class XmlEntities {
  private XmlEntities() {}

  /** The text that an attribute stands for. */
  static String decoded(String attribute) {
    return attribute.indexOf('&') < 0
        ? attribute
        : attribute
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&apos;", "'")
            .replace("&amp;", "&");
  }
}
