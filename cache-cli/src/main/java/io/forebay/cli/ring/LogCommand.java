package io.forebay.cli.ring;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.ring.RingRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the requests that the rings of a node hold, and those to come. */
@Command(
    name = "log",
    header = "Show the last requests of a node, running or dead, and follow new ones.",
    sortOptions = false,
    description = {
      "",
      "The node keeps a record of each finished request in memory (access-log.ring),",
      "whatever its access log says. A query is a condition in CEL over status, cache,",
      "first_byte, last_byte, fetch, body_bytes, url, scheme, host, path, query, method,",
      "protocol, client, route, origin, reason, request_id, user_agent, referer, coding,",
      "error, abort and time; and, or, not, 200ms and 10KiB may be written as such.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  forebay log 'status >= 500 and first_byte > 200ms' --follow",
      "  forebay log --data /var/lib/forebay --previous --last 100",
      "  forebay log 'cache == \"miss\" and host == \"www.example.com\"' --har > misses.har"
    })
public final class LogCommand implements Callable<Integer> {
  /** Requests that are held to bring them together by their fetch. */
  private static final int MAX_GROUPED = 100_000;

  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final RingOptions rings = new RingOptions();

  @Option(
      names = {"-f", "--follow"},
      description = "Print requests as they end, until Ctrl-C or the end of the process.")
  private boolean isFollowing;

  @Option(
      names = {"-n", "--last"},
      paramLabel = "N",
      description = "Only the last N requests; with --follow default 0, else all.")
  private @Nullable Integer last;

  @Option(
      names = "--group",
      description = "Bring together the requests that shared a fetch: who led it, who joined it.")
  private boolean isGrouped;

  @Option(names = "--har", description = "Print an HTTP archive (HAR 1.2).")
  private boolean isHar;

  public LogCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    if (isFollowing && (isHar || isGrouped)) {
      throw new CommandException(
          ExitCode.USAGE, "--har and --group need the whole log, so they exclude --follow");
    }
    if (last != null && last < 0) {
      throw new CommandException(ExitCode.USAGE, "--last must not be negative");
    }
    Output output = common.output();
    RecordQuery query = rings.query();
    try (RingSource source = rings.open()) {
      if (isHar) {
        HarLog har = new HarLog(output);
        har.begin();
        history(source, query, har::add);
        har.end();
      } else if (isGrouped) {
        grouped(source, query, output);
      } else {
        history(source, query, record -> print(output, record));
      }
      if (isFollowing) {
        follow(source, query, output);
      }
      source.noteLost(output);
    }
    return ExitCode.OK;
  }

  private void history(RingSource source, RecordQuery query, Consumer<RingRecord> taker) {
    int most = last == null ? (isFollowing ? 0 : Integer.MAX_VALUE) : last;
    if (most == 0) {
      source.skipToEnd();
    } else if (most == Integer.MAX_VALUE) {
      new RecordFeed(source, query, taker).take();
    } else {
      Deque<RingRecord> kept = new ArrayDeque<>();
      new RecordFeed(
              source,
              query,
              record -> {
                kept.add(record);
                if (kept.size() > most) {
                  kept.remove();
                }
              })
          .take();
      kept.forEach(taker);
    }
  }

  private static void follow(RingSource source, RecordQuery query, Output output)
      throws InterruptedException {
    RecordFeed feed = new RecordFeed(source, query, record -> print(output, record));
    String end;
    do {
      // Asked before reading, so that the last records of the process are read after its end.
      end = source.end();
      feed.take();
      if (end == null) {
        TimeUnit.MILLISECONDS.sleep(RecordFeed.POLL_MILLIS);
      }
    } while (end == null);
    output.note("forebay: " + end);
  }

  private static void print(Output output, RingRecord record) {
    if (output.isJson()) {
      output.json(RecordText.json(record));
    } else {
      output.line(RecordText.line(record));
    }
  }

  private void grouped(RingSource source, RecordQuery query, Output output) {
    Map<Long, List<RingRecord>> groups = new LinkedHashMap<>();
    int[] held = {0};
    history(
        source,
        query,
        record -> {
          if (held[0]++ == MAX_GROUPED) {
            throw new CommandException(
                ExitCode.FAILURE,
                "more than " + MAX_GROUPED + " requests: narrow the query, or use --last");
          }
          // Each request without a fetch is alone, under a key that no fetch has.
          long key = record.fill() == 0 ? -held[0] : record.fill();
          groups.computeIfAbsent(key, none -> new ArrayList<>()).add(record);
        });
    for (List<RingRecord> group : groups.values()) {
      group.sort(
          Comparator.comparing((RingRecord one) -> one.cache() == CacheResult.JOINED)
              .thenComparingLong(RingRecord::startMillis));
      boolean isFirst = true;
      for (RingRecord record : group) {
        if (output.isJson()) {
          output.json(RecordText.json(record));
        } else {
          output.line((isFirst ? "" : "  + ") + RecordText.line(record));
        }
        isFirst = false;
      }
    }
  }
}
