package io.forebay.server.rule;

/**
 * A part of a request that a condition depends on.
 *
 * @param name of the field, cookie or parameter; empty for other kinds
 */
public record RequestPart(Kind kind, String name) {

  /** What it is a part of. */
  public enum Kind {
    HOST("host"),
    PATH("path"),
    METHOD("method"),
    QUERY("query"),
    HEADER("header"),
    COOKIE("cookie"),
    CLIENT("client"),
    LISTENER("listener"),
    SCHEME("scheme"),
    PROTOCOL("protocol"),
    TLS("tls"),
    TIME("time"),
    SPLIT("split"),

    /** All fields, cookies or parameters, named or not. */
    WHOLE("all of");

    private final String word;

    Kind(String word) {
      this.word = word;
    }
  }

  /** As the configuration names it: {@code header x-beta}. */
  @Override
  public String toString() {
    return name.isEmpty() ? kind.word : kind.word + " " + name;
  }
}
