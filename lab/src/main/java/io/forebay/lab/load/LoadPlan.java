package io.forebay.lab.load;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The load of one step. Travels as JSON to a client process.
 *
 * @param targets scheme, address and port of the servers; connections are spread over them evenly
 * @param protocol of all connections
 * @param trust certificates in PEM of the authorities that sign the servers', or null for those of
 *     the JVM; no file, which other hosts would not have
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
 * @param bodySeed seed of the origin whose bytes are compared with what comes, which costs CPU;
 *     null where they are not compared
 * @param seed of all random numbers
 * @param streams requests at a time on each connection of HTTP/2 and HTTP/3
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
    @Nullable Long bodySeed,
    long seed,
    int streams) {

  private static final int MAX_CONNECTIONS = 1_000_000;
  private static final double MAX_SECONDS = 7 * 24 * 3600;
  private static final int MAX_STREAMS = 1000;

  public LoadPlan {
    targets = List.copyOf(targets);
    phases = List.copyOf(phases);
    objects = List.copyOf(objects);
  }

  /**
   * Returns this plan if it can be run.
   *
   * @throws IllegalArgumentException which says what is wrong
   */
  public LoadPlan checked() {
    require(!targets.isEmpty(), "a load needs a target");
    for (URI target : targets) {
      require(
          target.getHost() != null
              && target.getPort() > 0
              && ("http".equals(target.getScheme()) || "https".equals(target.getScheme())),
          "a target is http://HOST:PORT or https://HOST:PORT, not " + target);
      require(
          protocol != Protocol.HTTP3 || "https".equals(target.getScheme()),
          "HTTP/3 needs a target with https, not " + target);
    }
    share("resumedShare", resumedShare);
    share("freshShare", freshShare);
    within("connections", connections, 1, MAX_CONNECTIONS);
    within("requestsPerConnection", requestsPerConnection, 0, Integer.MAX_VALUE);
    within("streams", streams, 1, MAX_STREAMS);
    within("timeoutMillis", timeoutMillis, 1, Integer.MAX_VALUE);
    require(!phases.isEmpty(), "a load needs a phase");
    for (Phase phase : phases) {
      require(phase.seconds() > 0, "the seconds of a phase are more than 0");
      require(
          phase.ratePerSecond() >= 0
              && phase.endRatePerSecond() >= 0
              && phase.ratePerSecond() + phase.endRatePerSecond() < 1e9,
          "the rates of a phase are from 0 to 1e9");
    }
    require(seconds() <= MAX_SECONDS, "a load lasts a week at most");
    require(!objects.isEmpty(), "a load needs an object");
    for (ObjectClass object : objects) {
      require(object.bytes() >= 0, "the bytes of " + object.name() + " are 0 or more");
      require(
          object.weight() > 0 && object.weight() < Double.POSITIVE_INFINITY,
          "the weight of " + object.name() + " is more than 0");
      require(object.count() > 0, "the count of " + object.name() + " is more than 0");
      require(
          (prefix + object.path()).matches("/[!-~]{0,4000}"),
          "the path of " + object.name() + " begins with / and has no spaces");
    }
    return this;
  }

  private static void share(String name, double value) {
    require(value >= 0 && value <= 1, name + " is from 0 to 1, not " + value);
  }

  private static void within(String name, long value, long least, long most) {
    require(value >= least && value <= most, name + " is from " + least + " to " + most);
  }

  private static void require(boolean holds, String sentence) {
    if (!holds) {
      throw new IllegalArgumentException(sentence);
    }
  }

  /** Whether a target has TLS. */
  public boolean usesTls() {
    return targets.stream().anyMatch(target -> "https".equals(target.getScheme()));
  }

  /** Of all phases. */
  public double seconds() {
    return phases.stream().mapToDouble(Phase::seconds).sum();
  }

  /** Of the phases before the first one that counts. */
  double warmUpSeconds() {
    return phases.stream()
        .takeWhile(phase -> !phase.isMeasured())
        .mapToDouble(Phase::seconds)
        .sum();
  }

  /** Of the phases that count. */
  public double measuredSeconds() {
    return phases.stream().filter(Phase::isMeasured).mapToDouble(Phase::seconds).sum();
  }

  /**
   * The part of one of several clients: connections and rates are divided.
   *
   * @param index of the client, from 0
   * @param clients at most as many as there are connections
   */
  LoadPlan part(int index, int clients) {
    return new LoadPlan(
        targets,
        protocol,
        trust,
        resumedShare,
        connections / clients + (index < connections % clients ? 1 : 0),
        requestsPerConnection,
        phases.stream()
            .map(phase ->
                new Phase(
                    phase.seconds(),
                    phase.ratePerSecond() / clients,
                    phase.endRatePerSecond() / clients,
                    phase.isMeasured()))
            .toList(),
        objects,
        popularity,
        freshShare,
        prefix,
        timeoutMillis,
        bodySeed,
        seed,
        streams);
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
      double seconds, double ratePerSecond, double endRatePerSecond, boolean isMeasured) {

    /** Whether requests are due by the clock: else this is a closed loop. */
    public boolean hasRate() {
      return ratePerSecond > 0 || endRatePerSecond > 0;
    }
  }

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
