package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.vcl.VclExpression.Amount;
import io.forebay.cli.importer.vcl.VclExpression.Binary;
import io.forebay.cli.importer.vcl.VclExpression.Name;
import io.forebay.cli.importer.vcl.VclStatement.Branch;
import io.forebay.cli.importer.vcl.VclStatement.CallSub;
import io.forebay.cli.importer.vcl.VclStatement.If;
import io.forebay.cli.importer.vcl.VclStatement.Invoke;
import io.forebay.cli.importer.vcl.VclStatement.Return;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What VCL does with the methods PURGE and BAN: a list of networks that may purge. */
final class PurgeImport {
  private static final int MAX_CALLS = 16;
  private static final String WHAT = "differs: what is purged is in ADMIN.md, Purges by request";
  private static final String OPEN = "everybody may purge here: list networks under purge.from";

  private final VclContext context;
  private final ImportReport report;
  private final Set<String> networks = new LinkedHashSet<>();

  PurgeImport(VclContext context) {
    this.context = context;
    report = context.report();
  }

  /** Whether only purges get there. */
  static boolean isPurge(Condition condition) {
    return condition.parts().stream()
        .anyMatch(part ->
            part instanceof Condition.OnMethod(Set<String> methods)
                && RuleList.PURGES.containsAll(methods));
  }

  /** The networks whose clients may purge. */
  List<String> networks() {
    return List.copyOf(networks);
  }

  /** The statements that only purges get to. */
  void take(Branch branch, Condition condition) {
    Set<String> acls = new LinkedHashSet<>();
    acls(branch.condition(), acls);
    acls(branch.body(), acls, 0);
    boolean isOpen = acls.isEmpty();
    for (String acl : acls) {
      try {
        networks.addAll(context.acls().networks(acl));
      } catch (UntranslatableException e) {
        report.left(branch.of(), e.reason());
      }
    }
    for (Condition part : condition.parts()) {
      if (isOpen
          && part instanceof Condition.OnRequest one
          && one.key().equals("client")
          && one.value() instanceof List<?> list) {
        list.forEach(network -> networks.add(String.valueOf(network)));
        isOpen = false;
      }
    }
    body(branch.body(), isOpen, 0);
  }

  /** The ACLs that statements ask for. */
  private void acls(List<VclStatement> statements, Set<String> into, int depth) {
    for (VclStatement statement : statements) {
      switch (statement) {
        case If all ->
            all.branches()
                .forEach(branch -> {
                  acls(branch.condition(), into);
                  acls(branch.body(), into, depth + 1);
                });
        case CallSub call when depth < MAX_CALLS ->
            acls(context.program().sub(call.name()), into, depth + 1);
        default -> {}
      }
    }
  }

  private static void acls(@Nullable VclExpression expression, Set<String> into) {
    switch (expression) {
      case Binary(String operator, VclExpression left, VclExpression right) -> {
        if (operator.endsWith("~")
            && left.isName("client.ip")
            && right instanceof Name(String acl)) {
          into.add(acl);
        } else {
          acls(left, into);
          acls(right, into);
        }
      }
      case VclExpression.Not(VclExpression inner) -> acls(inner, into);
      case null, default -> {}
    }
  }

  private void body(List<VclStatement> statements, boolean isOpen, int depth) {
    for (VclStatement statement : statements) {
      switch (statement) {
        case If all -> {
          for (Branch branch : all.branches()) {
            Set<String> own = new LinkedHashSet<>();
            acls(branch.condition(), own);
            if (own.isEmpty() && branch.condition() != null) {
              report.adapted(branch.of(), WHAT);
            } else {
              report.taken(branch.of());
            }
            body(branch.body(), isOpen, depth + 1);
          }
        }
        case Return returned -> returned(returned, isOpen);
        case CallSub call -> {
          report.taken(call.of());
          if (depth < MAX_CALLS) {
            body(context.program().sub(call.name()), isOpen, depth + 1);
          }
        }
        case Invoke invoke when isOpen && invoke.call().name().matches("ban|purge") ->
            report.left(invoke.of(), OPEN);
        case Invoke invoke when invoke.call().name().equals("purge") -> report.taken(invoke.of());
        default -> report.adapted(statement.of(), WHAT);
      }
    }
  }

  private void returned(Return of, boolean isOpen) {
    switch (of.action()) {
      case "purge", "lookup", "hash" -> {
        if (isOpen) {
          report.left(of.of(), OPEN);
        } else {
          report.taken(of.of());
        }
      }
      case "synth" -> {
        boolean isFirst = !of.arguments().isEmpty() && of.arguments().getFirst() instanceof Amount;
        String status = isFirst ? ((Amount) of.arguments().getFirst()).value() : "";
        if (status.equals("405") || status.equals("200")) {
          report.taken(of.of());
        } else {
          report.adapted(of.of(), "differs: 405 for who may not purge, 200 for a purge");
        }
      }
      default -> report.adapted(of.of(), "differs: who may not purge gets 405");
    }
  }
}
