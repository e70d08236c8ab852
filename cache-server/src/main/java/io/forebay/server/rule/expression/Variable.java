package io.forebay.server.rule.expression;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an expression can name. */
public enum Variable {
  METHOD("request.method", Type.TEXT),
  SCHEME("request.scheme", Type.TEXT),
  HOST("request.host", Type.TEXT),
  PATH("request.path", Type.TEXT),
  QUERY_STRING("request.query_string", Type.TEXT),
  QUERY("request.query", Type.TEXTS),
  HEADERS("request.headers", Type.TEXTS),
  COOKIES("request.cookies", Type.TEXTS),
  PROTOCOL("request.protocol", Type.TEXT),
  LISTENER("request.listener", Type.TEXT),
  TIME("request.time", Type.TIME),
  CLIENT_IP("client.ip", Type.TEXT),
  TLS_VERSION("tls.version", Type.TEXT),
  TLS_SERVER_NAME("tls.server_name", Type.TEXT),
  STATUS("response.status", Type.NUMBER),
  CONTENT_TYPE("response.content_type", Type.TEXT),
  RESPONSE_HEADERS("response.headers", Type.TEXTS);

  enum Type {
    TEXT,
    NUMBER,
    TIME,

    /** Texts by name. */
    TEXTS
  }

  private final String path;
  private final Type type;

  Variable(String path, Type type) {
    this.path = path;
    this.type = type;
  }

  Type type() {
    return type;
  }

  boolean isOfResponse() {
    return path.startsWith("response.");
  }

  /** Whether its names are those of header fields, in lower case. */
  boolean hasFieldNames() {
    return this == HEADERS || this == RESPONSE_HEADERS;
  }

  static List<Variable> of(boolean response) {
    return Arrays.stream(values()).filter(one -> one.isOfResponse() == response).toList();
  }

  static @Nullable Variable named(String path) {
    for (Variable variable : values()) {
      if (variable.path.equals(path)) {
        return variable;
      }
    }
    return null;
  }

  /** As it is written. */
  @Override
  public String toString() {
    return path;
  }
}
