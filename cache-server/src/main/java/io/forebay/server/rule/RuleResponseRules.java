package io.forebay.server.rule;

import io.forebay.core.http.FieldsView;
import io.forebay.core.route.ResponseOverrides;
import io.forebay.core.route.ResponseRules;
import java.util.List;

/** What the rules that hold for a request say of the storing of its response. */
record RuleResponseRules(List<Rule> rules) implements ResponseRules {

  RuleResponseRules {
    rules = List.copyOf(rules);
  }

  @Override
  public ResponseOverrides of(int status, FieldsView response) {
    ResponseOverrides all = ResponseOverrides.NONE;
    for (Rule rule : rules) {
      StoreActions store = rule.actions().store();
      if (store != null) {
        all = store.over(all, status, response);
      }
    }
    return all;
  }
}
