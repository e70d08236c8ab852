package io.forebay.lab.load;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The load of one step. Travels as JSON to a client process.
 *
 * @param targets scheme, address and port of the servers; connections are spread over them evenly
 * @param protocol of all connections
 * @param trust PEM file of the authority that signs the servers' certificates, or null
 * @param resumedShare of new TLS connections that offer a session, 0 to 1
 * @param connections open at a time, over all clients and targets
 * @param requestsPerConnection after which a connection is closed and another one opened; 0 for
 *     never
 * @param phases one after the other; the first may be the warm-up
 * @param objects that requests are drawn from, by weight
 * @param popularity how an object's files are drawn
 * @param freshShare of requests that go to a name never used before: misses by intent, 0 to 1
 * @param prefix of all paths, such as {@code /lab}; keeps runs apart
 * @param timeoutMillis of a request, to its last byte
 * @param verify whether bytes are compared with what the origin makes of the path; costs CPU
 * @param seed of all random numbers
 */
public record LoadPlan(
    List<URI> targets,
    Protocol protocol,
    @Nullable String trust,
    double resumedShare,
    int connections,
    int requestsPerConnection,
    List<Phase> phases,
    List<ObjectClass> objects,
    Popularity popularity,
    double freshShare,
    String prefix,
    int timeoutMillis,
    boolean verify,
    long seed) {

  public LoadPlan {
    targets = List.copyOf(targets);
    phases = List.copyOf(phases);
    objects = List.copyOf(objects);
  }

  /** Of connections; TLS goes by the scheme of the target. */
  public enum Protocol {
    HTTP1,
    HTTP2,
    HTTP3
  }

  /** How files of an object class are drawn. */
  public enum Popularity {
    UNIFORM,
    /** With exponent 1. */
    ZIPF,
    /** One after the other. */
    SEQUENTIAL
  }

  /**
   * A while of constant or rising load.
   *
   * @param seconds its length
   * @param ratePerSecond of requests; 0 for a closed loop, where each connection asks again at once
   * @param endRatePerSecond where the rate rises or falls evenly to; the same as {@code
   *     ratePerSecond} for a constant one
   * @param isMeasured whether it counts; a warm-up does not
   */
  public record Phase(
      double seconds, double ratePerSecond, double endRatePerSecond, boolean isMeasured) {}

  /**
   * Files of one size.
   *
   * @param name of the class: {@code hls-video-4m}
   * @param bytes of each body
   * @param weight share of requests, relative to the others'
   * @param count how many there are; names are made from {@code 0} to {@code count - 1}
   * @param path with {@code {n}} for the number and {@code {bytes}} for the size: {@code
   *     /o/{bytes}/{n}}
   */
  public record ObjectClass(String name, long bytes, double weight, long count, String path) {}
}
