package io.forebay.server.rule;

import io.forebay.core.http.FieldsView;
import io.forebay.core.route.ResponseOverrides;
import io.forebay.core.route.ResponseRules;
import io.forebay.server.counters.RuleErrors;
import io.forebay.server.rule.expression.StepBudget;
import java.util.List;

/** What the rules that hold for a request say of the storing of its response. */
record RuleResponseRules(List<HeldRule> rules, RuleErrors errors) implements ResponseRules {

  RuleResponseRules {
    rules = List.copyOf(rules);
  }

  @Override
  public ResponseOverrides of(int status, FieldsView response) {
    ResponseOverrides all = ResponseOverrides.NONE;
    StepBudget steps = new StepBudget();
    for (HeldRule held : rules) {
      StoreActions store = held.rule().actions().store();
      ExtensionCall call = held.call();
      if (store != null) {
        all = store.over(all, status, response, errors, steps);
      } else if (call != null) {
        all = StoreActions.over(all, call.ofResponse(status, response));
      }
    }
    return all;
  }
}
