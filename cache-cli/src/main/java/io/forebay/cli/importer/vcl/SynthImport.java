package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.EditableFields;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.vcl.VclExpression.Amount;
import io.forebay.cli.importer.vcl.VclExpression.Binary;
import io.forebay.cli.importer.vcl.VclExpression.Call;
import io.forebay.cli.importer.vcl.VclExpression.Name;
import io.forebay.cli.importer.vcl.VclStatement.Assign;
import io.forebay.cli.importer.vcl.VclStatement.Branch;
import io.forebay.cli.importer.vcl.VclStatement.CallSub;
import io.forebay.cli.importer.vcl.VclStatement.If;
import io.forebay.cli.importer.vcl.VclStatement.Invoke;
import io.forebay.cli.importer.vcl.VclStatement.Return;
import io.forebay.cli.importer.vcl.VclStatement.Unset;
import io.forebay.server.rule.Template;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code return (synth(STATUS, REASON))} as an answer of a rule. What {@code vcl_synth} makes of it
 * is found by running its statements for that status: so redirects by way of a status such as 750
 * become redirects.
 */
final class SynthImport {
  private static final int MAX_WAYS = 16;
  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

  private final VclContext context;
  private final ImportReport report;

  SynthImport(VclContext context) {
    this.context = context;
    report = context.report();
  }

  /** An answer that is being made. */
  private static final class Answer {
    private Condition condition = Condition.always();
    private int status;
    private VclExpression reason = new VclExpression.Text("");
    private final Map<String, VclExpression> fields = new LinkedHashMap<>();
    private @Nullable VclExpression body;
    private boolean isDone;

    Answer copy(Condition also) {
      Answer copy = new Answer();
      copy.condition = condition.and(also);
      copy.status = status;
      copy.reason = reason;
      copy.fields.putAll(fields);
      copy.body = body;
      copy.isDone = isDone;
      return copy;
    }
  }

  /**
   * Adds the rules of an answer.
   *
   * @param path what leads to the statement
   * @param when the condition of the rules
   */
  void answer(Return of, Condition path, Condition when) throws UntranslatableException {
    Answer answer = new Answer();
    VclExpression status = of.arguments().isEmpty() ? new Amount("") : of.arguments().getFirst();
    if (!(status instanceof Amount(String number)) || !number.matches("\\d{3}")) {
      throw new UntranslatableException("a status that is not fixed");
    }
    answer.status = Integer.parseInt(number);
    if (of.arguments().size() > 1) {
      answer.reason = substituted(of.arguments().get(1), answer, path);
    }
    List<String> notes = new ArrayList<>();
    List<Answer> answers = run(context.program().sub("vcl_synth"), List.of(answer), path, notes, 0);
    if (context.program().subs().containsKey("vcl_error")) {
      answers = run(context.program().sub("vcl_error"), answers, path, notes, 0);
    }
    for (Answer one : answers) {
      add(one, path, when, notes);
    }
    context.verdict(of.of(), notes);
  }

  // --- vcl_synth --------------------------------------------------------------------------------

  private List<Answer> run(
      List<VclStatement> statements,
      List<Answer> answers,
      Condition path,
      List<String> notes,
      int depth)
      throws UntranslatableException {
    List<Answer> all = answers;
    for (VclStatement statement : statements) {
      List<Answer> next = new ArrayList<>();
      for (Answer answer : all) {
        if (answer.isDone) {
          next.add(answer);
        } else if (statement instanceof If conditional) {
          next.addAll(conditional(conditional, answer, path, notes, depth));
        } else if (statement instanceof CallSub call && depth < 16) {
          report.taken(call.of());
          next.addAll(
              run(context.program().sub(call.name()), List.of(answer), path, notes, depth + 1));
        } else {
          step(statement, answer, path);
          next.add(answer);
        }
      }
      if (next.size() > MAX_WAYS) {
        throw new UntranslatableException("vcl_synth has more than " + MAX_WAYS + " ways for it");
      }
      all = next;
    }
    return all;
  }

  private List<Answer> conditional(
      If all, Answer answer, Condition path, List<String> notes, int depth)
      throws UntranslatableException {
    List<Answer> next = new ArrayList<>();
    Condition none = Condition.always();
    for (Branch branch : all.branches()) {
      Condition own = Condition.always();
      VclExpression condition = branch.condition();
      if (condition != null) {
        List<String> differs = new ArrayList<>();
        try {
          own = context.conditions().withStatus(answer.status).of(condition, differs);
        } catch (UntranslatableException e) {
          report.allLeft(branch.of(), e.reason());
          throw new UntranslatableException("vcl_synth: " + e.reason());
        }
        if (!own.isNever()) {
          context.verdict(branch.of(), differs);
        }
      } else {
        report.taken(branch.of());
      }
      Condition here = none.and(own);
      if (!path.and(here).isNever()) {
        next.addAll(
            run(branch.body(), List.of(answer.copy(here)), path.and(here), notes, depth + 1));
      }
      none = none.and(Condition.not(own));
    }
    if (!path.and(none).isNever()) {
      next.add(answer.copy(none));
    }
    return next;
  }

  private void step(VclStatement statement, Answer answer, Condition path)
      throws UntranslatableException {
    Directive of = statement.of();
    switch (statement) {
      case Assign assign -> {
        VclExpression value = substituted(assign.value(), answer, path);
        switch (assign.target().toLowerCase(Locale.ROOT)) {
          case "resp.status" -> {
            if (!(value instanceof Amount(String number)) || !number.matches("\\d{3}")) {
              throw new UntranslatableException("a status that is not fixed");
            }
            answer.status = Integer.parseInt(number);
          }
          case "resp.reason" -> answer.reason = value;
          case "resp.body" -> answer.body = value;
          default -> {
            if (!VclNames.isResponseField(assign.target())) {
              report.left(of, "nothing that an answer has");
              return;
            }
            answer.fields.put(VclNames.field(assign.target()), value);
          }
        }
        report.taken(of);
      }
      case Unset unset -> {
        answer.fields.remove(VclNames.field(unset.target()));
        report.taken(of);
      }
      case Invoke invoke when invoke.call().name().equals("synthetic") -> {
        answer.body = substituted(invoke.call().argument(0), answer, path);
        report.taken(of);
      }
      case Invoke invoke when invoke.call().name().matches("std\\.(log|syslog)") ->
          report.unneeded(of, "only for the log of Varnish");
      case Return returned when returned.action().equals("deliver") -> {
        answer.isDone = true;
        report.taken(of);
      }
      default -> {
        report.left(of, "nothing that an answer has");
        if (statement instanceof Return) {
          throw new UntranslatableException("vcl_synth ends with " + of.text());
        }
      }
    }
  }

  /** An expression without what the answer says itself. */
  private VclExpression substituted(VclExpression of, Answer answer, Condition path) {
    return switch (of) {
      case Name(String name) -> {
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.equals("resp.reason")) {
          yield answer.reason;
        }
        if (lower.equals("resp.status")) {
          yield new Amount(String.valueOf(answer.status));
        }
        if (VclNames.isResponseField(name)) {
          yield answer.fields.getOrDefault(VclNames.field(name), new VclExpression.Text(""));
        }
        yield VclNames.isRequestField(name)
            ? context.request().resolved(VclNames.field(name), path)
            : of;
      }
      case Binary(String operator, VclExpression left, VclExpression right) ->
          new Binary(operator, substituted(left, answer, path), substituted(right, answer, path));
      case Call(String name, List<VclExpression> arguments)
          when name.equals("std.integer") && !arguments.isEmpty() ->
          substituted(arguments.getFirst(), answer, path);
      case Call(String name, List<VclExpression> arguments) ->
          new Call(name, arguments.stream().map(one -> substituted(one, answer, path)).toList());
      default -> of;
    };
  }

  // --- rules ------------------------------------------------------------------------------------

  private void add(Answer answer, Condition path, Condition when, List<String> notes)
      throws UntranslatableException {
    Condition all = when.and(answer.condition);
    if (all.isNever()) {
      return;
    }
    String location = "";
    Map<String, VclExpression> fields = new LinkedHashMap<>();
    for (Map.Entry<String, VclExpression> field : answer.fields.entrySet()) {
      if (field.getKey().equalsIgnoreCase("location")) {
        location = field.getKey();
      } else {
        fields.put(field.getKey(), field.getValue());
      }
    }
    if (REDIRECTS.contains(answer.status)) {
      VclExpression target = answer.fields.get(location);
      if (target == null) {
        throw new UntranslatableException("a redirect without Location");
      }
      redirect(answer, target, fields, path.and(answer.condition), all);
    } else {
      content(answer, fields, path, all, notes);
    }
  }

  private void redirect(
      Answer answer,
      VclExpression target,
      Map<String, VclExpression> fields,
      Condition path,
      Condition all)
      throws UntranslatableException {
    TemplateImport.Made made = new TemplateImport(context.request(), path).of(target);
    checkTarget(made.text());
    context.rules().add(all, made.condition(), actions(answer, made.text(), fields, path));
    String expression = made.expression();
    if (expression == null || isKnownToMatch(target, path)) {
      return;
    }
    // Where the expression is not found, regsub leaves the URL as it is.
    VclExpression whole = unchanged(target);
    TemplateImport.Made other = new TemplateImport(context.request(), path).of(whole);
    checkTarget(other.text());
    context
        .rules()
        .add(all.and(Condition.not(made.condition())), actions(answer, other.text(), fields, path));
  }

  /** Whether a condition before the answer says that the expression is found. */
  private static boolean isKnownToMatch(VclExpression target, Condition path) {
    return switch (target) {
      case Call(String _, List<VclExpression> arguments)
          when arguments.size() == 3
              && arguments.get(1) instanceof VclExpression.Text(String expression) -> {
        List<String> ignored = new ArrayList<>();
        try {
          yield path.parts().contains(UrlPatterns.found(expression, ignored));
        } catch (UntranslatableException e) {
          yield false;
        }
      }
      case Binary(String _, VclExpression left, VclExpression right) ->
          isKnownToMatch(left, path) || isKnownToMatch(right, path);
      default -> false;
    };
  }

  private static VclExpression unchanged(VclExpression target) {
    return switch (target) {
      case Call(String name, List<VclExpression> arguments) when name.matches("regsub(all)?") ->
          arguments.getFirst();
      case Binary(String operator, VclExpression left, VclExpression right) ->
          new Binary(operator, unchanged(left), unchanged(right));
      default -> target;
    };
  }

  private static void checkTarget(String target) throws UntranslatableException {
    boolean isSafe;
    try {
      isSafe = Template.of(target).isSafeTarget();
    } catch (IllegalArgumentException e) {
      isSafe = false;
    }
    if (!isSafe) {
      throw new UntranslatableException("a target whose host is not known for sure");
    }
  }

  private Map<String, Object> actions(
      Answer answer, String target, Map<String, VclExpression> fields, Condition path)
      throws UntranslatableException {
    Map<String, Object> redirect = new LinkedHashMap<>();
    redirect.put("to", target);
    redirect.put("status", String.valueOf(answer.status));
    Map<String, Object> actions = new LinkedHashMap<>();
    actions.put("redirect", redirect);
    fields(fields, path, actions);
    return actions;
  }

  private void fields(
      Map<String, VclExpression> fields, Condition path, Map<String, Object> actions)
      throws UntranslatableException {
    Map<String, Object> set = new LinkedHashMap<>();
    for (Map.Entry<String, VclExpression> field : fields.entrySet()) {
      String lower = field.getKey().toLowerCase(Locale.ROOT);
      if (lower.equals("content-type") || !EditableFields.inResponses(lower)) {
        continue;
      }
      TemplateImport.Made made = new TemplateImport(context.request(), path).of(field.getValue());
      if (made.expression() != null) {
        throw new UntranslatableException("a field with parts of the URL");
      }
      set.put(field.getKey(), made.text());
    }
    if (!set.isEmpty()) {
      actions.put("response-headers", Map.of("set", set));
    }
  }

  private void content(
      Answer answer,
      Map<String, VclExpression> fields,
      Condition path,
      Condition all,
      List<String> notes)
      throws UntranslatableException {
    int status = answer.status;
    if (status < 200 || status > 599 || Set.of(205, 206, 304).contains(status)) {
      throw new UntranslatableException("a status that rules do not answer with");
    }
    String type = "";
    for (Map.Entry<String, VclExpression> field : fields.entrySet()) {
      if (field.getKey().equalsIgnoreCase("content-type")) {
        type = VclNames.constant(field.getValue());
      }
    }
    String text = null;
    VclExpression body = answer.body;
    if (body != null) {
      try {
        text = VclNames.constant(body);
      } catch (UntranslatableException e) {
        notes.add("differs: a page of the node, because that of VCL is computed");
      }
    }
    Map<String, Object> actions = new LinkedHashMap<>();
    if (text == null && status >= 400) {
      actions.put("deny", String.valueOf(status));
    } else {
      Map<String, Object> respond = new LinkedHashMap<>();
      respond.put("status", String.valueOf(status));
      if (text == null) {
        text = VclNames.isConstant(answer.reason) ? VclNames.constant(answer.reason) : "";
        notes.add("differs: a plain text in place of the page of Varnish");
        type = "";
      }
      if (!text.isEmpty() && status != 204) {
        respond.put("type", type.isEmpty() ? "text/html; charset=utf-8" : type);
        respond.put("text", text);
      }
      actions.put("respond", respond);
    }
    fields(fields, path, actions);
    context.rules().add(all, actions);
  }
}
