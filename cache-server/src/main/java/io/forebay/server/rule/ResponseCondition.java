package io.forebay.server.rule;

import io.forebay.core.http.FieldsView;
import io.forebay.server.counters.RuleErrors;
import io.forebay.server.rule.expression.EvaluationException;
import io.forebay.server.rule.expression.Expression;
import io.forebay.server.rule.expression.StepBudget;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A condition on a response: of the origin, where it is about storing, or on its way to the client.
 * All parts must hold; those that are null or empty do.
 *
 * @param statuses the statuses it holds for, or null for any
 * @param contentType of the media type without parameters, in lower case, or null
 * @param headers one line of each field passes
 * @param expression holds, too, or null; about responses of the origin alone
 * @param holdsOnError whether an expression without a value holds
 */
public record ResponseCondition(
    @Nullable BitSet statuses,
    @Nullable TextMatcher contentType,
    List<Header> headers,
    @Nullable Expression expression,
    boolean holdsOnError) {

  public ResponseCondition {
    headers = List.copyOf(headers);
  }

  /**
   * A condition on a field.
   *
   * @param name in lower case
   */
  public record Header(String name, TextMatcher test) {}

  boolean holds(int status, FieldsView fields, RuleErrors errors, StepBudget steps) {
    if (statuses != null && !statuses.get(status)) {
      return false;
    }
    if (contentType != null && !isMediaType(fields, contentType)) {
      return false;
    }
    return headers.stream()
            .allMatch(header ->
                fields.all(header.name()).stream().anyMatch(line -> passes(header.test(), line)))
        && (expression == null || holds(expression, status, fields, errors, steps));
  }

  private boolean holds(
      Expression asked, int status, FieldsView fields, RuleErrors errors, StepBudget steps) {
    try {
      return asked.holds(new ResponseInputs(status, fields), steps);
    } catch (EvaluationException e) {
      errors.count(e.isLimit());
      return holdsOnError;
    }
  }

  private static boolean isMediaType(FieldsView fields, TextMatcher test) {
    if (!fields.has("content-type")) {
      return false;
    }
    return passes(test, ResponseInputs.mediaType(fields));
  }

  /** The same for a response whose head is written; only expressions allocate. */
  boolean holds(ResponseHead head) {
    if (statuses != null && !statuses.get(head.status())) {
      return false;
    }
    if (contentType != null) {
      CharSequence type = head.mediaType();
      if (type == null || !passes(contentType, type)) {
        return false;
      }
    }
    for (int i = 0; i < headers.size(); i++) {
      if (!hasLine(head, headers.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasLine(ResponseHead head, Header header) {
    int at = head.next(header.name(), ResponseHead.FIRST);
    while (at >= 0) {
      if (passes(header.test(), head.value())) {
        return true;
      }
      at = head.next(header.name(), at);
    }
    return false;
  }

  private static boolean passes(TextMatcher test, CharSequence text) {
    return test.test(text, 0, text.length(), false) == Condition.YES;
  }

  /** Whether it never allocates about a head that is written. */
  boolean isFast() {
    return (contentType == null || contentType.isFast())
        && headers.stream().allMatch(header -> header.test().isFast());
  }
}
