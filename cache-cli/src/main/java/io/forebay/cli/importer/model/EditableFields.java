package io.forebay.cli.importer.model;

import io.forebay.server.config.ReservedFields;
import java.util.Locale;
import java.util.Set;

/** Header fields that rules can change: all but those that the node itself writes or evaluates. */
public final class EditableFields {
  /** Those that routes and origins have settings of their own for. */
  private static final Set<String> OF_SETTINGS = Set.of("host", "strict-transport-security");

  private EditableFields() {}

  /** Whether rules can change the field in requests to origins. */
  public static boolean inRequests(String name) {
    return isEditable(name, ReservedFields.OF_REQUESTS);
  }

  /** Whether rules can change the field in responses. */
  public static boolean inResponses(String name) {
    return isEditable(name, ReservedFields.OF_RESPONSES);
  }

  private static boolean isEditable(String name, Set<String> refused) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.matches("[a-z0-9!#$%&'*+.^_`|~-]{1,128}")
        && !OF_SETTINGS.contains(lower)
        && !refused.contains(lower);
  }
}
