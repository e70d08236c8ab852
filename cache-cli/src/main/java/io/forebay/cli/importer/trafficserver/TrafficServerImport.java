package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Turns a {@code remap.config} and the files beside it into a configuration of this node. */
public final class TrafficServerImport {
  private TrafficServerImport() {}

  /**
   * Reads a file, what it includes, and the other files of the directory.
   *
   * @param directory of the other files, and what names of files begin at
   * @throws ImportException where one is no file of Traffic Server
   */
  public static void read(Path file, Path directory, ImportReport report, ConfigDraft draft)
      throws ImportException {
    Records records = Records.of(directory);
    RemapReader remap = new RemapReader(directory, report, records);
    remap.read(file);
    NodeSettings node = new NodeSettings(report, draft);
    boolean hasTls = remap.rules().stream().anyMatch(rule -> rule.from().isTls());
    node.listeners(records, hasTls);
    SiblingFiles siblings = new SiblingFiles(directory, report, draft);
    PluginImport plugins = new PluginImport(directory, report);
    CacheControl cacheControl = new CacheControl(directory, report);
    ParentProxies parents = new ParentProxies(directory, report, draft);
    List<Directive> all = new ArrayList<>(siblings.read(records));
    new RouteAssembly(report, draft, records, node, plugins, cacheControl, parents, remap.rules())
        .add();
    withoutCertificates(report, draft, records, remap.rules());
    node.others(records);
    cacheControl.close();
    parents.close();
    all.addAll(remap.all());
    all.addAll(plugins.read());
    all.addAll(cacheControl.lines());
    all.addAll(parents.lines());
    all.addAll(records.all());
    report.closeWith(all, "there is nothing like it");
  }

  /** A listener with TLS needs a certificate; its name says where one goes. */
  private static void withoutCertificates(
      ImportReport report, ConfigDraft draft, Records records, List<RemapRule> remap) {
    for (Map<String, Object> listener : draft.listeners()) {
      boolean isTls = String.valueOf(listener.get("name")).startsWith("https-");
      if (isTls && !listener.containsKey("tls")) {
        listener.put(
            "tls",
            Map.of(
                "certificate",
                "/etc/forebay/tls/fullchain.pem",
                "key",
                "/etc/forebay/tls/key.pem"));
        Directive ports = records.find("http.server_ports");
        String text = "put a certificate where listen[].tls says";
        if (ports != null) {
          report.left(ports, text);
        } else {
          remap.stream()
              .filter(rule -> rule.from().isTls())
              .forEach(rule -> report.adapted(rule.of(), "a listener on 443: " + text));
        }
      }
    }
  }
}
