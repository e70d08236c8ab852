package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Turns a Caddyfile into a configuration of this node. */
public final class CaddyImport {
  private CaddyImport() {}

  /**
   * Reads a file and what it imports.
   *
   * @param directory not used: names of files begin at the directory of the file that has them
   * @throws ImportException where it is no Caddyfile
   */
  public static void read(Path file, Path directory, ImportReport report, ConfigDraft draft)
      throws ImportException {
    CaddyfileParser.Content content = CaddyfileParser.parse(file, report, System::getenv);
    NodeDraft node = new NodeDraft(report);
    DirectiveOrder order = new DirectiveOrder();
    GlobalOptions options = new GlobalOptions(report, node, order);
    options.read(content.options());
    SiteListeners listeners = new SiteListeners(report, draft, node, options);
    SiteRoutes routes = new SiteRoutes(report, draft, options, listeners);
    MatcherReader matchers = new MatcherReader(report);
    for (Directive site : content.sites()) {
      List<SiteAddress> addresses = addresses(site, options, report);
      if (addresses.isEmpty()) {
        report.allLeft(site, "a site without an address that routes can have");
        continue;
      }
      report.taken(site);
      boolean isRefused = listeners.add(site, addresses);
      site.block().stream().filter(each -> each.name().equals("log")).forEach(node::log);
      String host = addresses.getFirst().host();
      HandlerChain.Site read =
          new HandlerChain(report, draft, node, order, matchers, host.isEmpty() ? "site" : host)
              .read(site.block());
      new ErrorHandlers(report).add(site, read.settings());
      if (isRefused) {
        read.rules().addFirst(Map.of("deny", "403"));
      }
      routes.add(site, addresses, read);
    }
    routes.emit();
    node.addTo(draft);
    unusedMatchers(content.sites(), report);
    report.closeWith(content.options(), "the node has no such setting");
    report.closeWith(content.sites(), "there is nothing like it");
  }

  private static List<SiteAddress> addresses(
      Directive site, GlobalOptions options, ImportReport report) {
    boolean hasTls =
        site.block().stream()
            .anyMatch(each -> each.name().equals("tls") && !each.argument(0).equals("off"));
    List<String> texts = new ArrayList<>(List.of(site.name()));
    texts.addAll(site.arguments());
    List<SiteAddress> addresses = new ArrayList<>();
    for (String text : texts) {
      try {
        SiteAddress address = SiteAddress.of(text, options, hasTls);
        if (text.matches("(https?://)?\\*(:\\d+)?")) {
          report.adapted(site, "all hosts; there names without a dot");
        }
        if (!addresses.contains(address)) {
          addresses.add(address);
        }
      } catch (UntranslatableException e) {
        report.left(site, e.reason());
      }
    }
    return addresses;
  }

  private static void unusedMatchers(List<Directive> all, ImportReport report) {
    for (Directive each : all) {
      if (each.name().startsWith("@") && !report.knows(each)) {
        report.allUnneeded(each, "no statement names this matcher");
      }
      unusedMatchers(each.block(), report);
    }
  }
}
