package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** {@code handle_errors} as error pages, where it responds with a text. */
final class ErrorHandlers {
  private static final Pattern STATUS = Pattern.compile("\\{(http\\.error|err)\\.status_code}");
  private static final Pattern REASON = Pattern.compile("\\{(http\\.error|err)\\.status_text}");

  private final ImportReport report;

  ErrorHandlers(ImportReport report) {
    this.report = report;
  }

  /** Adds the pages of a site to the settings of its routes. */
  void add(Directive site, Map<String, Object> settings) {
    Map<String, Object> pages = new LinkedHashMap<>();
    for (Directive each : site.block()) {
      if (each.name().equals("handle_errors")) {
        pages(each, pages);
      }
    }
    if (!pages.isEmpty()) {
      settings.put("error-pages", pages);
    }
  }

  private void pages(Directive of, Map<String, Object> pages) {
    List<Directive> block =
        of.block().stream().filter(each -> !each.name().equals("import")).toList();
    if (block.size() != 1
        || !block.getFirst().name().equals("respond")
        || block.getFirst().hasBlock()) {
      report.allLeft(of, "use error-pages: a text or a file for each status");
      return;
    }
    Directive respond = block.getFirst();
    int skipped = respond.argument(0).equals("*") ? 1 : 0;
    String text = respond.argument(skipped);
    boolean keepsStatus =
        respond.arguments().size() == skipped + 1
            || STATUS.matcher(respond.argument(skipped + 1)).matches();
    String page =
        REASON.matcher(STATUS.matcher(text).replaceAll("\\$status")).replaceAll("\\$reason");
    if (!keepsStatus
        || Placeholders.has(page)
        || text.startsWith("@")
        || text.startsWith("/")
        || text.matches("\\d{3}")) {
      report.allLeft(of, "a page has no other placeholders, and keeps the status");
      return;
    }
    List<String> statuses = of.arguments().isEmpty() ? List.of("4xx", "5xx") : of.arguments();
    for (String status : statuses) {
      if (!status.matches("[45](xx|\\d\\d)")) {
        report.allLeft(of, status + " is no error");
        return;
      }
    }
    for (String status : statuses) {
      Map<String, Object> whole = new LinkedHashMap<>();
      whole.put("text", page);
      pages.put(status, whole);
    }
    report.adapted(of, "for errors of the node; for those of origins too: from: [edge, origin]");
    report.taken(respond);
  }
}
