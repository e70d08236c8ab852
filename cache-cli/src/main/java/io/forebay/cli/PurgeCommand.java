package io.forebay.cli;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Scanner;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Purges by URL, tag, prefix, host or everything, and returns once it is on disk and in force. */
@Command(
    name = "purge",
    header = "Make cached objects unservable, durably.",
    sortOptions = false,
    description = {
      "",
      "When this returns, the purge is on disk, and no later request gets the objects, not even after a"
          + " crash.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  forebay purge http://www.example.com/index.html",
      "  forebay purge --tag article-17 --tag frontpage --soft",
      "  forebay purge --prefix http://www.example.com/live/",
      "  forebay purge @urls.txt          (one argument a line)"
    })
final class PurgeCommand implements Callable<Integer> {
  /** What one request may hold: the API takes bodies of up to 1 MiB, an order at most 8 KiB. */
  private static final int ORDERS_PER_REQUEST = 100;

  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Parameters(
      paramLabel = "URL",
      arity = "0..*",
      description = "Exact URLs, each with all its variants.")
  private List<String> urls = new ArrayList<>();

  @Option(
      names = "--tag",
      paramLabel = "TAG",
      description = "Objects whose origin gave them this tag (Surrogate-Key, Cache-Tag, xkey).")
  private List<String> tags = new ArrayList<>();

  @Option(
      names = "--prefix",
      paramLabel = "URL",
      description = "Objects under this URL up to a path segment.")
  private List<String> prefixes = new ArrayList<>();

  @Option(names = "--host", paramLabel = "HOST", description = "Objects of this host.")
  private List<String> hosts = new ArrayList<>();

  @Option(names = "--all", description = "Everything. Asks first when on a terminal.")
  private boolean isEverything;

  @Option(
      names = "--soft",
      description = "Make stale instead of gone: still served while the origin is asked or down.")
  private boolean isSoft;

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask.")
  private boolean isAgreed;

  PurgeCommand() {}

  /** The body of one request, and what it is called in the API. */
  private record Orders(
      List<String> urls,
      List<String> tags,
      List<String> prefixes,
      List<String> hosts,
      boolean everything,
      boolean soft) {

    int count() {
      return urls.size() + tags.size() + prefixes.size() + hosts.size() + (everything ? 1 : 0);
    }
  }

  private record Result(List<JsonNode> purges, int ordered, double tookMillis) {}

  @Override
  public Integer call() {
    Output output = common.output();
    List<Orders> requests = requests();
    int ordered = requests.stream().mapToInt(Orders::count).sum();
    if (ordered == 0) {
      throw new ParameterException(
          common.spec.commandLine(),
          "nothing to purge: name a URL, --tag, --prefix, --host or --all");
    }
    if (isEverything && !isAgreed && !agrees()) {
      throw new CommandException(Exit.FAILURE, "nothing purged");
    }
    List<JsonNode> done = new ArrayList<>();
    double tookMillis = 0;
    try (AdminClient client = admin.client()) {
      for (Orders orders : requests) {
        JsonNode answer = client.post("/v1/purge", orders);
        answer.path("purges").forEach(done::add);
        tookMillis += answer.path("tookMillis").asDouble(0);
      }
    } catch (CommandException refused) {
      if (done.isEmpty()) {
        throw refused;
      }
      report(output, new Result(done, ordered, tookMillis));
      throw new CommandException(
          Exit.PARTIAL,
          "purged " + done.size() + " of " + ordered + ", then: " + refused.getMessage(),
          refused);
    }
    report(output, new Result(done, ordered, tookMillis));
    return Exit.OK;
  }

  private List<Orders> requests() {
    List<Orders> requests = new ArrayList<>();
    batches(urls)
        .forEach(b -> requests.add(new Orders(b, List.of(), List.of(), List.of(), false, isSoft)));
    batches(tags)
        .forEach(b -> requests.add(new Orders(List.of(), b, List.of(), List.of(), false, isSoft)));
    batches(prefixes)
        .forEach(b -> requests.add(new Orders(List.of(), List.of(), b, List.of(), false, isSoft)));
    batches(hosts)
        .forEach(b -> requests.add(new Orders(List.of(), List.of(), List.of(), b, false, isSoft)));
    if (isEverything) {
      requests.add(new Orders(List.of(), List.of(), List.of(), List.of(), true, isSoft));
    }
    return requests;
  }

  private static List<List<String>> batches(List<String> all) {
    List<List<String>> batches = new ArrayList<>();
    for (int from = 0; from < all.size(); from += ORDERS_PER_REQUEST) {
      batches.add(all.subList(from, Math.min(all.size(), from + ORDERS_PER_REQUEST)));
    }
    return batches;
  }

  /** Asks only where there is somebody to answer; a script that says {@code --all} means it. */
  private boolean agrees() {
    if (!Terminal.isInput() || !Terminal.isError()) {
      return true;
    }
    common.spec.commandLine().getErr().print("Purge everything at " + admin.adminUrl + "? [y/N] ");
    common.spec.commandLine().getErr().flush();
    String answer = new Scanner(System.in, StandardCharsets.UTF_8).nextLine().strip();
    return answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes");
  }

  private static void report(Output output, Result result) {
    output.json(result);
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
    }
    output.line(
        "%d %s on disk and in force"
            .formatted(result.purges().size(), result.purges().size() == 1 ? "purge" : "purges"));
  }
}
