package io.forebay.benchmarks.attack;

import io.forebay.testing.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Honest clients: wrk asks for a small object, as fast as it can or at a rate. */
final class Bystanders {

  private static final int GRACE_SECONDS = 60;
  private static final int QUICK = 50;

  /** Many, since wrk waits in whole milliseconds. */
  private static final int PACED = 500;

  private static final Pattern LATENCY = Pattern.compile("(50|99)%\\s+([0-9.]+)(us|ms|s)");
  private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
  private static final Pattern SOCKET_ERRORS =
      Pattern.compile("Socket errors: connect (\\d+), read (\\d+), write (\\d+), timeout (\\d+)");
  private static final Pattern BAD_STATUS = Pattern.compile("Non-2xx or 3xx responses: (\\d+)");

  /** What they saw. */
  record Seen(double perSecond, double p50Millis, double p99Millis, long errors) {}

  private final String cpu;
  private final String url;
  private final Path script;

  /**
   * Clients of one URL.
   *
   * @param script where the script of a paced run is written to
   */
  Bystanders(String cpu, String url, Path script) {
    this.cpu = cpu;
    this.url = url;
    this.script = script;
  }

  /** As fast as they can. */
  Seen atFullSpeed(int seconds) throws IOException, InterruptedException {
    return run(seconds, QUICK, List.of());
  }

  /** Each connection waits between its requests, so that all together ask at about that rate. */
  Seen atRate(double perSecond, int seconds) throws IOException, InterruptedException {
    double meanMillis = PACED * 1000 / perSecond;
    Files.writeString(
        script,
        String.format(
            Locale.ROOT, "function delay() return math.random() * 2 * %.3f end%n", meanMillis));
    return run(seconds, PACED, List.of("-s", script.toString()));
  }

  private Seen run(int seconds, int connections, List<String> options)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("taskset", "-c", cpu, "wrk", "-t1", "-c" + connections));
    command.addAll(List.of("-d" + seconds + "s", "--latency", "--timeout", "5s"));
    command.addAll(options);
    command.add(url);
    String text = Commands.run(Duration.ofSeconds(seconds + GRACE_SECONDS), command).orFail().out();
    return new Seen(
        Double.parseDouble(group(RATE, text)),
        latency(text, "50"),
        latency(text, "99"),
        errors(text));
  }

  private static String group(Pattern pattern, String text) {
    Matcher found = pattern.matcher(text);
    if (!found.find()) {
      throw new IllegalStateException("wrk said: " + text);
    }
    return found.group(1);
  }

  private static double latency(String text, String percent) {
    Matcher found = LATENCY.matcher(text);
    while (found.find()) {
      if (found.group(1).equals(percent)) {
        double number = Double.parseDouble(found.group(2));
        return switch (found.group(3)) {
          case "us" -> number / 1000;
          case "s" -> number * 1000;
          default -> number;
        };
      }
    }
    throw new IllegalStateException("wrk said: " + text);
  }

  private static long errors(String text) {
    long count = 0;
    Matcher sockets = SOCKET_ERRORS.matcher(text);
    if (sockets.find()) {
      for (int i = 1; i <= sockets.groupCount(); i++) {
        count += Long.parseLong(sockets.group(i));
      }
    }
    Matcher statuses = BAD_STATUS.matcher(text);
    if (statuses.find()) {
      count += Long.parseLong(statuses.group(1));
    }
    return count;
  }
}
