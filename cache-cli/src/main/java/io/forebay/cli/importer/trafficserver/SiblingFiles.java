package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.SettingUnits;
import io.forebay.cli.importer.model.SourceFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Other files of the directory: stores, certificates, and those that are not taken over. */
final class SiblingFiles {
  private static final Map<String, String> LEFT =
      Map.of(
          "hosting.config", "use storage-classes of routes",
          "volume.config", "use storage-classes of routes",
          "plugin.config", "there is no such plugin",
          "splitdns.config", "the node asks the resolver of the system",
          "socks.config", "origins have an HTTP proxy: origins.NAME.proxy");

  private static final Map<String, String> NOT_READ =
      Map.of(
          "ip_allow.yaml", "not read: use access of a protection, and purge.from",
          "sni.yaml", "not read: use certificates.NAME",
          "strategies.yaml", "not read: use origins.NAME.servers and fallback");

  private final Path directory;
  private final ImportReport report;
  private final ConfigDraft draft;
  private final List<Directive> all = new ArrayList<>();

  SiblingFiles(Path directory, ImportReport report, ConfigDraft draft) {
    this.directory = directory;
    this.report = report;
    this.draft = draft;
  }

  /** Takes over what is there; all its statements get a verdict. */
  List<Directive> read(Records records) throws ImportException {
    for (Directive each : lines("storage.config")) {
      store(each);
    }
    for (Directive each : lines("ssl_multicert.config")) {
      certificate(each, records);
    }
    for (Map.Entry<String, String> file : LEFT.entrySet()) {
      boolean isOff =
          file.getKey().equals("socks.config") && !records.isOn("socks.socks_needed", false);
      for (Directive each : lines(file.getKey())) {
        if (isOff) {
          report.unneeded(each, "proxy.config.socks.socks_needed is off");
        } else {
          report.left(each, file.getValue());
        }
      }
    }
    for (Map.Entry<String, String> file : NOT_READ.entrySet()) {
      notRead(file.getKey(), file.getValue());
    }
    return all;
  }

  private List<Directive> lines(String name) throws ImportException {
    Path file = directory.resolve(name);
    List<Directive> lines = Files.isRegularFile(file) ? LineReader.read(file) : List.of();
    all.addAll(lines);
    return lines;
  }

  private void notRead(String name, String why) throws ImportException {
    Path file = directory.resolve(name);
    if (!Files.isRegularFile(file)) {
      return;
    }
    int number = 0;
    for (String line : SourceFile.read(file).split("\n", -1)) {
      number++;
      String text = line.trim();
      if (!text.isEmpty() && !text.startsWith("#")) {
        Directive first = new Directive(file.toString(), number, name, List.of(), null);
        all.add(first);
        report.left(first, why);
        return;
      }
    }
  }

  private void store(Directive of) {
    String size = "";
    for (String argument : of.arguments()) {
      if (argument.matches("\\d+[KMGTkmgt]?")) {
        size = argument;
      }
    }
    long bytes = Records.bytes(size);
    if (bytes < 2 << 20) {
      report.left(of, "add a store with its size: the node stores in files, not on raw devices");
      return;
    }
    int number = all.indexOf(of) + 1;
    String name = "disk" + number;
    Map<String, Object> store = new LinkedHashMap<>();
    store.put("path", "/var/cache/forebay/" + name);
    store.put("size", SettingUnits.size(bytes));
    draft.store(name, store);
    report.adapted(of, "another directory, whose parent must exist");
  }

  private void certificate(Directive of, Records records) throws ImportException {
    Map<String, String> tags = LineReader.tags(of);
    String certificate = tags.get("ssl_cert_name");
    if (certificate == null || tags.containsKey("action")) {
      report.left(of, "a line without a certificate");
      return;
    }
    String[] chains = certificate.split(",", -1);
    String[] keys = tags.getOrDefault("ssl_key_name", certificate).split(",", -1);
    if (chains.length > 2 || keys.length != chains.length) {
      report.left(of, "a name has two certificates at most, each with its key");
      return;
    }
    Path ofChains = directory.resolve(records.text("ssl.server.cert.path", "."));
    Path ofKeys =
        directory.resolve(records.text("ssl.server.private_key.path", ofChains.toString()));
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("certificate", ofChains.resolve(chains[0]).normalize().toString());
    settings.put("key", ofKeys.resolve(keys[0]).normalize().toString());
    if (chains.length == 2) {
      Map<String, Object> second = new LinkedHashMap<>();
      second.put("certificate", ofChains.resolve(chains[1]).normalize().toString());
      second.put("key", ofKeys.resolve(keys[1]).normalize().toString());
      settings.put("second", second);
    }
    Path file = Path.of(chains[0]).getFileName();
    String name = ConfigDraft.nameOf(String.valueOf(file).replaceAll("\\.(pem|crt|cer)$", ""));
    draft.certificate(name, settings);
    boolean isDefault = tags.getOrDefault("dest_ip", "").equals("*");
    for (Map<String, Object> listener : draft.listeners()) {
      if (String.valueOf(listener.get("name")).startsWith("https-")) {
        if (isDefault) {
          listener.put("tls", Map.of("default", name));
        } else {
          listener.putIfAbsent("tls", Map.of("default", name));
        }
      }
    }
    boolean isWhole =
        tags.keySet().stream().allMatch(tag -> tag.matches("ssl_cert_name|ssl_key_name|dest_ip"))
            && (isDefault || !tags.containsKey("dest_ip"));
    if (isWhole) {
      report.taken(of);
    } else {
      report.adapted(of, "for the names in the certificate; without its other options");
    }
  }
}
