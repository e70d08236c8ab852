package io.forebay.lab.scenario;

import io.forebay.lab.scenario.Setup.HitRatio;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What clients ask for.
 *
 * @param client name of the load generator: {@code own}, {@code wrk}, {@code h2load}
 * @param clients that the load is divided among
 * @param connections of each client
 * @param requestsPerConnection after which a connection is closed; 0 for never
 * @param streams requests at a time on each connection of HTTP/2 and HTTP/3
 * @param ratePerSecond of requests of all clients; 0 for a closed loop
 * @param ratePerConnection of requests a second; connections times this is the rate; 0 for none
 * @param ramps phases of their own in the place of a constant load; empty for none
 * @param only name of the one object that is asked for, or null for all by weight
 * @param freshShare of requests for names that were never asked for, 0 to 1
 * @param wanted hit ratio that the figures count with, or null where it is an outcome
 * @param resumedShare of new TLS connections that resume a session, 0 to 1
 * @param verify whether bytes are compared with what the origin makes
 */
public record Load(
    String client,
    int clients,
    int connections,
    int requestsPerConnection,
    int streams,
    double ratePerSecond,
    double ratePerConnection,
    List<Ramp> ramps,
    double warmUpSeconds,
    double measuredSeconds,
    int timeoutMillis,
    @Nullable String only,
    double freshShare,
    @Nullable HitRatio wanted,
    double resumedShare,
    boolean verify) {

  public Load {
    ramps = List.copyOf(ramps);
  }

  /** A phase. The rate goes evenly from the one to the other. */
  public record Ramp(double seconds, double fromRate, double toRate) {}

  public int allConnections() {
    return Math.multiplyExact(clients, connections);
  }

  /** Requests a second of all clients; 0 for a closed loop. */
  public double rate() {
    return ratePerConnection > 0 ? ratePerConnection * allConnections() : ratePerSecond;
  }

  public boolean isOpen() {
    return !ramps.isEmpty() || rate() > 0;
  }

  public Load withConnections(int all) {
    return new Load(
        client,
        1,
        all,
        requestsPerConnection,
        streams,
        ratePerSecond,
        ratePerConnection,
        ramps,
        warmUpSeconds,
        measuredSeconds,
        timeoutMillis,
        only,
        freshShare,
        wanted,
        resumedShare,
        verify);
  }

  public Load withRate(double perSecond, double perConnection) {
    return new Load(
        client,
        clients,
        connections,
        requestsPerConnection,
        streams,
        perSecond,
        perConnection,
        ramps,
        warmUpSeconds,
        measuredSeconds,
        timeoutMillis,
        only,
        freshShare,
        wanted,
        resumedShare,
        verify);
  }

  public Load withMeasuredSeconds(double other) {
    return new Load(
        client,
        clients,
        connections,
        requestsPerConnection,
        streams,
        ratePerSecond,
        ratePerConnection,
        ramps,
        warmUpSeconds,
        other,
        timeoutMillis,
        only,
        freshShare,
        wanted,
        resumedShare,
        verify);
  }
}
