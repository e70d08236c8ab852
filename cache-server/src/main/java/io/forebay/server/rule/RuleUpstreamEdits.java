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
record RuleUpstreamEdits(List<HeldRule> rules, @Nullable Mirror mirror) implements UpstreamEdits {

  RuleUpstreamEdits {
    rules = List.copyOf(rules);
  }

  @Override
  public Edited edited(RequestView request, HeaderFields fields) {
    Edited edited = Edited.none(request, fields);
    for (HeldRule held : rules) {
      Rule rule = held.rule();
      ExtensionCall call = held.call();
      if (call != null) {
        edited = call.edited(request, edited);
        if (edited.target().equals(Edited.NOT_SENT)) {
          return edited;
        }
        continue;
      }
      Rewrite rewrite = rule.actions().rewrite();
      FieldEdits edits = rule.actions().requestFields();
      if (rewrite == null && edits == null) {
        continue;
      }
      String[] captures = rule.captures(request);
      edited =
          new Edited(
              rewrite == null ? edited.target() : rewrite.target(request, captures),
              edits == null ? edited.fields() : edits.edited(edited.fields(), request, captures));
    }
    return edited;
  }
}
