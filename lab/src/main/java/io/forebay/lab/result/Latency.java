package io.forebay.lab.result;

/**
 * Times of many requests in milliseconds: of the first or the last byte, from the moment a request
 * was due.
 *
 * @param count of requests; all others are 0 where it is 0
 */
public record Latency(long count, double mean, double p50, double p99, double p999, double max) {

  public static final Latency NONE = new Latency(0, 0, 0, 0, 0, 0);
}
