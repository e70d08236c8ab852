package io.forebay.lab.load;

import io.forebay.lab.result.Latency;
import io.forebay.lab.result.LoadTotals;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What h2load says at its end and in its log of requests.
 *
 * @param seconds until its last connection was closed
 */
record H2loadReport(
    double seconds,
    long succeeded,
    long otherStatuses,
    long errored,
    long timedOut,
    long dataBytes,
    LatencyHistogram lastByte) {
  private static final Pattern FINISHED =
      Pattern.compile("(?m)^finished in ([0-9.]+)(us|ms|s|m|h), [0-9.]+ req/s, [0-9.]+[KMG]?B/s$");
  private static final Pattern REQUESTS =
      Pattern.compile(
          "(?m)^requests: \\d+ total, (\\d+) started, \\d+ done, \\d+ succeeded, \\d+ failed, (\\d+)"
              + " errored, (\\d+) timeout$");
  private static final Pattern STATUSES =
      Pattern.compile("(?m)^status codes: (\\d+) 2xx, (\\d+) 3xx, (\\d+) 4xx, (\\d+) 5xx$");
  private static final Pattern TRAFFIC =
      Pattern.compile(
          "(?m)^traffic: [0-9.]+[KMG]?B \\(\\d+\\) total, [0-9.]+[KMG]?B \\(\\d+\\) headers"
              + " \\(space savings -?[0-9.]+%\\), [0-9.]+[KMG]?B \\((\\d+)\\) data$");
  private static final Pattern LOGGED = Pattern.compile("\\d+\t(-?\\d+)\t(\\d+)(\t.*)?");
  private static final long MICRO = 1000;

  /**
   * Reads the output and the log.
   *
   * @throws IOException when something cannot be read; the message shows it
   */
  static H2loadReport read(String output, Path log) throws IOException {
    Matcher finished = find(FINISHED, output);
    Matcher requests = find(REQUESTS, output);
    Matcher statuses = find(STATUSES, output);
    if (requests.group(1).equals("0")) {
      // It takes connections that are refused for no error.
      throw new IOException("h2load could make no request; it said: " + output);
    }
    return new H2loadReport(
        Double.parseDouble(finished.group(1)) * seconds(finished.group(2)),
        Long.parseLong(statuses.group(1)),
        Long.parseLong(statuses.group(2))
            + Long.parseLong(statuses.group(3))
            + Long.parseLong(statuses.group(4)),
        Long.parseLong(requests.group(2)),
        Long.parseLong(requests.group(3)),
        Long.parseLong(find(TRAFFIC, output).group(1)),
        times(log));
  }

  private static Matcher find(Pattern pattern, String output) throws IOException {
    Matcher matcher = pattern.matcher(output);
    if (!matcher.find()) {
      throw new IOException(
          "h2load's output has no line like \"" + pattern + "\"; it said: " + output);
    }
    return matcher;
  }

  private static double seconds(String unit) {
    return switch (unit) {
      case "us" -> 1e-6;
      case "ms" -> 1e-3;
      case "m" -> 60;
      case "h" -> 3600;
      default -> 1;
    };
  }

  private static LatencyHistogram times(Path log) throws IOException {
    LatencyHistogram times = new LatencyHistogram();
    try (BufferedReader in = Files.newBufferedReader(log)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        Matcher matcher = LOGGED.matcher(line);
        if (!matcher.matches()) {
          throw new IOException("h2load logged \"" + line + "\", which is not understood");
        }
        if (matcher.group(1).startsWith("2")) {
          times.record(Long.parseLong(matcher.group(2)) * MICRO);
        }
      }
    }
    return times;
  }

  LoadTotals totals(ClosedLoop loop, Duration cpu) {
    Map<String, Long> errors = new TreeMap<>();
    ErrorKind.STATUS.put(errors, otherStatuses);
    ErrorKind.OTHER.put(errors, errored);
    ErrorKind.TIMEOUT.put(errors, timedOut);
    Latency last = lastByte.latency();
    // It counts what ends in the time asked for.
    double counted = Math.min(seconds, loop.seconds());
    return new LoadTotals(
        counted,
        succeeded,
        dataBytes,
        loop.plan().connections(),
        0,
        errors,
        Latency.NONE,
        last,
        Latency.NONE,
        seconds == 0 ? 0 : cpu.toNanos() / 1e9 / seconds,
        loop.byObject(last));
  }
}
