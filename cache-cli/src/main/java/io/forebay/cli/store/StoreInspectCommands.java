package io.forebay.cli.store;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.ByteSizes;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** The read-only commands that inspect stored objects. */
final class StoreInspectCommands {
  private StoreInspectCommands() {}

  /** What stands before the command belongs to another one and would be ignored here. */
  private static Output begin(CommonOptions common) {
    CommandLine above = common.spec.commandLine().getParent();
    if (above != null
        && (!above.getParseResult().matchedOptions().isEmpty()
            || !above.getParseResult().matchedPositionals().isEmpty())) {
      throw new CommandException(
          ExitCode.USAGE,
          "options belong after the command: forebay store " + common.spec.name() + " OPTIONS");
    }
    return common.output();
  }

  private static void notes(Output output, JsonNode answer) {
    answer.path("notes").forEach(note -> output.note("forebay: " + note.asString("")));
    if (answer.path("complete").isBoolean() && !answer.path("complete").asBoolean(true)) {
      output.note("forebay: the time limit was reached: not every region was read");
    }
  }

  /** Objects, one per line. */
  @Command(
      name = "ls",
      header = "List stored objects of a running or stopped node.",
      sortOptions = false,
      description = {"", "One line per object: state, size, age, location, URL and variant.", ""},
      footer = {
        "",
        "Examples:",
        "  forebay store ls www.example.com/live/",
        "  forebay store ls --limit 0 --json | jq .key",
        "  forebay store ls --data /var/lib/forebay --disk /mnt/nvme0/forebay"
      })
  static final class Ls implements Callable<Integer> {
    private static final int PAGE = 1_000;

    @Mixin private final CommonOptions common = new CommonOptions();
    @Mixin private final StoreOptions store = new StoreOptions();

    @Parameters(
        index = "0",
        arity = "0..1",
        paramLabel = "PREFIX",
        defaultValue = "",
        description = "Prefix of the URL, with or without its scheme; default all objects.")
    private String prefix = "";

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "1000",
        description = "Maximum number of objects; 0 means all. Default 1000.")
    private long limit;

    Ls() {}

    @Override
    public Integer call() {
      if (limit < 0) {
        throw new CommandException(ExitCode.USAGE, "--limit must be 0 or more");
      }
      Output output = begin(common);
      int width = Terminal.isOutput() ? Terminal.width() : Integer.MAX_VALUE;
      long left = limit == 0 ? Long.MAX_VALUE : limit;
      long shown = 0;
      try (StoreSource view = store.open()) {
        String cursor = null;
        while (true) {
          JsonNode page = view.list(prefix, (int) Math.min(left, PAGE), cursor);
          if (shown == 0 && cursor == null) {
            notes(output, page);
          }
          for (JsonNode object : page.path("objects")) {
            output.json(object);
            output.line(StoreScreen.line(output, object, width));
            shown++;
            left--;
          }
          cursor = page.path("next").asString(null);
          if (cursor == null) {
            break;
          }
          if (left == 0) {
            output.note("forebay: " + shown + " shown, there may be more: --limit 0 shows all");
            break;
          }
        }
        if (shown == 0) {
          output.line(prefix.isEmpty() ? "nothing is stored" : "nothing is stored under " + prefix);
        }
      }
      return ExitCode.OK;
    }
  }

  /** One URL. */
  @Command(
      name = "show",
      header = "Show what is stored under a URL, and why a request would be a hit or not.",
      sortOptions = false,
      description = {
        "",
        "A running node looks up the keys that its routes produce. For a stopped node, the command"
            + " searches the text of the keys for the URL and applies the default rules.",
        ""
      },
      footer = {"", "Example:", "  forebay store show http://www.example.com/index.html"})
  static final class Show implements Callable<Integer> {
    @Mixin private final CommonOptions common = new CommonOptions();
    @Mixin private final StoreOptions store = new StoreOptions();

    @Parameters(index = "0", paramLabel = "URL", description = "URL, as clients request it.")
    private String url = "";

    Show() {}

    @Override
    public Integer call() {
      Output output = begin(common);
      try (StoreSource view = store.open()) {
        JsonNode answer = view.object(url);
        output.json(answer);
        notes(output, answer);
        StoreScreen.show(output, answer).forEach(output::line);
      }
      return ExitCode.OK;
    }
  }

  /** Figures. */
  @Command(
      name = "stat",
      header = "Count stored objects by segment, disk, size, age and host.",
      sortOptions = false,
      footer = {"", "Example:", "  forebay store stat"})
  static final class Stat implements Callable<Integer> {
    @Mixin private final CommonOptions common = new CommonOptions();
    @Mixin private final StoreOptions store = new StoreOptions();

    Stat() {}

    @Override
    public Integer call() {
      Output output = begin(common);
      try (StoreSource view = store.open()) {
        JsonNode answer = view.stat();
        output.json(answer);
        notes(output, answer);
        StoreScreen.stat(output, answer).forEach(output::line);
      }
      return ExitCode.OK;
    }
  }

  /** The regions, drawn. */
  @Command(
      name = "map",
      header =
          "Draw the regions of memory and disks: how full they are, and how much was requested.",
      sortOptions = false,
      description = {
        "",
        "A cell is a region, or several if the terminal is narrow. Its height is the share of live"
            + " bytes, its colour the share of live bytes that was requested. The youngest region"
            + " of each segment is on the left.",
        ""
      },
      footer = {"", "Example:", "  forebay store map"})
  static final class RegionMap implements Callable<Integer> {
    @Mixin private final CommonOptions common = new CommonOptions();
    @Mixin private final StoreOptions store = new StoreOptions();

    RegionMap() {}

    @Override
    public Integer call() {
      Output output = begin(common);
      try (StoreSource view = store.open()) {
        JsonNode answer = view.map();
        output.json(answer);
        notes(output, answer);
        RegionMapScreen screen =
            new RegionMapScreen(Terminal.width(), output.isColoured(), Terminal.canDrawBlocks());
        screen.lines(answer).forEach(output::line);
      }
      return ExitCode.OK;
    }
  }

  /** Every checksum. */
  @Command(
      name = "verify",
      header = "Read every stored record and verify its checksum.",
      sortOptions = false,
      description = {
        "",
        "A running node continues to serve; a bad record becomes a miss. Files of a stopped node"
            + " are not changed.",
        ""
      },
      footer = {
        "",
        "Exit codes: 0 all records are intact, 1 a bad record was found, 3 no bad record was"
            + " found,",
        "but not every record could be read.",
        "",
        "Example:",
        "  forebay store verify --rate 100MiB"
      })
  static final class Verify implements Callable<Integer> {
    private static final long POLL_NANOS = 200_000_000;

    @Mixin private final CommonOptions common = new CommonOptions();
    @Mixin private final StoreOptions store = new StoreOptions();

    @Option(
        names = "--rate",
        paramLabel = "SIZE",
        description =
            "Maximum bytes per second, such as 100MiB; 0 means no limit. Default 256MiB for a"
                + " running node, 0 for a stopped one.")
    private @Nullable String rate;

    @Option(names = "--cancel", description = "Stop the verification that a running node is doing.")
    private boolean isCancelling;

    Verify() {}

    @Override
    public Integer call() {
      Output output = begin(common);
      if (isCancelling) {
        return cancel(output);
      }
      Long bytesPerSecond = rate == null ? null : ByteSizes.parse(rate);
      try (StoreSource view = store.open()) {
        view.problems().forEach(problem -> output.note("forebay: " + problem));
        JsonNode status = view.verify(bytesPerSecond);
        boolean isWatched = !output.isJson() && Terminal.isError();
        try (VerifyProgress progress =
            isWatched ? VerifyProgress.bar(common.spec.commandLine().getErr()) : () -> {}) {
          while (status.path("state").asString("").equals("running")) {
            LockSupport.parkNanos(POLL_NANOS);
            status = view.verification();
            progress.show(status);
          }
        }
        return report(output, view, status);
      }
    }

    private int cancel(Output output) {
      if (store.isAtRest()) {
        throw new CommandException(ExitCode.USAGE, "--cancel is for a running node");
      }
      try (AdminClient client = store.client()) {
        JsonNode status = client.delete("/v1/store/verify");
        output.json(status);
        output.line("cancelled");
      }
      return ExitCode.OK;
    }

    private int report(Output output, StoreSource view, JsonNode status) {
      output.json(status);
      for (JsonNode flaw : status.path("flaws")) {
        output.line(StoreScreen.flaw(output, flaw));
      }
      long bad = status.path("bad").asLong(0);
      String state = status.path("state").asString("");
      output.line(
          String.format(
              Locale.ROOT,
              "%,d records, %s: %s%s",
              status.path("records").asLong(0),
              ByteSizes.text(status.path("checkedBytes").asLong(0)),
              bad == 0
                  ? output.good("all intact")
                  : output.bad(bad + " bad") + (store.isAtRest() ? "" : ", a miss from now on"),
              state.equals("done") ? "" : "; " + state + " before the end"));
      List<String> left = new ArrayList<>();
      if (!store.isAtRest()) {
        status.path("notes").forEach(note -> left.add(note.asString("")));
        left.forEach(note -> output.note("forebay: " + note));
      }
      if (state.equals("failed")) {
        throw new CommandException(
            ExitCode.FAILURE,
            "the verification ended early: " + status.path("failure").asString("unknown"));
      }
      if (bad > 0 || !view.problems().isEmpty()) {
        return ExitCode.FAILURE;
      }
      return state.equals("done") && left.isEmpty() ? ExitCode.OK : ExitCode.PARTIAL;
    }
  }
}
