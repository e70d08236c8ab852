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
  RESPONSE_HEADERS("response.headers", Type.TEXTS),
  RECORD_TIME("time", Subject.RECORD, Type.TIME),
  RECORD_STATUS("status", Subject.RECORD, Type.NUMBER),
  RECORD_BYTES("body_bytes", Subject.RECORD, Type.NUMBER),
  RECORD_FIRST_BYTE("first_byte", Subject.RECORD, Type.DURATION),
  RECORD_LAST_BYTE("last_byte", Subject.RECORD, Type.DURATION),
  RECORD_FETCH("fetch", Subject.RECORD, Type.DURATION),
  RECORD_URL("url", Subject.RECORD, Type.TEXT),
  RECORD_METHOD("method", Subject.RECORD, Type.TEXT),
  RECORD_SCHEME("scheme", Subject.RECORD, Type.TEXT),
  RECORD_HOST("host", Subject.RECORD, Type.TEXT),
  RECORD_PATH("path", Subject.RECORD, Type.TEXT),
  RECORD_QUERY("query", Subject.RECORD, Type.TEXT),
  RECORD_PROTOCOL("protocol", Subject.RECORD, Type.TEXT),
  RECORD_CLIENT("client", Subject.RECORD, Type.TEXT),
  RECORD_ROUTE("route", Subject.RECORD, Type.TEXT),
  RECORD_ORIGIN("origin", Subject.RECORD, Type.TEXT),
  RECORD_CACHE("cache", Subject.RECORD, Type.TEXT),
  RECORD_REASON("reason", Subject.RECORD, Type.TEXT),
  RECORD_REQUEST_ID("request_id", Subject.RECORD, Type.TEXT),
  RECORD_USER_AGENT("user_agent", Subject.RECORD, Type.TEXT),
  RECORD_REFERER("referer", Subject.RECORD, Type.TEXT),
  RECORD_CODING("coding", Subject.RECORD, Type.TEXT),
  RECORD_ERROR("error", Subject.RECORD, Type.TEXT),
  RECORD_ABORT("abort", Subject.RECORD, Type.TEXT);

  /** What an expression is about. */
  public enum Subject {
    /** A request of a client. */
    REQUEST,
    /** A response of an origin. */
    RESPONSE,
    /** A request that has ended, as the request ring has it. */
    RECORD
  }

  enum Type {
    TEXT,
    NUMBER,
    TIME,
    DURATION,

    /** Texts by name. */
    TEXTS
  }

  private final String path;
  private final Subject subject;
  private final Type type;

  Variable(String path, Type type) {
    this(path, path.startsWith("response.") ? Subject.RESPONSE : Subject.REQUEST, type);
  }

  Variable(String path, Subject subject, Type type) {
    this.path = path;
    this.subject = subject;
    this.type = type;
  }

  Type type() {
    return type;
  }

  /** Whether its names are those of header fields, in lower case. */
  boolean hasFieldNames() {
    return this == HEADERS || this == RESPONSE_HEADERS;
  }

  static List<Variable> of(Subject subject) {
    return Arrays.stream(values()).filter(one -> one.subject == subject).toList();
  }

  static @Nullable Variable named(String path, Subject subject) {
    for (Variable variable : values()) {
      if (variable.subject == subject && variable.path.equals(path)) {
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
