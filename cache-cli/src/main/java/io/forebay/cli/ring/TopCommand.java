package io.forebay.cli.ring;

import io.forebay.cli.console.ByteSizes;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.Terminal;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.network.IpAddress;
import io.forebay.server.ring.RingRecord;
import io.forebay.server.ring.RingText;
import io.forebay.server.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Shows what is requested most: by URL, host, route, client network, reason and others. */
@Command(
    name = "top",
    header = "Show the URLs, hosts, routes, clients or reasons with the most requests or bytes.",
    sortOptions = false,
    description = {
      "",
      "Counts the requests in the rings of a node (see forebay log), and those to come.",
      "Beyond 10000 different keys counts are estimates, too high by at most the error",
      "that --json gives.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  forebay top",
      "  forebay top 'cache == \"miss\"' --of reason --once",
      "  forebay top --of client --by bytes"
    })
public final class TopCommand implements Callable<Integer> {
  /** Different keys that are counted. */
  private static final int COUNTERS = 10_000;

  /** Networks of clients. */
  private static final int IPV4_BITS = 24;

  private static final int IPV6_BITS = 48;

  /** What is counted. */
  enum Key {
    URL,
    HOST,
    ROUTE,
    CLIENT,
    REASON,
    CACHE,
    STATUS,
    ORIGIN,
    USER_AGENT
  }

  /** By which figure. */
  enum Weight {
    REQUESTS,
    BYTES
  }

  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final RingOptions rings = new RingOptions();
  @Mixin private final LiveScreen live = new LiveScreen();

  @Option(
      names = "--of",
      paramLabel = "KEY",
      defaultValue = "url",
      description =
          "What is counted: ${COMPLETION-CANDIDATES}; default url. Clients by network, /24 or /48.")
  private Key of = Key.URL;

  @Option(
      names = "--by",
      paramLabel = "FIGURE",
      defaultValue = "requests",
      description = "Order: requests (the default) or bytes.")
  private Weight by = Weight.REQUESTS;

  @Option(
      names = {"-n", "--lines"},
      paramLabel = "N",
      defaultValue = "20",
      description = "Number of lines; default 20, on a terminal as many as fit.")
  private int lines;

  public TopCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    live.check();
    if (lines < 1) {
      throw new CommandException(ExitCode.USAGE, "--lines must be at least 1");
    }
    Output output = common.output();
    boolean isDrawn = !live.isOnce() && !output.isJson() && Terminal.isOutput();
    RecordQuery query = rings.query();
    SpaceSaving counts = new SpaceSaving(COUNTERS);
    try (RingSource source = rings.open()) {
      if (isDrawn) {
        LiveScreen.clear(output);
      }
      RecordFeed feed = new RecordFeed(source, query, record -> count(counts, record));
      live.run(source, feed, output, () -> show(output, counts, isDrawn));
    }
    return ExitCode.OK;
  }

  private void count(SpaceSaving counts, RingRecord record) {
    counts.add(
        key(record, of),
        by == Weight.BYTES ? record.bytes() : 1,
        record.cache() == CacheResult.HIT,
        record.bytes());
  }

  static String key(RingRecord record, Key of) {
    return switch (of) {
      case URL -> record.url();
      case HOST -> record.textOrEmpty(RingText.HOST);
      case ROUTE -> record.textOrEmpty(RingText.ROUTE);
      case CLIENT -> network(record.textOrEmpty(RingText.CLIENT));
      case REASON -> record.textOrEmpty(RingText.REASON);
      case CACHE -> record.cacheName();
      case STATUS -> Integer.toString(record.status());
      case ORIGIN -> record.textOrEmpty(RingText.ORIGIN);
      case USER_AGENT -> record.textOrEmpty(RingText.USER_AGENT);
    };
  }

  private static String network(String client) {
    IpAddress address = IpAddress.parse(client);
    if (address == null) {
      return client;
    }
    int bits = address.isV4() ? IPV4_BITS : IPV6_BITS;
    return address.withoutHost(bits).toText() + "/" + bits;
  }

  private void show(Output output, SpaceSaving counts, boolean isDrawn) {
    output.json(json(counts));
    int most = isDrawn ? Math.max(1, Terminal.height() - 3) : lines;
    List<String> screen = screen(counts, most, isDrawn ? Terminal.width() : Integer.MAX_VALUE);
    if (isDrawn) {
      LiveScreen.draw(output, screen);
    } else {
      screen.forEach(output::line);
    }
  }

  List<String> screen(SpaceSaving counts, int most, int width) {
    List<String> screen = new ArrayList<>();
    screen.add(
        String.format(
            Locale.ROOT,
            "%8s %10s %6s %6s  %s",
            "REQUESTS",
            "BYTES",
            "SHARE",
            "HIT %",
            of.name().toLowerCase(Locale.ROOT)));
    for (SpaceSaving.Counter counter : counts.top(most)) {
      String line =
          String.format(
              Locale.ROOT,
              "%8d %10s %5.1f%% %6.1f  %s",
              counter.requests(),
              ByteSizes.text(counter.bytes()),
              100.0 * counter.weight() / Math.max(1, counts.total()),
              100.0 * counter.hits() / Math.max(1, counter.requests()),
              Printable.shown(counter.key(), 1000));
      screen.add(line.length() > width ? line.substring(0, width) : line);
    }
    return screen;
  }

  private ObjectNode json(SpaceSaving counts) {
    ObjectNode json = Output.mapper().createObjectNode();
    json.put("of", of.name().toLowerCase(Locale.ROOT));
    json.put("by", by.name().toLowerCase(Locale.ROOT));
    json.put("total", counts.total());
    ArrayNode top = json.putArray("top");
    for (SpaceSaving.Counter counter : counts.top(lines)) {
      ObjectNode one = top.addObject();
      one.put("key", Printable.jsonWhole(counter.key()));
      one.put("weight", counter.weight());
      one.put("error", counter.error());
      one.put("requests", counter.requests());
      one.put("hits", counter.hits());
      one.put("bytes", counter.bytes());
    }
    return json;
  }
}
