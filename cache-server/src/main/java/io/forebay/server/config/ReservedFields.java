package io.forebay.server.config;

import io.forebay.plugin.FieldEdits;
import java.util.Set;

/** Header fields that rules do not change, in lower case; those that plugins do not change. */
public final class ReservedFields {

  /** Of requests to origins: framing, what the node writes, and what a fill decides about. */
  public static final Set<String> OF_REQUESTS = FieldEdits.RESERVED_IN_REQUESTS;

  /** Of responses: framing, and what says what the node did. */
  public static final Set<String> OF_RESPONSES = FieldEdits.RESERVED_IN_RESPONSES;

  private ReservedFields() {}
}
