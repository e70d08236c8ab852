package io.forebay.e2e.imported;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.importer.caddy.CaddyImport;
import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.nginx.NginxImport;
import io.forebay.cli.importer.trafficserver.TrafficServerImport;
import io.forebay.cli.importer.vcl.VclImport;
import io.forebay.e2e.Tools;
import io.forebay.e2e.imported.Answer.Request;
import io.forebay.e2e.imported.Loopback.Entrance;
import io.forebay.e2e.imported.RealFiles.RealFile;
import io.forebay.server.StartException;
import io.forebay.testing.Commands;
import io.forebay.testing.Directories;
import io.forebay.testing.PathOrigin;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real files, each with its own program beside what an import makes of it: what differs stands in
 * the report of the import. {@code -Dtest.real-files=TEXT} runs those whose name has the text, and
 * prints them.
 */
@Tag("full")
final class RealFilesIT {
  private static final Duration CHECK_LIMIT = Duration.ofMinutes(1);

  @TempDir private Path directory;

  private final String chosen = System.getProperty("test.real-files", "");
  private final List<String> failures = new ArrayList<>();
  private final List<String> notRun = new ArrayList<>();
  private int run;
  private int requests;
  private int named;

  /** What turns a text into a site that runs here. */
  @FunctionalInterface
  private interface Preparation {
    Site of(String text, Loopback loopback, Path program) throws Exception;
  }

  /** What reads a file. */
  @FunctionalInterface
  private interface Reader {
    void read(Path file, Path directory, ImportReport report, ConfigDraft draft)
        throws ImportException;
  }

  @Test
  void filesOfNginx() throws Exception {
    compare("nginx", "nginx", NginxSite::of, NginxImport::read, 30);
  }

  @Test
  void filesOfCaddy() throws Exception {
    compare("caddy", "caddy", CaddySite::of, CaddyImport::read, 70);
  }

  @Test
  void filesOfTrafficServer() throws Exception {
    compare("trafficserver", "traffic_server", RemapSite::of, TrafficServerImport::read, 12);
  }

  @Test
  void filesOfVarnish() throws Exception {
    compare("varnish", "varnishd", VclSite::of, VclImport::read, 3);
  }

  private void compare(
      String place, String command, Preparation preparation, Reader reader, int atLeast)
      throws Exception {
    Path program = Tools.require(command);
    Tools.requireFiles(RealFiles.PLACE.resolve(place), ".ci/real-files");
    List<RealFile> files =
        RealFiles.of(place).stream().filter(file -> file.name().contains(chosen)).toList();
    List<PathOrigin> origins = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        origins.add(EchoOrigin.start());
      }
      int number = 0;
      for (RealFile file : files) {
        long begin = System.nanoTime();
        Path home = Files.createDirectories(directory.resolve(place + "-" + number++));
        Loopback loopback = new Loopback(home, origins);
        try {
          Site site = preparation.of(file.text(), loopback, program);
          compare(file, site, command, loopback, reader);
        } catch (NotRunException e) {
          notRun.add(file.name() + ": " + e.getMessage());
        }
        long millis = (System.nanoTime() - begin) / 1_000_000;
        if (millis > 5_000) {
          System.out.println(file.name() + " took " + millis + " ms");
        }
        if (chosen.isEmpty()) {
          Directories.delete(home);
        }
      }
    } finally {
      for (PathOrigin origin : origins) {
        origin.close();
      }
    }
    System.out.printf(
        "%s: %d files, %d beside their program with %d requests, of which the report names %d"
            + " differences; %d not run%n",
        place, files.size(), run, requests, named, notRun.size());
    notRun.forEach(each -> System.out.println("  not run: " + each));
    assertTrue(failures.isEmpty(), () -> failures.size() + ":\n" + String.join("\n", failures));
    assertTrue(!chosen.isEmpty() || run >= atLeast, () -> run + " files ran");
  }

  /** A file has no two sides to compare. */
  private static final class NotRunException extends Exception {
    private static final long serialVersionUID = 1L;

    NotRunException(String message) {
      super(message);
    }
  }

  private void compare(RealFile file, Site site, String command, Loopback loopback, Reader reader)
      throws Exception {
    String text = Files.readString(site.file(), StandardCharsets.ISO_8859_1);
    ImportReport report = new ImportReport();
    ConfigDraft draft = new ConfigDraft();
    if (!site.check().isEmpty()) {
      Commands.Finished checked = Commands.run(CHECK_LIMIT, site.check());
      if (checked.exit() != 0) {
        throw new NotRunException(
            command + " refuses it: " + reason(checked.err() + checked.out()));
      }
    }
    try {
      reader.read(site.file(), site.directory(), report, draft);
    } catch (ImportException e) {
      throw new NotRunException("the import refuses it: " + e.problem());
    }
    if (draft.isEmpty()) {
      throw new NotRunException("nothing in it can be served");
    }
    if (loopback.entrances().isEmpty()) {
      throw new NotRunException("it listens nowhere");
    }
    RequestTable table = RequestTable.of(file.text(), loopback.entrances());
    List<Map<String, String>> before;
    int port = loopback.entrances().getFirst().port();
    try (ServerUnderImport server =
        ServerUnderImport.start(
            command,
            loopback.entrances().stream().map(Entrance::port).toList(),
            loopback.home(),
            site.run())) {
      before = new ArrayList<>();
      for (Request request : table.requests()) {
        Map<String, String> answer = Answer.of(request, table.fields());
        if (Answer.LIMIT.equals(answer.get("status"))) {
          throw new NotRunException(command + " does not answer " + request);
        }
        before.add(answer);
      }
    } catch (AssertionError e) {
      throw new NotRunException(
          command + " does not start: " + reason(String.valueOf(e.getMessage())));
    }
    String yaml = draft.yaml();
    List<Map<String, String>> after;
    try (ImportedNode node = ImportedNode.start(loopback.home().resolve("edge"), yaml, port)) {
      after = answers(table);
    } catch (StartException e) {
      failures.add(file.name() + ": the import does not load: " + e.lines() + "\n" + yaml);
      return;
    }
    run++;
    NamedDifferences differences =
        new NamedDifferences(site.file().getFileName().toString(), text, report);
    for (int i = 0; i < before.size(); i++) {
      requests++;
      Request request = table.requests().get(i);
      if (before.get(i).equals(after.get(i))) {
        continue;
      }
      List<String> unnamed = differences.unnamed(request, before.get(i), after.get(i));
      if (unnamed.isEmpty()) {
        named++;
      } else {
        failures.add(
            "%s: %s: %s%n  %s %s%n  forebay %s"
                .formatted(file.name(), request, unnamed, command, before.get(i), after.get(i)));
      }
    }
    if (!chosen.isEmpty()) {
      System.out.println(text + "\n" + yaml + "\n" + report.items());
    }
  }

  private static List<Map<String, String>> answers(RequestTable table) {
    return table.requests().stream().map(request -> Answer.of(request, table.fields())).toList();
  }

  private static String reason(String said) {
    List<String> lines = said.lines().filter(each -> !each.isBlank()).toList();
    String line =
        lines.reversed().stream()
            .filter(each -> each.matches("(?i).*\\b(emerg|error|fatal|message from)\\b.*"))
            .findFirst()
            .orElse(lines.isEmpty() ? "" : lines.getLast());
    return line.substring(0, Math.min(250, line.length()));
  }
}
