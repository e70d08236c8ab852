package io.forebay.server.rule;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.route.Mirror;
import io.forebay.core.route.UpstreamEdits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes of requests to the origin by the rules that hold. Variables stand for parts of the
 * request that the origin is asked with: of a fill that is what the key has, so the first client
 * cannot put anything else into a response that others get.
 */
record RuleUpstreamEdits(List<Rule> rules, @Nullable Mirror mirror) implements UpstreamEdits {

  RuleUpstreamEdits {
    rules = List.copyOf(rules);
  }

  @Override
  public String target(RequestView request) {
    for (Rule rule : rules.reversed()) {
      Rewrite rewrite = rule.actions().rewrite();
      if (rewrite != null) {
        return rewrite.target(request, rule.captures(request));
      }
    }
    String query = request.query();
    return query == null ? request.path() : request.path() + "?" + query;
  }

  @Override
  public HeaderFields fields(RequestView request, HeaderFields fields) {
    HeaderFields edited = fields;
    for (Rule rule : rules) {
      FieldEdits edits = rule.actions().requestFields();
      if (edits != null) {
        edited = edits.edited(edited, request, rule.captures(request));
      }
    }
    return edited;
  }
}
