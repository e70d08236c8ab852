package io.forebay.cli.purge;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.ByteSizes;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.Terminal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Scanner;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Purges objects by URL, host, prefix, tag or pattern; returns once the purge is in force. */
@Command(
    name = "purge",
    header = "Purge cached objects durably.",
    sortOptions = false,
    description = {
      "",
      "When the command returns, the purge is on disk: no later request receives the objects, even"
          + " after a crash.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  forebay purge http://www.example.com/index.html",
      "  forebay purge --any-port --any-scheme http://www.example.com/index.html",
      "  forebay purge --tag article-17 --tag frontpage --soft",
      "  forebay purge --prefix http://www.example.com/live/",
      "  forebay purge --path '^/img/.*\\.png$' --on-host www.example.com --dry-run",
      "  forebay purge --header 'content-type: ^video/'",
      "  forebay purge --host www.example.com --older-than 6h --soft",
      "  forebay purge --all --stored-before 2026-01-01T00:00:00Z",
      "  forebay purge --status 4711",
      "  forebay purge --undo 4711",
      "  forebay purge @urls.txt          (one argument per line)"
    })
public final class PurgeCommand implements Callable<Integer> {
  /** What one request may hold: the API takes bodies of up to 1 MiB, an order at most 8 KiB. */
  private static final int ORDERS_PER_REQUEST = 100;

  private static final int DRY_RUNS_PER_REQUEST = 16;

  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Parameters(
      paramLabel = "URL",
      arity = "0..*",
      description = "Exact URLs, each with all its variants.")
  private List<String> urls = new ArrayList<>();

  @Option(names = "--any-port", description = "URLs on every port, with http and with https.")
  private boolean isAnyPort;

  @Option(names = "--any-scheme", description = "URLs with http and with https.")
  private boolean isAnyScheme;

  @Option(
      names = "--tag",
      paramLabel = "TAG",
      description = "Objects that carry this tag (Surrogate-Key, Cache-Tag, xkey).")
  private List<String> tags = new ArrayList<>();

  @Option(
      names = "--prefix",
      paramLabel = "URL",
      description = "Objects at or below this URL, by whole path segments.")
  private List<String> prefixes = new ArrayList<>();

  @Option(names = "--host", paramLabel = "HOST", description = "Objects of this host.")
  private List<String> hosts = new ArrayList<>();

  @Option(
      names = "--path",
      paramLabel = "REGEX",
      description = "Objects whose path contains a match of this expression (RE2 syntax).")
  private List<String> paths = new ArrayList<>();

  @Option(
      names = "--header",
      paramLabel = "NAME:REGEX",
      description = "Objects whose response field of this name contains a match of the expression.")
  private List<String> headers = new ArrayList<>();

  @Option(
      names = "--on-host",
      paramLabel = "HOST",
      description = "Limits --path and --header to this host.")
  private @Nullable String onHost;

  @Option(names = "--all", description = "All objects. On a terminal, asks for confirmation.")
  private boolean isEverything;

  @Option(
      names = "--soft",
      description = "Mark objects stale instead: served while the origin is revalidating or down.")
  private boolean isSoft;

  @Option(
      names = "--older-than",
      paramLabel = "AGE",
      description =
          "Of these, what was fetched or validated longer ago than this: 90s, 15m, 6h, 2d.")
  private @Nullable String olderThan;

  @Option(
      names = "--stored-before",
      paramLabel = "TIME",
      description = "The same by a time, as in 2026-01-01T00:00:00Z.")
  private @Nullable String storedBefore;

  @Option(
      names = "--wait",
      paramLabel = "NODES",
      description =
          "In a cluster, the nodes to wait for: self, group or all. As configured by default.")
  private @Nullable String wait;

  @Option(
      names = "--wait-most",
      paramLabel = "SECONDS",
      description = "For how long to wait for them. As configured by default.")
  private @Nullable Integer waitMost;

  @Option(
      names = "--dry-run",
      description = "Purge nothing; count the objects that would be purged.")
  private boolean isDryRun;

  @Option(
      names = "--status",
      paramLabel = "ID",
      description = "Purge nothing; show the state of an earlier purge.")
  private @Nullable String status;

  @Option(
      names = "--undo",
      paramLabel = "ID",
      description = "Take back a soft purge, within an hour. Hard purges are never undone.")
  private @Nullable String undo;

  @Option(names = "--latest", description = "Purge nothing; list the latest purges.")
  private boolean isLatest;

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask for confirmation.")
  private boolean isAgreed;

  public PurgeCommand() {}

  /** A pattern, as it is called in the API. */
  private record Pattern(@Nullable String path, @Nullable String header, @Nullable String host) {}

  /** The body of one request, and what it is called in the API. */
  private record Orders(
      List<String> urls,
      List<String> tags,
      List<String> prefixes,
      List<String> hosts,
      List<Pattern> patterns,
      boolean everything,
      boolean soft,
      boolean anyPort,
      boolean anyScheme,
      boolean dryRun,
      @Nullable String storedBefore,
      @Nullable String olderThan,
      @JsonProperty("wait") @Nullable String nodes,
      @Nullable Integer waitMillis) {

    int count() {
      return urls.size()
          + tags.size()
          + prefixes.size()
          + hosts.size()
          + patterns.size()
          + (everything ? 1 : 0);
    }
  }

  /** The body of an undo. */
  private record Undo(@JsonProperty("wait") @Nullable String nodes, @Nullable Integer waitMillis) {}

  private record Result(
      List<JsonNode> purges, int ordered, double tookMillis, List<JsonNode> cluster) {

    /** Whether some of it waits until the log can be written. */
    boolean isQueued() {
      return cluster.stream().anyMatch(one -> one.path("queued").asBoolean(false));
    }

    /** Whether all nodes of a cluster that were waited for have confirmed. */
    boolean isAcknowledged() {
      return cluster.stream().allMatch(one -> one.path("acknowledged").asBoolean(false));
    }
  }

  @Override
  public Integer call() {
    Output output = common.output();
    if (status != null || isLatest) {
      return look(output);
    }
    if (undo != null) {
      return undo(output, undo);
    }
    if (olderThan != null && storedBefore != null) {
      throw new ParameterException(
          common.spec.commandLine(),
          "--older-than and --stored-before say the same in two ways: give one");
    }
    if ((isAnyPort || isAnyScheme) && urls.isEmpty()) {
      throw new ParameterException(
          common.spec.commandLine(),
          "--any-port and --any-scheme are for URLs: name one; hosts and tags have all of them");
    }
    List<Orders> requests = requests();
    int ordered = requests.stream().mapToInt(Orders::count).sum();
    if (ordered == 0) {
      throw new ParameterException(
          common.spec.commandLine(),
          olderThan == null && storedBefore == null
              ? "nothing to purge: name a URL, --tag, --prefix, --host, --path, --header or --all"
              : "of what? Name a URL, --tag, --prefix, --host, --path or --header, or --all for"
                  + " all objects of that age");
    }
    if (isEverything && !isDryRun && !isAgreed && !isConfirmed()) {
      throw new CommandException(ExitCode.FAILURE, "nothing purged");
    }
    List<JsonNode> done = new ArrayList<>();
    List<JsonNode> receipts = new ArrayList<>();
    double tookMillis = 0;
    try (AdminClient client = admin.client()) {
      for (Orders orders : requests) {
        JsonNode answer = client.post("/v1/purge", orders);
        answer.path("purges").forEach(done::add);
        if (answer.path("cluster").isObject()) {
          receipts.add(answer.path("cluster"));
        }
        tookMillis += answer.path("tookMillis").asDouble(0);
      }
    } catch (CommandException refused) {
      if (done.isEmpty()) {
        throw refused;
      }
      report(output, new Result(done, ordered, tookMillis, receipts));
      throw new CommandException(
          ExitCode.PARTIAL,
          "purged " + done.size() + " of " + ordered + ", then: " + refused.getMessage(),
          refused);
    }
    Result result = new Result(done, ordered, tookMillis, receipts);
    report(output, result);
    return result.isAcknowledged() ? ExitCode.OK : ExitCode.PARTIAL;
  }

  private int undo(Output output, String id) {
    if (!id.matches("(c-)?[0-9]{1,18}")) {
      throw new ParameterException(
          common.spec.commandLine(), "--undo takes the id of a purge, such as 4711 or c-81217");
    }
    JsonNode answer;
    try (AdminClient client = admin.client()) {
      answer = client.post("/v1/purges/" + id + "/undo", new Undo(wait, waitMillis()));
    }
    output.json(answer);
    output.line(
        "undone     %s  %s"
            .formatted(
                id,
                output.faint(
                    "id %s, %.1f ms"
                        .formatted(
                            answer.path("id").asString("?"),
                            answer.path("tookMillis").asDouble(0)))));
    JsonNode cluster = answer.path("cluster");
    if (!cluster.isObject()) {
      output.line("the undo is on disk; objects are fresh again once memory is looked through");
      return ExitCode.OK;
    }
    receipt(output, cluster);
    boolean isAcknowledged = cluster.path("acknowledged").asBoolean(false);
    output.line(
        "the undo is in the log, %s"
            .formatted(isAcknowledged ? "applied by all nodes" : "not confirmed by all nodes"));
    return isAcknowledged ? ExitCode.OK : ExitCode.PARTIAL;
  }

  private @Nullable Integer waitMillis() {
    return waitMost == null ? null : Math.multiplyExact(waitMost, 1000);
  }

  /** What became of one purge, or of the latest. */
  private int look(Output output) {
    if (status != null && !status.matches("(c-)?[0-9]{1,18}")) {
      throw new ParameterException(
          common.spec.commandLine(), "--status takes the id of a purge, such as 4711 or c-81217");
    }
    JsonNode answer;
    try (AdminClient client = admin.client()) {
      answer = client.get(status == null ? "/v1/purges" : "/v1/purges/" + status);
    }
    output.json(answer);
    if (answer.path("cluster").isObject()) {
      output.line(answer.path("id").asString("?"));
      receipt(output, answer.path("cluster"));
      return answer.path("cluster").path("acknowledged").asBoolean(false)
          ? ExitCode.OK
          : ExitCode.PARTIAL;
    }
    if (status != null) {
      line(output, answer);
    } else {
      answer.path("purges").forEach(purge -> line(output, purge));
    }
    return ExitCode.OK;
  }

  private static void line(Output output, JsonNode purge) {
    output.line(
        "%-10s %s  %s"
            .formatted(
                purge.path("kind").asString("?"),
                purge.path("text").asString(""),
                output.faint(
                    "id %s, %s, %s, %s%s"
                        .formatted(
                            purge.path("id").asString("?"),
                            purge.path("at").asString(""),
                            hardness(purge),
                            purge.path("matched").isNumber()
                                ? matched(purge)
                                : "number of matches unknown",
                            isFinal(purge) ? "" : " so far"))));
  }

  private static String hardness(JsonNode purge) {
    if (purge.path("kind").asString("").equals("undo")) {
      return "undo";
    }
    if (purge.path("undoneBy").isNumber()) {
      return "soft, undone by " + purge.path("undoneBy").asLong();
    }
    return purge.path("soft").asBoolean(false) ? "soft" : "hard";
  }

  private static boolean isFinal(JsonNode purge) {
    return purge.path("swept").asBoolean(false) || !purge.path("matched").isNumber();
  }

  private static String matched(JsonNode purge) {
    return "matched %d objects, %s"
        .formatted(
            purge.path("matched").asLong(), ByteSizes.text(purge.path("matchedBytes").asLong(0)));
  }

  private List<Orders> requests() {
    List<Orders> requests = new ArrayList<>();
    List<String> none = List.of();
    batches(urls).forEach(b -> requests.add(orders(b, none, none, none, List.of(), false)));
    batches(tags).forEach(b -> requests.add(orders(none, b, none, none, List.of(), false)));
    batches(prefixes).forEach(b -> requests.add(orders(none, none, b, none, List.of(), false)));
    batches(hosts).forEach(b -> requests.add(orders(none, none, none, b, List.of(), false)));
    List<Pattern> patterns = new ArrayList<>();
    paths.forEach(path -> patterns.add(new Pattern(path, null, onHost)));
    headers.forEach(header -> patterns.add(new Pattern(null, header, onHost)));
    batches(patterns).forEach(b -> requests.add(orders(none, none, none, none, b, false)));
    if (isEverything) {
      requests.add(orders(none, none, none, none, List.of(), true));
    }
    return requests;
  }

  private Orders orders(
      List<String> someUrls,
      List<String> someTags,
      List<String> somePrefixes,
      List<String> someHosts,
      List<Pattern> patterns,
      boolean everything) {
    boolean isOfUrls = !someUrls.isEmpty();
    return new Orders(
        someUrls,
        someTags,
        somePrefixes,
        someHosts,
        patterns,
        everything,
        isSoft,
        isAnyPort && isOfUrls,
        isAnyScheme && isOfUrls,
        isDryRun,
        storedBefore,
        olderThan,
        wait,
        waitMillis());
  }

  private <T> List<List<T>> batches(List<T> all) {
    int most = isDryRun ? DRY_RUNS_PER_REQUEST : ORDERS_PER_REQUEST;
    List<List<T>> batches = new ArrayList<>();
    for (int from = 0; from < all.size(); from += most) {
      batches.add(all.subList(from, Math.min(all.size(), from + most)));
    }
    return batches;
  }

  /** Asks only on a terminal; a script with {@code --all} needs no confirmation. */
  private boolean isConfirmed() {
    if (!Terminal.isInput() || !Terminal.isError()) {
      return true;
    }
    common.spec.commandLine().getErr().print("Purge everything at " + admin.adminUrl + "? [y/N] ");
    common.spec.commandLine().getErr().flush();
    String answer = new Scanner(System.in, StandardCharsets.UTF_8).nextLine().strip();
    return answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes");
  }

  private void report(Output output, Result result) {
    output.json(result);
    if (isDryRun) {
      result.purges().forEach(purge -> counted(output, purge));
      output.line("nothing was purged");
      return;
    }
    for (JsonNode purge : result.purges()) {
      output.line(
          "%-10s %s  %s"
              .formatted(
                  purge.path("kind").asString("").toLowerCase(Locale.ROOT),
                  purge.path("text").asString(""),
                  output.faint(
                      "id %s%s, %.1f ms"
                          .formatted(
                              purge.path("id").asString("?"),
                              purge.path("matched").isNumber()
                                  ? ", matched " + purge.path("matched").asLong()
                                  : "",
                              purge.path("tookMillis").asDouble(0)))));
      for (JsonNode other : purge.path("storedUnder")) {
        output.line("  not purged, under another port or scheme: " + other.asString(""));
      }
      if (!purge.path("storedUnder").isEmpty()) {
        output.line("  purge these, or all with --any-port --any-scheme");
      }
    }
    String purges = result.purges().size() == 1 ? "purge" : "purges";
    if (result.cluster().isEmpty()) {
      output.line("%d %s on disk and in force".formatted(result.purges().size(), purges));
      return;
    }
    for (JsonNode receipt : result.cluster()) {
      receipt(output, receipt);
    }
    if (result.isQueued()) {
      output.line(
          "%d %s in force on this node, and in the log once it can be written"
              .formatted(result.purges().size(), purges));
      return;
    }
    output.line(
        "%d %s in the log, %s"
            .formatted(
                result.purges().size(),
                purges,
                result.isAcknowledged() ? "in force on all nodes" : "not confirmed by all nodes"));
  }

  /** On which nodes purges are true. */
  private static void receipt(Output output, JsonNode receipt) {
    names(output, "confirmed", receipt.path("confirmed"));
    names(output, "fenced", receipt.path("fenced"));
    for (JsonNode pending : receipt.path("pending")) {
      output.line(
          output.bad(
              "  pending: %s, %s"
                  .formatted(
                      pending.path("node").asString("?"), pending.path("why").asString(""))));
    }
  }

  private static void names(Output output, String what, JsonNode names) {
    List<String> all = new ArrayList<>();
    names.forEach(name -> all.add(name.asString("?")));
    if (!all.isEmpty()) {
      output.line("  " + what + ": " + String.join(", ", all));
    }
  }

  private static void counted(Output output, JsonNode purge) {
    output.line(
        "%-10s %s  %s"
            .formatted(
                purge.path("kind").asString(""),
                purge.path("text").asString(""),
                output.faint("would have " + matched(purge))));
    for (JsonNode part : purge.path("parts")) {
      String uncounted = part.path("uncounted").asString("");
      if (!uncounted.isEmpty()) {
        output.line(
            "  not counted in %s: %s".formatted(part.path("place").asString(""), uncounted));
      }
    }
  }
}
