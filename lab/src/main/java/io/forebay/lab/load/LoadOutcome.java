package io.forebay.lab.load;

import io.forebay.lab.result.LoadTotals;
import java.util.List;

/**
 * What a load brought.
 *
 * @param totals of the measured phases
 * @param seconds what clients saw in each second of all phases; empty where the program does not
 *     tell
 * @param clocks of clients that began together, one each; empty for a single client
 */
public record LoadOutcome(LoadTotals totals, List<Second> seconds, List<ClientClock> clocks) {

  public LoadOutcome {
    seconds = List.copyOf(seconds);
    clocks = List.copyOf(clocks);
  }

  /** Of a single client. */
  public LoadOutcome(LoadTotals totals, List<Second> seconds) {
    this(totals, seconds, List.of());
  }

  /**
   * How far a client's clock is from that of the machine that asked it.
   *
   * @param offsetMillis positive where the client's clock is ahead
   * @param errorMillis most by which the offset can be wrong: half of the shortest round trip
   */
  public record ClientClock(String client, double offsetMillis, double errorMillis) {}

  /** One second at the clients. */
  public record Second(
      int second, long requests, long bodyBytes, long errors, double lastByteP99Millis) {}
}
