package io.forebay.lab.result;

import java.util.Map;

/**
 * What the clients of one step got, summed over all of them.
 *
 * @param seconds that were measured, without the warm-up
 * @param requests that ended well
 * @param bodyBytes of these: the goodput
 * @param connections that were opened
 * @param resumed how many of these resumed a TLS session
 * @param errors by kind: {@code connect}, {@code reset}, {@code timeout}, {@code status}, {@code
 *     short}, {@code body}, {@code tls}, {@code late} and {@code other}; kinds without errors are
 *     absent
 * @param lateness how long after its time the client itself began a request (open loop only)
 * @param clientCores CPU of the client's processes, in cores
 * @param byObject last bytes by name of the object in the scenario's table
 */
public record LoadTotals(
    double seconds,
    long requests,
    long bodyBytes,
    long connections,
    long resumed,
    Map<String, Long> errors,
    Latency firstByte,
    Latency lastByte,
    Latency lateness,
    double clientCores,
    Map<String, Latency> byObject) {

  public LoadTotals {
    errors = Map.copyOf(errors);
    byObject = Map.copyOf(byObject);
  }

  /** Of all kinds. */
  public long errorCount() {
    return errors.values().stream().mapToLong(Long::longValue).sum();
  }

  public double requestsPerSecond() {
    return seconds == 0 ? 0 : requests / seconds;
  }

  /** Of bodies alone. */
  public double gigabitsPerSecond() {
    return seconds == 0 ? 0 : bodyBytes * 8 / seconds / 1e9;
  }
}
