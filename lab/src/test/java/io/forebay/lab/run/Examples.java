package io.forebay.lab.run;

import io.forebay.lab.result.Latency;
import io.forebay.lab.result.LoadTotals;
import io.forebay.lab.result.ServerTotals;
import io.forebay.lab.scenario.Profile;
import io.forebay.lab.scenario.Scenario;
import io.forebay.lab.scenario.Scenarios;
import io.forebay.lab.scenario.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Scenarios and totals for tests. */
final class Examples {

  private Examples() {}

  /** A scenario of a file with these lines below name, title and an object table. */
  static Scenario scenario(String lines) {
    return file("objects: [{name: page, size: 10KB, count: 7}]\n" + lines);
  }

  /** A scenario of a file with these lines below name and title. */
  static Scenario file(String lines) {
    try {
      Path file = Files.createTempFile("forebay-lab-scenario", ".yaml");
      try {
        Files.writeString(file, "name: own\ntitle: One object\n" + lines);
        return Scenarios.read(file.toString(), Profile.FULL, 2);
      } finally {
        Files.delete(file);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  static Step step(String lines) {
    return scenario(lines + "steps: [{name: only}]\n").steps().getFirst();
  }

  static Latency latency(double mean, double p99) {
    return new Latency(1000, mean, mean, p99, p99, p99);
  }

  /** Ten seconds without errors at 4 ms. */
  static LoadTotals load() {
    return load(10, Map.of(), 4, 0.1, 0.2);
  }

  static LoadTotals load(
      double seconds,
      Map<String, Long> errors,
      double mean,
      double lateMillis,
      double clientCores) {
    return new LoadTotals(
        seconds,
        1000,
        10_000_000,
        10,
        0,
        errors,
        latency(mean / 2, mean),
        latency(mean, 2 * mean),
        latency(lateMillis / 2, lateMillis),
        clientCores,
        Map.of());
  }

  /** Of 1,000 requests. */
  static ServerTotals server(long hits, double cores, double originCores) {
    return server(1000, hits, cores, originCores);
  }

  static ServerTotals server(long requests, long hits, double cores, double originCores) {
    return new ServerTotals(
        cores / 2,
        cores / 2,
        0,
        originCores,
        10_000_000,
        1 << 20,
        0,
        0,
        0,
        0,
        null,
        requests,
        hits,
        requests * 10_000,
        (requests - hits) * 10_000,
        Map.of());
  }
}
