package io.forebay.server.rule;

import io.forebay.core.http.FieldsView;
import io.forebay.core.route.ResponseOverrides;
import io.forebay.server.counters.RuleErrors;
import io.forebay.server.rule.expression.StepBudget;
import org.jspecify.annotations.Nullable;

/**
 * What a rule says of the storing of a response.
 *
 * @param when for which responses; null for all
 */
public record StoreActions(@Nullable ResponseCondition when, ResponseOverrides overrides) {

  /** What comes of it behind what the rules before it said. */
  ResponseOverrides over(
      ResponseOverrides before,
      int status,
      FieldsView response,
      RuleErrors errors,
      StepBudget steps) {
    if (when != null && !when.holds(status, response, errors, steps)) {
      return before;
    }
    return over(before, overrides);
  }

  static ResponseOverrides over(ResponseOverrides before, ResponseOverrides later) {
    return new ResponseOverrides(
        later.ttl() == null ? before.ttl() : later.ttl(),
        later.whileRevalidate() == null ? before.whileRevalidate() : later.whileRevalidate(),
        later.ifError() == null ? before.ifError() : later.ifError(),
        later.isNeverStored() || before.isNeverStored());
  }
}
