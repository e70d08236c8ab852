package io.forebay.server.counters;

/**
 * The HTTP versions by which requests are counted; the value of the metric label {@code protocol}.
 */
public enum Protocol {
  HTTP_1_0("HTTP/1.0"),
  HTTP_1_1("HTTP/1.1"),
  HTTP_2("HTTP/2"),
  HTTP_3("HTTP/3");

  private final String label;

  Protocol(String label) {
    this.label = label;
  }

  /** As the access log writes it. */
  public String label() {
    return label;
  }
}
