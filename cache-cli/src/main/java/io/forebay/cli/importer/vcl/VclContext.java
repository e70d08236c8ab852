package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.vcl.VclStatement.Branch;
import io.forebay.cli.importer.vcl.VclStatement.If;
import io.forebay.cli.importer.vcl.VclStatement.Return;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What the imports of all subs share. */
final class VclContext {
  private final ImportReport report;
  private final VclProgram program;
  private final RequestState request = new RequestState();
  private final RuleList rules = new RuleList();
  private final AclImport acls;
  private final BackendImport backends;

  /** Fields that {@code vcl_hash} has in the key. */
  private final Set<String> hashed = new LinkedHashSet<>();

  VclContext(ImportReport report, VclProgram program, BackendImport backends) {
    this.report = report;
    this.program = program;
    this.backends = backends;
    acls = new AclImport(report, program.acls());
  }

  ImportReport report() {
    return report;
  }

  VclProgram program() {
    return program;
  }

  RequestState request() {
    return request;
  }

  RuleList rules() {
    return rules;
  }

  AclImport acls() {
    return acls;
  }

  BackendImport backends() {
    return backends;
  }

  Set<String> hashed() {
    return hashed;
  }

  ConditionImport conditions() {
    return new ConditionImport(acls, request, null);
  }

  /** A sub that handles a statement where a condition holds. */
  @FunctionalInterface
  interface Body {
    void run(Branch branch, Condition condition);
  }

  /**
   * Takes the branches of an {@code if} apart.
   *
   * @param path what holds where the statement stands
   * @param body gets each branch that some request can get to
   */
  void branches(If all, Condition path, Body body) {
    Condition none = Condition.always();
    String unknown = null;
    for (Branch branch : all.branches()) {
      if (unknown != null) {
        left(branch, "beside a condition that is not taken over: " + unknown);
        continue;
      }
      List<String> notes = new ArrayList<>();
      Condition own = Condition.always();
      VclExpression condition = branch.condition();
      if (condition != null) {
        try {
          own = conditions().of(condition, notes);
        } catch (UntranslatableException e) {
          unknown = e.reason();
          left(branch, unknown);
          continue;
        }
      }
      Condition here = path.and(none).and(own);
      if (here.isNever()) {
        report.allUnneeded(branch.of(), "no request gets here");
      } else {
        verdict(branch.of(), notes);
        body.run(branch, here);
      }
      none = none.and(Condition.not(own));
    }
  }

  private void left(Branch branch, String why) {
    boolean passes = passes(branch.body());
    report.allLeft(branch.of(), passes ? uncached(why) : why);
  }

  /**
   * Nothing is stored on the route, as a {@code return (pass)} is left; says so with the reason.
   */
  String uncached(String why) {
    rules.route().put("cache", "false");
    return why + "; so that nothing is stored that passed, the route has cache: false";
  }

  private static boolean passes(List<VclStatement> body) {
    return body.stream()
        .anyMatch(statement ->
            switch (statement) {
              case Return returned -> Set.of("pass", "pipe").contains(returned.action());
              case If all -> all.branches().stream().anyMatch(branch -> passes(branch.body()));
              default -> false;
            });
  }

  /** Taken, or adapted with what differs; unless there is a verdict already. */
  void verdict(Directive of, List<String> notes) {
    if (notes.isEmpty()) {
      if (!report.knows(of)) {
        report.taken(of);
      }
    } else {
      ConditionImport.distinct(notes).forEach(note -> report.adapted(of, note));
    }
  }
}
