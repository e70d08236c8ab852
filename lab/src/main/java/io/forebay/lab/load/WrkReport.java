package io.forebay.lab.load;

import io.forebay.lab.result.Latency;
import io.forebay.lab.result.LoadTotals;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What {@link WrkScript} has wrk say at its end. */
record WrkReport(Map<String, Double> values) {
  private static final String MARK = "forebay ";
  private static final List<String> NAMES =
      List.of(
          "duration",
          "requests",
          "bytes",
          "connect",
          "read",
          "write",
          "status",
          "timeout",
          "issued",
          "asked",
          "mean",
          "p50",
          "p99",
          "p999",
          "max");
  private static final double MICRO = 1e6;
  private static final double MILLI = 1e3;

  WrkReport {
    values = Map.copyOf(values);
  }

  /**
   * Reads the output.
   *
   * @throws IOException when something lacks or cannot be read; the message has the output
   */
  static WrkReport read(String output) throws IOException {
    Map<String, Double> values = new HashMap<>();
    for (String line : output.lines().filter(line -> line.startsWith(MARK)).toList()) {
      String[] words = line.split(" ", -1);
      try {
        double value = words.length == 3 ? Double.parseDouble(words[2]) : Double.NaN;
        if (!(value >= 0) || values.put(words[1], value) != null) {
          throw new NumberFormatException();
        }
      } catch (NumberFormatException e) {
        throw new IOException("wrk said \"" + line + "\", which is not understood", e);
      }
    }
    for (String name : NAMES) {
      if (!values.containsKey(name)) {
        throw new IOException("wrk did not tell \"" + name + "\"; it said: " + output);
      }
    }
    return new WrkReport(values);
  }

  private double value(String name) {
    return values.getOrDefault(name, 0.0);
  }

  private long count(String name) {
    return Math.round(value(name));
  }

  LoadTotals totals(ClosedLoop loop, Duration cpu) {
    double seconds = value("duration") / MICRO;
    long requests = Math.max(0, count("requests") - count("status"));
    Map<String, Long> errors = new TreeMap<>();
    ErrorKind.CONNECT.put(errors, count("connect"));
    ErrorKind.RESET.put(errors, count("read") + count("write"));
    ErrorKind.STATUS.put(errors, count("status"));
    ErrorKind.TIMEOUT.put(errors, count("timeout"));
    Latency last =
        new Latency(
            count("requests"),
            value("mean") / MILLI,
            value("p50") / MILLI,
            value("p99") / MILLI,
            value("p999") / MILLI,
            value("max") / MILLI);
    Latency lastByte = count("requests") == 0 ? Latency.NONE : last;
    double bytesARequest = count("issued") == 0 ? 0 : value("asked") / value("issued");
    return new LoadTotals(
        seconds,
        requests,
        requests == 0 ? 0 : Math.min(count("bytes"), Math.round(count("requests") * bytesARequest)),
        loop.plan().connections(),
        0,
        errors,
        Latency.NONE,
        lastByte,
        Latency.NONE,
        seconds == 0 ? 0 : cpu.toNanos() / 1e9 / seconds,
        loop.byObject(lastByte));
  }
}
