package io.forebay.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What lines of the access log can have; in lower case it is the name of the field. The order is
 * that of lines of JSON whose fields are not chosen.
 */
public enum LogField {
  TS,
  REQUEST_ID,
  TRACEPARENT,
  CLIENT,
  METHOD,
  SCHEME,
  HOST,
  TARGET,
  PROTOCOL,
  TLS,
  CIPHER,
  SNI,
  RESUMED,
  JA4,
  STATUS,
  BYTES,
  CODING,
  ESI,
  RECEIVED,
  DURATION_US,
  FIRST_BYTE_US,
  CACHE,
  REASON,
  ROUTE,
  ORIGIN,
  FETCH_US,
  REFERER,
  USER_AGENT,
  SAMPLED,
  REQUEST_HEADERS,
  RESPONSE_HEADERS,
  CMCD,
  ERROR,
  ABORT,
  TRUNCATED,

  /** The time as in the common log format; of lines of text. */
  TIME_CLF,

  /** The target without query; of lines of text. */
  PATH,

  /** The query without question mark; of lines of text. */
  QUERY;

  /** Those of JSON, in their order. */
  public static final List<LogField> JSON = ofJson();

  private final String label = name().toLowerCase(Locale.ROOT);

  /** The name of the field. */
  public String label() {
    return label;
  }

  /** Whether it can stand in lines of JSON. */
  public boolean isJson() {
    return ordinal() < TIME_CLF.ordinal();
  }

  /** The field of that name, or null. */
  public static @Nullable LogField of(String label) {
    for (LogField field : values()) {
      if (field.label.equals(label)) {
        return field;
      }
    }
    return null;
  }

  private static List<LogField> ofJson() {
    List<LogField> fields = new ArrayList<>();
    for (LogField field : values()) {
      if (field.isJson()) {
        fields.add(field);
      }
    }
    return List.copyOf(fields);
  }
}
