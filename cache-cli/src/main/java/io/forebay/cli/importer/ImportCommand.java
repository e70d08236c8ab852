package io.forebay.cli.importer;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.ImportReport.Item;
import io.forebay.cli.importer.model.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Turns the configuration of another server into one of this node. */
@Command(
    name = "import",
    header = "Turn the configuration of another server into one of this node.",
    sortOptions = false,
    description = {
      "",
      "Prints the configuration on standard output, and on standard error what became of each"
          + " directive: adapted (nearly the same, and what differs) or left (not taken over)."
          + " Check the result with 'config check'.",
      "",
      "Exit code: 0 if nothing was left, 3 if something was.",
      ""
    })
public final class ImportCommand implements Callable<Integer> {
  /** Directories whose files nginx includes by names that begin one level above. */
  private static final Set<String> PARTS =
      Set.of("sites-available", "sites-enabled", "conf.d", "http.d");

  @Parameters(
      paramLabel = "FILE",
      description = "Configuration of another server, such as nginx.conf.")
  private Path file = Path.of("");

  @Option(
      names = "--from",
      paramLabel = "FORMAT",
      description = "Format of FILE; default: what its name tells, else nginx.")
  private @Nullable String from;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Write the configuration to a new file.")
  private @Nullable Path output;

  @Option(
      names = "--prefix",
      paramLabel = "DIR",
      description = "Where relative names of includes begin; default: the directory of FILE.")
  private @Nullable Path prefix;

  @Option(names = "--all", description = "Report all directives, also those that were taken.")
  private boolean isAll;

  @Mixin private final CommonOptions common = new CommonOptions();

  public ImportCommand() {}

  private record Result(
      String configuration, long taken, long adapted, long unneeded, long left, List<Item> items) {}

  @Override
  public Integer call() {
    ImportReport report = new ImportReport();
    ConfigDraft draft = new ConfigDraft();
    try {
      format().read(file, directory(), report, draft);
    } catch (ImportException e) {
      throw new CommandException(ExitCode.FAILURE, e.problem());
    }
    String yaml = draft.isEmpty() ? "" : draft.yaml();
    Output to = common.output();
    Path target = output;
    if (target != null) {
      write(target, yaml);
    } else if (!to.isJson()) {
      to.raw(yaml);
    }
    to.json(
        new Result(
            yaml,
            report.count(Verdict.TAKEN),
            report.count(Verdict.ADAPTED),
            report.count(Verdict.UNNEEDED),
            report.count(Verdict.LEFT),
            report.items()));
    if (!to.isJson()) {
      print(report, to);
    }
    if (draft.isEmpty()) {
      throw new CommandException(ExitCode.FAILURE, file + ": nothing in it can be served");
    }
    return report.count(Verdict.LEFT) == 0 ? ExitCode.OK : ExitCode.PARTIAL;
  }

  private ImportFormat format() {
    String name = from;
    if (name == null) {
      return ImportFormat.of(file);
    }
    ImportFormat named = ImportFormat.named(name);
    if (named == null) {
      throw new CommandException(
          ExitCode.USAGE, "--from " + name + ": the formats are " + ImportFormat.names());
    }
    return named;
  }

  private Path directory() {
    if (prefix != null) {
      return prefix;
    }
    Path parent = file.toAbsolutePath().normalize().getParent();
    if (parent == null) {
      return file.toAbsolutePath();
    }
    Path name = parent.getFileName();
    Path above = parent.getParent();
    return name != null && above != null && PARTS.contains(name.toString()) ? above : parent;
  }

  private static void write(Path target, String yaml) {
    try {
      // What is there was perhaps written by hand.
      Files.writeString(
          target,
          yaml,
          java.nio.file.StandardOpenOption.CREATE_NEW,
          java.nio.file.StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.FAILURE, "cannot write " + target + ": " + e.getMessage());
    }
  }

  private void print(ImportReport report, Output to) {
    for (Item item : report.items()) {
      boolean isShown =
          isAll || item.verdict() == Verdict.ADAPTED || item.verdict() == Verdict.LEFT;
      if (isShown) {
        to.note(
            "%-8s %s:%d: %s%s"
                .formatted(
                    item.verdict(),
                    item.file(),
                    item.line(),
                    item.directive(),
                    item.text().isEmpty() ? "" : " (" + item.text() + ")"));
      }
    }
    to.note(
        "%d taken, %d adapted, %d unneeded, %d left"
            .formatted(
                report.count(Verdict.TAKEN),
                report.count(Verdict.ADAPTED),
                report.count(Verdict.UNNEEDED),
                report.count(Verdict.LEFT)));
  }
}
