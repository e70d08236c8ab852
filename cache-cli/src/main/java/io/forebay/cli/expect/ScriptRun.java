package io.forebay.cli.expect;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.expect.RehearsedNode.Observed;
import io.forebay.cli.expect.RehearsedNode.UnsendableException;
import io.forebay.cli.expect.ScriptReport.StepResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.JsonNode;

/** Takes the steps of a script, one after the other; a step that fails does not end it. */
final class ScriptRun {
  private final Script script;
  private final RehearsedNode node;
  private final ScriptedOrigins origins;
  private final AtomicLong clockMillis;

  ScriptRun(Script script, RehearsedNode node, ScriptedOrigins origins, AtomicLong clockMillis) {
    this.script = script;
    this.node = node;
    this.origins = origins;
    this.clockMillis = clockMillis;
  }

  List<StepResult> run() {
    List<StepResult> results = new ArrayList<>();
    for (Step step : script.steps()) {
      results.add(take(step));
    }
    return results;
  }

  private StepResult take(Step step) {
    clockMillis.addAndGet(step.after().toMillis());
    origins.begin(step.answer().isEmpty() ? script.answer() : step.answer(), answersByOrigin(step));
    StepChecker checks = new StepChecker(step);
    String did = "";
    Step.Purge purge = step.purge();
    Step.Request request = step.request();
    if (purge != null) {
      did = "purge " + purge.order();
      try {
        node.purge(purge);
      } catch (CommandException refused) {
        checks.fail(purge.place(), "purge", "done", CommandException.reason(refused));
      }
    }
    if (request != null) {
      did = send(step, request, checks);
    }
    checks.asked(origins.requests(), origins.unanswered());
    return new StepResult(step.name(), step.place().line(), did, checks.mismatches());
  }

  /** An answer of a step, for all origins, goes before those of the script for one. */
  private Map<String, List<ScriptedAnswer>> answersByOrigin(Step step) {
    if (!step.answer().isEmpty()) {
      return step.answers();
    }
    Map<String, List<ScriptedAnswer>> merged = new LinkedHashMap<>(script.answers());
    // An answer of an origin goes before what the script says of one of its servers.
    merged
        .keySet()
        .removeIf(
            key -> step.answers().keySet().stream().anyMatch(own -> key.startsWith(own + "/")));
    merged.putAll(step.answers());
    return merged;
  }

  private String send(Step step, Step.Request request, StepChecker checks) {
    String url =
        request.method()
            + " "
            + request.url().scheme()
            + "://"
            + request.url().authority()
            + request.url().target();
    String came = "";
    // The first response that is not as expected is enough.
    for (int i = 0; i < step.repeat() && checks.mismatches().isEmpty(); i++) {
      String which =
          step.repeat() == 1 ? "" : " (request " + (i + 1) + " of " + step.repeat() + ")";
      try {
        Observed observed = node.send(request);
        JsonNode log = observed.log();
        came =
            " -> "
                + observed.reply().status()
                + " "
                + log.path("cache").asString("")
                + " ("
                + log.path("reason").asString("")
                + ")"
                + which;
        checks.response(observed.reply(), log);
      } catch (UnsendableException wrong) {
        checks.fail(
            request.place(),
            "request",
            "a request that can be sent",
            String.valueOf(wrong.getMessage()));
      } catch (IOException broken) {
        checks.fail(request.place(), "request", "a response", broken + which);
      }
    }
    return url + came;
  }
}
