import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Writes a manual page for each command, from what the commands say of themselves, and the
 * completion for bash.
 *
 * <pre>java -cp forebay.jar packaging/ManPages.java VERSION EPOCH-SECONDS MAN-DIRECTORY COMPLETION-FILE</pre>
 */
final class ManPages {
  private final String version;
  private final LocalDate date;

  private ManPages(String version, LocalDate date) {
    this.version = version;
    this.date = date;
  }

  public static void main(String[] args) throws Exception {
    Method commands = Class.forName("io.forebay.cli.Forebay").getDeclaredMethod("commandLine");
    commands.setAccessible(true);
    CommandLine forebay = (CommandLine) commands.invoke(null);
    LocalDate date =
        java.time.Instant.ofEpochSecond(Long.parseLong(args[1]))
            .atZone(ZoneOffset.UTC)
            .toLocalDate();
    Path pages = Files.createDirectories(Path.of(args[2]));
    new ManPages(args[0], date).write(forebay, pages);
    Files.writeString(Path.of(args[3]), picocli.AutoComplete.bash("forebay", forebay));
  }

  private void write(CommandLine command, Path directory) throws IOException {
    CommandSpec spec = command.getCommandSpec();
    Files.writeString(directory.resolve(name(spec) + ".1"), page(spec));
    for (CommandLine sub : subcommands(spec)) {
      write(sub, directory);
    }
  }

  /** Without those that are hidden, and each once. */
  private static Set<CommandLine> subcommands(CommandSpec spec) {
    Set<CommandLine> all = new LinkedHashSet<>(spec.subcommands().values());
    all.removeIf(sub -> sub.getCommandSpec().usageMessage().hidden());
    return all;
  }

  private static String name(CommandSpec spec) {
    return spec.qualifiedName("-");
  }

  private String page(CommandSpec spec) {
    var usage = spec.usageMessage();
    StringBuilder page = new StringBuilder();
    page.append(".TH \"")
        .append(text(name(spec).toUpperCase(Locale.ROOT)))
        .append("\" \"1\" \"")
        .append(date)
        .append("\" \"Forebay ")
        .append(text(version))
        .append("\" \"User Commands\"\n.nh\n.ad l\n");
    List<String> about = new ArrayList<>(List.of(usage.header()));
    List<String> description = lines(usage.description());
    if (about.isEmpty() && !description.isEmpty()) {
      about.add(description.getFirst());
    }
    section(page, "NAME");
    page.append(text(name(spec)))
        .append(" \\- ")
        .append(text(plain(String.join(" ", about)).replaceAll("\\.$", "")))
        .append('\n');
    section(page, "SYNOPSIS");
    page.append(".B ").append(text(spec.qualifiedName())).append('\n');
    String synopsis =
        plain(new CommandLine.Help(spec, CommandLine.Help.defaultColorScheme(Ansi.OFF)).synopsis(0))
            .strip()
            .replaceFirst("^" + spec.qualifiedName(), "")
            .replaceAll("\\s+", " ");
    page.append(text(synopsis.strip())).append('\n');
    if (!description.isEmpty()) {
      section(page, "DESCRIPTION");
      paragraphs(page, description);
    }
    options(page, spec);
    if (!subcommands(spec).isEmpty()) {
      section(page, "COMMANDS");
      for (CommandLine sub : subcommands(spec)) {
        CommandSpec one = sub.getCommandSpec();
        List<String> what = new ArrayList<>(List.of(one.usageMessage().header()));
        if (what.isEmpty()) {
          what.addAll(lines(one.usageMessage().description()));
        }
        item(page, "\\fB" + text(one.qualifiedName()) + "\\fR", what);
      }
    }
    List<String> footer = lines(usage.footer());
    if (!footer.isEmpty()) {
      section(page, "NOTES");
      verbatim(page, footer);
    }
    Set<String> others = new TreeSet<>();
    CommandSpec parent = spec.parent() == null ? null : spec.parent();
    if (parent != null) {
      others.add(name(parent));
    }
    subcommands(spec).forEach(sub -> others.add(name(sub.getCommandSpec())));
    section(page, "SEE ALSO");
    page.append(
            String.join(
                ",\n", others.stream().map(other -> "\\fB" + text(other) + "\\fR(1)").toList()))
        .append("\n");
    return page.toString();
  }

  private static void options(StringBuilder page, CommandSpec spec) {
    List<PositionalParamSpec> positional =
        spec.positionalParameters().stream().filter(one -> !one.hidden()).toList();
    List<OptionSpec> options = spec.options().stream().filter(one -> !one.hidden()).toList();
    if (positional.isEmpty() && options.isEmpty()) {
      return;
    }
    section(page, "OPTIONS");
    for (PositionalParamSpec one : positional) {
      item(page, "\\fI" + text(one.paramLabel()) + "\\fR", lines(one.description()));
    }
    for (OptionSpec one : options) {
      String label = one.arity().max() > 0 ? "=\\fI" + text(one.paramLabel()) + "\\fR" : "";
      List<String> names = new ArrayList<>();
      for (String name : one.names()) {
        names.add("\\fB" + text(name) + "\\fR" + (name.startsWith("--") ? label : ""));
      }
      item(page, String.join(", ", names), lines(one.description()));
    }
  }

  private static void section(StringBuilder page, String title) {
    page.append(".SH \"").append(title).append("\"\n");
  }

  private static void item(StringBuilder page, String title, List<String> words) {
    page.append(".TP\n").append(title).append('\n');
    String all = plain(String.join(" ", words)).strip();
    page.append(text(all.isEmpty() ? "." : all)).append('\n');
  }

  /** An empty line ends a paragraph. */
  private static void paragraphs(StringBuilder page, List<String> lines) {
    for (String line : lines) {
      page.append(line.isBlank() ? ".PP" : text(plain(line))).append('\n');
    }
  }

  private static void verbatim(StringBuilder page, List<String> lines) {
    page.append(".nf\n");
    lines.forEach(line -> page.append(text(plain(line))).append('\n'));
    page.append(".fi\n");
  }

  /** Without empty lines at its ends. */
  private static List<String> lines(String[] texts) {
    List<String> lines = new ArrayList<>();
    for (String text : texts) {
      lines.addAll(List.of(text.split("\\R", -1)));
    }
    while (!lines.isEmpty() && lines.getFirst().isBlank()) {
      lines.removeFirst();
    }
    while (!lines.isEmpty() && lines.getLast().isBlank()) {
      lines.removeLast();
    }
    return lines;
  }

  /** Without picocli's markup. */
  private static String plain(String text) {
    return Ansi.OFF.string(text.replace("%n", "\n").replace("%%", "%"));
  }

  /** What would be a request or an escape is none. */
  private static String text(String text) {
    String escaped = text.replace("\\", "\\e").replace("-", "\\-");
    return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
  }
}
