package io.forebay.lab.load;

import io.forebay.lab.result.LoadTotals;
import java.util.List;

/**
 * What a load brought.
 *
 * @param totals of the measured phases
 * @param seconds what clients saw in each second of all phases
 */
public record LoadOutcome(LoadTotals totals, List<Second> seconds) {

  public LoadOutcome {
    seconds = List.copyOf(seconds);
  }

  /** One second at the clients. */
  public record Second(
      int second, long requests, long bodyBytes, long errors, double lastByteP99Millis) {}
}
