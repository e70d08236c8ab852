package io.forebay.cli.importer.model;

import java.util.Locale;
import java.util.Set;

/** Header fields that rules can change: all but those that the node itself writes or evaluates. */
public final class EditableFields {
  private static final Set<String> OF_THE_NODE =
      Set.of(
          "connection",
          "content-encoding",
          "content-length",
          "host",
          "keep-alive",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "via");

  private static final Set<String> OF_RESPONSES =
      Set.of(
          "age",
          "alt-svc",
          "cache-status",
          "content-range",
          "date",
          "proxy-status",
          "strict-transport-security");

  private static final Set<String> OF_REQUESTS =
      Set.of(
          "accept-encoding",
          "cdn-loop",
          "expect",
          "forwarded",
          "http2-settings",
          "if-match",
          "if-modified-since",
          "if-none-match",
          "if-range",
          "if-unmodified-since",
          "max-forwards",
          "range",
          "x-forwarded-for",
          "x-forwarded-host",
          "x-forwarded-proto");

  private EditableFields() {}

  /** Whether rules can change the field in requests to origins. */
  public static boolean inRequests(String name) {
    return isEditable(name, OF_REQUESTS);
  }

  /** Whether rules can change the field in responses. */
  public static boolean inResponses(String name) {
    return isEditable(name, OF_RESPONSES);
  }

  private static boolean isEditable(String name, Set<String> refused) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.matches("[a-z0-9!#$%&'*+.^_`|~-]{1,128}")
        && !OF_THE_NODE.contains(lower)
        && !refused.contains(lower)
        && !lower.equals("strict-transport-security");
  }
}
