package io.forebay.lab.origin;

import java.util.Map;
import java.util.TreeMap;

/**
 * What an origin did since its start.
 *
 * @param requests that were answered, without those for the figures themselves
 * @param bodyBytes that sockets took
 * @param responses by status
 * @param cut bodies that were broken off by intent
 * @param connections that are open
 * @param cpuSeconds of the process, all of its threads
 * @param uptimeSeconds of the origin
 */
public record OriginStats(
    long requests,
    long bodyBytes,
    Map<String, Long> responses,
    long cut,
    long connections,
    double cpuSeconds,
    double uptimeSeconds) {

  public OriginStats {
    responses = new TreeMap<>(responses);
  }
}
