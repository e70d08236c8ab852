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
    if ((long) clients * connections > Integer.MAX_VALUE) {
      throw new ArithmeticException("connections: " + clients + " x " + connections);
    }
  }

  /** A phase. The rate goes evenly from the one to the other. */
  public record Ramp(double seconds, double fromRate, double toRate) {}

  public int allConnections() {
    return clients * connections;
  }

  /** Requests a second of all clients; 0 for a closed loop. */
  public double rate() {
    return ratePerConnection > 0 ? ratePerConnection * allConnections() : ratePerSecond;
  }

  public boolean isOpen() {
    return !ramps.isEmpty() || rate() > 0;
  }

  /** By one client with so many connections. */
  public Load withConnections(int all) {
    return with(1, all, ratePerSecond, ratePerConnection, measuredSeconds, only);
  }

  /** As a closed loop. */
  public Load withoutRate() {
    return with(clients, connections, 0, 0, measuredSeconds, only);
  }

  public Load withMeasuredSeconds(double other) {
    return with(clients, connections, ratePerSecond, ratePerConnection, other, only);
  }

  /**
   * With one value of each dial that may be a list.
   *
   * @param rate a second of all clients; 0 for a closed loop
   * @param ofEach connections of each client
   * @param object that alone is asked for, or null for all
   */
  Load withDials(double rate, int ofEach, @Nullable String object) {
    return with(clients, ofEach, rate, ratePerConnection, measuredSeconds, object);
  }

  private Load with(
      int otherClients,
      int otherConnections,
      double otherRate,
      double otherRatePerConnection,
      double otherSeconds,
      @Nullable String otherOnly) {
    return new Load(
        client,
        otherClients,
        otherConnections,
        requestsPerConnection,
        streams,
        otherRate,
        otherRatePerConnection,
        ramps,
        warmUpSeconds,
        otherSeconds,
        timeoutMillis,
        otherOnly,
        freshShare,
        wanted,
        resumedShare,
        verify);
  }
}
