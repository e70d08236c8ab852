package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.vcl.VclExpression.Amount;
import io.forebay.cli.importer.vcl.VclExpression.Binary;
import io.forebay.cli.importer.vcl.VclExpression.Name;
import io.forebay.cli.importer.vcl.VclStatement.Assign;
import io.forebay.cli.importer.vcl.VclStatement.If;
import io.forebay.cli.importer.vcl.VclStatement.Invoke;
import io.forebay.cli.importer.vcl.VclStatement.Return;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Turns a program in VCL into a route with rules, and its backends into origins. */
public final class VclImport {
  private final ImportReport report;
  private final ConfigDraft draft;
  private final VclProgram program;
  private final BackendImport backends;
  private final VclContext context;

  private VclImport(ImportReport report, ConfigDraft draft, VclProgram program) {
    this.report = report;
    this.draft = draft;
    this.program = program;
    backends = new BackendImport(report, draft, program);
    context = new VclContext(report, program, backends);
  }

  /**
   * Reads a file and what it includes.
   *
   * @param directory what relative names of includes begin at
   * @throws ImportException where it is no VCL
   */
  public static void read(Path file, Path directory, ImportReport report, ConfigDraft draft)
      throws ImportException {
    Set<Directive> missing = new LinkedHashSet<>();
    VclProgram program = VclParser.parse(file, directory, missing);
    missing.forEach(each -> report.left(each, "there is no such file"));
    new VclImport(report, draft, program).run();
    report.closeWith(program.directives(), "there is nothing like it");
  }

  private void run() {
    declarations(program.directives());
    backends.init(program.sub("vcl_init"));
    HashImport keys = new HashImport(context);
    keys.prepare(program.sub("vcl_hash"), 0);
    PurgeImport purges = new PurgeImport(context);
    new ReceiveImport(context, purges, new SynthImport(context)).run(program.sub("vcl_recv"));
    keys.run(program.sub("vcl_hash"), false, 0);
    new ResponseImport(context).run();
    errors(program.sub("vcl_backend_error"));
    fixed();
    context.rules().settleHost(report);
    route(purges);
    backends.unused();
    unreached();
  }

  private void declarations(List<Directive> all) {
    for (Directive each : all) {
      switch (each.name()) {
        case "vcl", "import" -> report.unneeded(each, "nothing of it has to be configured");
        case "include" -> {
          if (!report.knows(each)) {
            report.taken(each);
          }
        }
        case "sub" -> {
          report.taken(each);
          declarations(each.block());
        }
        default -> declarations(each.block());
      }
    }
  }

  private void route(PurgeImport purges) {
    Map<String, Object> route = new LinkedHashMap<>();
    String backend = backends.defaultName();
    if (backend == null) {
      return;
    }
    Object origin = context.rules().route().get("origin");
    try {
      route.put("origin", origin == null ? backends.origin(backend) : origin);
    } catch (UntranslatableException e) {
      return;
    }
    // What Varnish does unless it is told otherwise.
    route.put("default-ttl", "2m");
    Map<String, Object> ofErrors = new LinkedHashMap<>();
    ofErrors.put("404", "2m");
    ofErrors.put("410", "2m");
    route.put("negative-ttl", ofErrors);
    route.put("heuristic", "false");
    route.put("stale-while-revalidate", "10s");
    route.put("stale-if-error", "10s");
    route.put("client-invalidation", "false");
    route.put("compress", "off");
    route.putAll(context.rules().route());
    Map<String, Object> key = context.rules().key();
    if ("ignore".equals(key.get("query"))) {
      key.remove("strip");
    }
    boolean isByCookie = key.getOrDefault("headers", "").toString().contains("Cookie");
    if (isByCookie) {
      // What is stored depends on them, so they are not ignored.
      key.remove("ignore-headers");
      key.remove("cookies");
    }
    if (!key.isEmpty()) {
      route.put("key", key);
    }
    if (!context.rules().rules().isEmpty()) {
      route.put("rules", context.rules().rules());
    }
    draft.route(route);
    draft.share("compress");
    if (!purges.networks().isEmpty()) {
      draft.setting("purge", Map.of("from", purges.networks()));
    }
  }

  /** Subs in which VCL can change what is fixed here. */
  private void fixed() {
    for (String name :
        List.of("vcl_hit", "vcl_miss", "vcl_pass", "vcl_pipe", "vcl_purge", "vcl_fini")) {
      fixed(program.sub(name), name);
    }
  }

  private void fixed(List<VclStatement> statements, String sub) {
    for (VclStatement statement : statements) {
      switch (statement) {
        case Return returned when isDefault(returned, sub) ->
            report.unneeded(returned.of(), "it is done in any case");
        case Assign assign when sub.equals("vcl_pipe") ->
            report.unneeded(assign.of(), "upgraded connections are tunnels: see upgrade");
        case If all when sub.equals("vcl_hit") || sub.equals("vcl_pipe") ->
            all.branches()
                .forEach(branch -> {
                  report.adapted(
                      branch.of(),
                      sub.equals("vcl_hit")
                          ? "differs: stale-while-revalidate and stale-if-error say when"
                          : "differs: upgraded connections are tunnels, others requests");
                  fixed(branch.body(), sub);
                });
        default -> {
          for (Directive each : directives(statement)) {
            report.allLeft(each, "what happens in " + sub + " is fixed");
          }
        }
      }
    }
  }

  private static List<Directive> directives(VclStatement statement) {
    return statement instanceof If all
        ? all.branches().stream().map(VclStatement.Branch::of).toList()
        : List.of(statement.of());
  }

  private static boolean isDefault(Return returned, String sub) {
    return switch (sub) {
      case "vcl_hit" -> Set.of("deliver", "fetch", "miss", "pass").contains(returned.action());
      case "vcl_miss", "vcl_pass" -> returned.action().equals("fetch");
      case "vcl_pipe" -> returned.action().equals("pipe");
      case "vcl_fini" -> returned.action().equals("ok");
      case "vcl_purge" ->
          returned.action().equals("synth")
              && !returned.arguments().isEmpty()
              && returned.arguments().getFirst().equals(new Amount("200"));
      default -> false;
    };
  }

  /** The page for clients while no backend answers. */
  private void errors(List<VclStatement> statements) {
    String type = "text/html; charset=utf-8";
    String text = null;
    for (VclStatement statement : statements) {
      Directive of = statement.of();
      try {
        switch (statement) {
          case Assign assign when assign.target().equalsIgnoreCase("beresp.http.content-type") -> {
            type = VclNames.constant(assign.value());
            report.taken(of);
          }
          case Assign assign when assign.target().equalsIgnoreCase("beresp.body") -> {
            text = page(assign.value());
            report.adapted(of, "differs: the status is 502, 503 or 504");
          }
          case Assign assign when assign.target().equalsIgnoreCase("beresp.http.retry-after") ->
              report.unneeded(of, "the node says when to come back where it knows it");
          case Invoke invoke when invoke.call().name().equals("synthetic") -> {
            text = page(invoke.call().argument(0));
            report.adapted(of, "differs: the status is 502, 503 or 504");
          }
          case Return returned when returned.action().equals("deliver") -> report.taken(of);
          default -> {
            for (Directive each : directives(statement)) {
              report.allLeft(each, "pages of errors have a type and a text");
            }
          }
        }
      } catch (UntranslatableException e) {
        report.left(of, e.reason());
      }
    }
    if (text != null) {
      Map<String, Object> page = new LinkedHashMap<>();
      page.put("type", type);
      page.put("text", text);
      context.rules().route().put("error-pages", Map.of("502-504", page));
    }
  }

  private static String page(VclExpression text) throws UntranslatableException {
    return switch (text) {
      case Name(String name) ->
          switch (name.toLowerCase(Locale.ROOT)) {
            case "beresp.status" -> "$status";
            case "beresp.reason" -> "$reason";
            case "bereq.xid" -> "$request_id";
            case "bereq.url" -> "$uri";
            case "bereq.http.host" -> "$host";
            default -> throw new UntranslatableException("pages have no variable for " + name);
          };
      case Binary(String operator, VclExpression left, VclExpression right)
          when operator.equals("+") ->
          page(left) + page(right);
      default -> VclNames.constant(text);
    };
  }

  /** Statements of subs that no request gets to. */
  private void unreached() {
    Set<String> entered =
        Set.of(
            "vcl_recv",
            "vcl_hash",
            "vcl_backend_fetch",
            "vcl_backend_response",
            "vcl_deliver",
            "vcl_init");
    for (Directive each : program.directives()) {
      if (each.name().equals("sub") && !entered.contains(each.argument(0))) {
        unreached(each.block());
      } else if (each.name().matches("acl|probe") && !report.knows(each)) {
        report.allUnneeded(each, "nothing refers to it");
      }
    }
  }

  private void unreached(List<Directive> block) {
    for (Directive each : block) {
      if (!report.knows(each)) {
        report.allUnneeded(each, "no request gets here");
      } else {
        unreached(each.block());
      }
    }
  }
}
