package io.forebay.cli.warm;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.ByteSizes;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.Terminal;
import io.forebay.cli.warm.WarmProgress.Count;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/**
 * Has a running node fetch the URLs that it has not cached, and reports the result for each URL.
 */
@Command(
    name = "warm",
    header = "Load URLs into the cache before clients request them.",
    sortOptions = false,
    description = {
      "",
      "The running node fetches what is missing; this command sends it the URLs and reports.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 all URLs are cached, 3 some are not, 1 none is.",
      "",
      "Examples:",
      "  forebay warm --follow http://www.example.com/live/master.m3u8",
      "  forebay warm --file urls.txt --state urls.done --report warm.json",
      "  forebay warm --sitemap http://www.example.com/sitemap.xml --rate 50",
      "  forebay warm --access-log access.log.1.gz --since 1d --top 5000",
      "  forebay warm --from-node http://10.0.0.2:8081 --from-token-file token"
    })
public final class WarmCommand implements Callable<Integer> {
  /** What one job gets: the API takes bodies of up to 1 MiB. */
  private static final int JOB_URLS = 500;

  private static final int JOB_CHARACTERS = 400_000;
  private static final long POLL_NANOS = 250_000_000L;

  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();
  @Mixin private final WarmSources sources = new WarmSources();

  @Parameters(
      paramLabel = "URL",
      arity = "0..*",
      description = "URLs as clients request them; '-' reads them from standard input.")
  private List<String> urls = new ArrayList<>();

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "File with one URL per line; '-' for standard input.")
  private List<String> files = new ArrayList<>();

  @Option(
      names = "--sitemap",
      paramLabel = "URL",
      description = "Sitemap or sitemap index whose entries to warm.")
  private List<String> sitemaps = new ArrayList<>();

  @Option(
      names = "--follow",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description = "Follow HLS playlists and DASH manifests to their segments; the default.")
  private boolean isFollowing;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      defaultValue = "8",
      description = "Maximum number of concurrent fetches; default 8.")
  private int concurrency;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Maximum number of fetches started per second; default no limit.")
  private @Nullable Integer rate;

  @Option(
      names = "--state",
      paramLabel = "FILE",
      description = "File that records cached URLs; a repeated run skips them.")
  private @Nullable Path stateFile;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "File that receives the outcome of every URL as JSON.")
  private @Nullable Path reportFile;

  // Everything below counts over all jobs of the run.
  private final List<JsonNode> results = new ArrayList<>();
  private long skipped;
  private long done;
  private long failed;
  private long hits;
  private long leftOut;
  private long bytes;

  public WarmCommand() {}

  @Override
  public Integer call() throws IOException {
    Output output = common.output();
    checkOptions();
    long from = System.nanoTime();
    CommandException broken = null;
    try (AdminClient client = admin.client();
        WarmState state = stateFile == null ? WarmState.none() : WarmState.open(stateFile);
        WarmProgress progress = progress(output)) {
      List<WarmOrder> orders = orders(state);
      if (orders.isEmpty() && skipped == 0 && sources.isEmpty()) {
        throw new ParameterException(
            common.spec.commandLine(),
            "nothing to warm: name a URL, --file, --sitemap, --access-log or --from-node");
      }
      long waiting = orders.stream().mapToLong(WarmOrder::size).sum();
      for (WarmOrder order : orders) {
        waiting -= order.size();
        run(client, order, state, progress, waiting);
      }
    } catch (CommandException refused) {
      if (done == 0) {
        throw refused;
      }
      broken = refused;
    }
    Summary summary =
        new Summary(
            done - failed,
            hits,
            failed,
            skipped,
            leftOut,
            bytes,
            (System.nanoTime() - from) / 1_000_000);
    if (reportFile != null) {
      writeReport(reportFile, summary);
    }
    int code = report(output, summary);
    if (broken != null) {
      throw new CommandException(ExitCode.PARTIAL, "not finished: " + broken.getMessage(), broken);
    }
    return code;
  }

  /** The body of one job. */
  private record WarmOrder(
      List<String> urls,
      List<String> sitemaps,
      boolean follow,
      int concurrency,
      @Nullable Integer ratePerSecond) {

    int size() {
      return urls.size() + sitemaps.size();
    }
  }

  /** How the run went. */
  private record Summary(
      long warmed,
      long alreadyWarm,
      long failed,
      long skipped,
      long leftOut,
      long bytes,
      long tookMillis) {}

  private void checkOptions() {
    if (concurrency < 1 || concurrency > 64) {
      throw new ParameterException(
          common.spec.commandLine(), "--concurrency must be between 1 and 64");
    }
    if (rate != null && rate < 1) {
      throw new ParameterException(common.spec.commandLine(), "--rate must be 1 or more");
    }
  }

  private WarmProgress progress(Output output) {
    if (output.isJson()) {
      return WarmProgress.none();
    }
    return Terminal.isError()
        ? WarmProgress.bar(common.spec.commandLine().getErr())
        : WarmProgress.lines(common.spec.commandLine().getErr(), System::nanoTime);
  }

  private List<WarmOrder> orders(WarmState state) throws IOException {
    List<WarmOrder> orders = new ArrayList<>();
    for (String sitemap : sitemaps) {
      orders.add(order(List.of(), List.of(UrlList.checked(sitemap, "--sitemap"))));
    }
    List<String> batch = new ArrayList<>();
    int characters = 0;
    for (String url : listed().urls()) {
      if (state.isWarmed(url)) {
        skipped++;
        continue;
      }
      if (batch.size() == JOB_URLS || characters + url.length() > JOB_CHARACTERS) {
        orders.add(order(batch, List.of()));
        batch = new ArrayList<>();
        characters = 0;
      }
      batch.add(url);
      characters += url.length();
    }
    if (!batch.isEmpty()) {
      orders.add(order(batch, List.of()));
    }
    return orders;
  }

  private UrlList listed() throws IOException {
    UrlList list = new UrlList();
    for (String url : urls) {
      if (url.equals("-")) {
        addInput(list);
      } else {
        list.add(url, "argument");
      }
    }
    for (String file : files) {
      if (file.equals("-")) {
        addInput(list);
      } else {
        try (BufferedReader lines =
            Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
          list.addLines(lines, file);
        } catch (IOException unreadable) {
          throw new CommandException(
              ExitCode.USAGE,
              "--file " + file + ": " + reason(Path.of(file), unreadable),
              unreadable);
        }
      }
    }
    sources.addTo(list, common.output());
    if (urls.isEmpty()
        && files.isEmpty()
        && sitemaps.isEmpty()
        && sources.isEmpty()
        && !Terminal.isInput()) {
      addInput(list);
    }
    return list;
  }

  private static String reason(Path file, IOException unreadable) {
    if (unreadable instanceof NoSuchFileException) {
      return "no such file; give a file with one URL a line, or - for standard input";
    }
    if (Files.isDirectory(file)) {
      return "is a directory; give a file with one URL a line";
    }
    return unreadable instanceof AccessDeniedException
        ? "permission denied; let this user read it"
        : "cannot be read: " + CommandException.reason(unreadable);
  }

  private static void addInput(UrlList list) throws IOException {
    list.addLines(
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)), "stdin");
  }

  private WarmOrder order(List<String> batch, List<String> maps) {
    return new WarmOrder(batch, maps, isFollowing, concurrency, rate);
  }

  /** Runs one job to its end; what it answers is counted and remembered as it comes. */
  private void run(
      AdminClient client, WarmOrder order, WarmState state, WarmProgress progress, long waiting) {
    WarmJob job = WarmJob.start(client, order);
    // The node would go on without us: Ctrl-C means that it should not.
    Thread cancel = new Thread(job::cancel, "cancel");
    Runtime.getRuntime().addShutdownHook(cancel);
    try {
      follow(job, new Inputs(order), state, progress, waiting);
    } finally {
      Runtime.getRuntime().removeShutdownHook(cancel);
    }
  }

  private void follow(
      WarmJob job, Inputs inputs, WarmState state, WarmProgress progress, long waiting) {
    long doneBefore = done;
    while (true) {
      for (JsonNode result : job.poll()) {
        count(result, inputs, state);
      }
      if (job.isOver()) {
        inputs.settled().forEach(state::add);
      }
      state.flush();
      progress.show(
          new Count(done, failed, Math.max(job.found() + doneBefore, done) + waiting, bytes));
      if (job.isOver()) {
        leftOut += job.leftOut();
        return;
      }
      if (!job.isMore()) {
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  private void count(JsonNode result, Inputs inputs, WarmState state) {
    done++;
    hits += WarmJob.isHit(result) ? 1 : 0;
    bytes += result.path("bytes").asLong(0);
    String url = result.path("url").asString("");
    boolean isWarm = WarmJob.isWarm(result);
    if (!isWarm) {
      failed++;
    }
    if (!inputs.isHeldBack(url, isWarm) && isWarm) {
      state.add(url);
    }
    results.add(result);
  }

  /**
   * What a job was given. While playlists are followed, any of it may lead to more, and remembering
   * it before all that is in would have the next run skip what was left: so it is held back until
   * the job is over, and for good when something it led to failed.
   */
  private static final class Inputs {
    private final Set<String> given;
    private final List<String> warm = new ArrayList<>();
    private boolean isIncomplete;

    Inputs(WarmOrder order) {
      given = order.follow() ? Set.copyOf(order.urls()) : Set.of();
    }

    boolean isHeldBack(String url, boolean isWarm) {
      boolean isGiven = given.contains(url);
      if (isGiven && isWarm) {
        warm.add(url);
      }
      isIncomplete |= !isGiven && !isWarm;
      return isGiven;
    }

    List<String> settled() {
      return isIncomplete ? List.of() : warm;
    }
  }

  private void writeReport(Path file, Summary summary) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("summary", summary);
    report.put("results", results);
    try {
      Files.write(file, Output.mapper().writeValueAsBytes(report));
    } catch (IOException | UncheckedIOException unwritable) {
      throw new CommandException(
          ExitCode.FAILURE, "report " + file + " cannot be written: " + unwritable, unwritable);
    }
  }

  private int report(Output output, Summary summary) {
    output.json(summary);
    output.line(
        "%d warm (%d already cached), %d failed, %d skipped, %s in %.1f s"
            .formatted(
                summary.warmed(),
                summary.alreadyWarm(),
                summary.failed(),
                summary.skipped(),
                ByteSizes.text(summary.bytes()),
                summary.tookMillis() / 1000.0));
    if (summary.leftOut() > 0) {
      output.note(
          "forebay: "
              + summary.leftOut()
              + " more URLs were found than a job accepts; run the command again");
    }
    if (summary.failed() == 0) {
      return summary.leftOut() == 0 ? ExitCode.OK : ExitCode.PARTIAL;
    }
    results.stream()
        .filter(result -> !WarmJob.isWarm(result))
        .limit(10)
        .forEach(result -> output.note("forebay: " + WarmJob.describe(result)));
    if (summary.failed() > 10) {
      output.note("forebay: and " + (summary.failed() - 10) + " more; --report FILE lists all");
    }
    return summary.warmed() + summary.skipped() > 0 ? ExitCode.PARTIAL : ExitCode.FAILURE;
  }
}
