package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.vcl.VclExpression.Call;
import io.forebay.cli.importer.vcl.VclExpression.Name;
import io.forebay.cli.importer.vcl.VclStatement.CallSub;
import io.forebay.cli.importer.vcl.VclStatement.If;
import io.forebay.cli.importer.vcl.VclStatement.Invoke;
import io.forebay.cli.importer.vcl.VclStatement.Return;
import java.util.List;
import java.util.Locale;

/** {@code vcl_hash} as the key of the route. */
final class HashImport {
  private final VclContext context;
  private final ImportReport report;

  HashImport(VclContext context) {
    this.context = context;
    report = context.report();
  }

  /** Notes which fields come into the key, before it is known what becomes of them. */
  void prepare(List<VclStatement> statements, int depth) {
    for (VclStatement statement : statements) {
      switch (statement) {
        case If all -> all.branches().forEach(branch -> prepare(branch.body(), depth + 1));
        case CallSub call when depth < 16 -> prepare(context.program().sub(call.name()), depth + 1);
        case Invoke invoke
            when invoke.call().name().equals("hash_data")
                && invoke.call().argument(0) instanceof Name(String name)
                && VclNames.isRequestField(name) ->
            context.hashed().add(VclNames.field(name).toLowerCase(Locale.ROOT));
        default -> {}
      }
    }
  }

  /** Takes the statements over. */
  void run(List<VclStatement> statements, boolean isConditional, int depth) {
    for (VclStatement statement : statements) {
      Directive of = statement.of();
      switch (statement) {
        case If all ->
            all.branches()
                .forEach(branch -> {
                  report.taken(branch.of());
                  boolean isOfHost =
                      branch.condition() == null
                          || branch.condition().isName("req.http.host")
                          || isOfOwn(branch);
                  run(branch.body(), isConditional || !isOfHost, depth + 1);
                });
        case CallSub call when depth < 16 -> {
          report.taken(of);
          run(context.program().sub(call.name()), isConditional, depth + 1);
        }
        case Invoke invoke when invoke.call().name().equals("hash_data") -> {
          try {
            data(invoke, isConditional);
          } catch (UntranslatableException e) {
            // What the key should tell apart must not be shared.
            context.rules().route().put("cache", "false");
            report.left(of, e.reason() + "; so that nothing is shared, the route has cache: false");
          }
        }
        case Return returned when List.of("lookup", "hash").contains(returned.action()) ->
            report.taken(of);
        default -> report.left(of, "keys have nothing like it");
      }
    }
  }

  /** Whether a branch has in the key what it asks for. */
  private static boolean isOfOwn(VclStatement.Branch branch) {
    return branch.body().size() == 1
        && branch.body().getFirst() instanceof Invoke invoke
        && invoke.call().argument(0).equals(branch.condition());
  }

  private void data(Invoke invoke, boolean isConditional) throws UntranslatableException {
    Directive of = invoke.of();
    VclExpression what = invoke.call().argument(0);
    RuleList rules = context.rules();
    List<String> notes =
        isConditional ? List.of("differs: in the keys of all requests") : List.of();
    switch (what) {
      case Name(String name)
          when List.of("req.url", "req.http.host", "server.ip", "local.ip")
              .contains(name.toLowerCase(Locale.ROOT)) ->
          report.taken(of);
      case Name(String name) when VclNames.isRequestField(name) -> {
        String field = VclNames.field(name);
        String lower = field.toLowerCase(Locale.ROOT);
        if (lower.equals("x-forwarded-proto") || lower.equals("x-forwarded-port")) {
          report.adapted(of, "differs: the scheme is in the key; see forwarding.trusted");
        } else if (lower.equals("accept-encoding")) {
          report.unneeded(of, "what clients accept is a part of each variant");
        } else if (lower.equals("cookie")) {
          rules.addToKey("headers", List.of("Cookie"));
          report.adapted(of, "differs: also in keys of requests whose cookies a rule removes");
        } else if (context.request().assignments(field).isEmpty() && !lower.equals("user-agent")) {
          rules.addToKey("headers", List.of(field));
          context.verdict(of, notes);
        } else if (lower.matches(".*(device|mobile|ua|agent).*")) {
          rules.key().put("device", "true");
          report.adapted(of, "differs: the classes are desktop, mobile, tablet and bot");
        } else {
          throw new UntranslatableException(
              "keys have fields as clients send them, and single cookies");
        }
      }
      case Call(String name, List<VclExpression> arguments)
          when name.matches("regsub(all)?")
              && arguments.size() == 3
              && arguments.getFirst().isName("req.http.cookie") -> {
        String cookie = CookiePatterns.captured(VclNames.constant(arguments.get(1)));
        if (cookie.isEmpty()) {
          throw new UntranslatableException("keys have single cookies");
        }
        rules.addToKey("cookies", List.of(cookie));
        context.verdict(of, notes);
      }
      case Call(String name, List<VclExpression> arguments)
          when name.equals("cookie.get") && !arguments.isEmpty() -> {
        rules.addToKey("cookies", List.of(VclNames.constant(arguments.getFirst())));
        context.verdict(of, notes);
      }
      default -> {
        if (!VclNames.isConstant(what)) {
          throw new UntranslatableException("keys have fields, cookies and parts of the URL");
        }
        report.unneeded(of, "the same for all requests");
      }
    }
  }
}
