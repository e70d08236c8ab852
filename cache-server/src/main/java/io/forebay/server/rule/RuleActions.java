package io.forebay.server.rule;

import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * What a rule does. Parts that are null are not there.
 *
 * @param answer ends the evaluation
 * @param responseFields fields of what is delivered
 */
public record RuleActions(@Nullable LocalAnswer answer, @Nullable FieldEdits responseFields) {

  /** The highest group of an expression that is named, or 0. */
  public int groups() {
    int ofFields = responseFields == null ? 0 : responseFields.groups();
    return answer instanceof LocalAnswer.Redirect redirect
        ? Math.max(ofFields, redirect.to().groups())
        : ofFields;
  }

  String describe() {
    StringJoiner words = new StringJoiner(", ");
    switch (answer) {
      case null -> {}
      case LocalAnswer.Deny deny -> words.add("denies with " + deny.status());
      case LocalAnswer.Redirect redirect ->
          words.add("redirects with " + redirect.status() + " to " + redirect.to());
      case LocalAnswer.Respond respond -> words.add("responds with " + respond.status());
    }
    if (responseFields != null) {
      words.add("changes response fields");
    }
    return words.toString();
  }

  /** Whether a hit may be different for it. */
  boolean concernsHits() {
    return answer != null || responseFields != null;
  }

  /** Whether the fast lane can do it. */
  boolean isForFastLane() {
    FieldEdits fields = responseFields;
    return answer == null && (fields == null || fields.isConstant());
  }
}
