package io.forebay.lab.run;

import io.forebay.lab.host.HostSample;
import io.forebay.lab.load.LoadOutcome;
import io.forebay.lab.result.Latency;
import io.forebay.lab.result.LoadTotals;
import io.forebay.lab.result.Sample;
import io.forebay.lab.result.ServerTotals;
import io.forebay.lab.target.RunningTarget.Counters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Joins what clients, machine and server's counters tell of a step. */
final class Totals {
  static final LoadTotals NO_LOAD =
      new LoadTotals(
          0, 0, 0, 0, 0, Map.of(), Latency.NONE, Latency.NONE, Latency.NONE, 0, Map.of());
  static final ServerTotals NO_SERVER =
      new ServerTotals(0, 0, 0, 0, -1, 0, 0, 0, 0, 0, null, 0, 0, -1, -1, Map.of());

  private Totals() {}

  /**
   * The server's totals.
   *
   * @param host since the load began to be measured
   * @param load that was measured; the little time that host has more is the client's end, in which
   *     the server is idle. What clients got is what a program sent that does not count it
   */
  static ServerTotals server(
      HostSample host, LoadTotals load, Counters before, Counters after, long mostResident) {
    double stretch = load.seconds() > 0 ? Math.clamp(host.seconds() / load.seconds(), 1, 2) : 1;
    Map<String, Long> tiers = new HashMap<>();
    after
        .bytesByTier()
        .forEach((tier, bytes) -> tiers.put(tier, difference(before.bytesByTier(), tier, bytes)));
    boolean isCounted = after.requests() >= 0 && after.hits() >= 0;
    return new ServerTotals(
        host.user() * stretch,
        host.system() * stretch,
        host.compilers() * stretch,
        host.origin() * stretch,
        host.wireBytes(),
        Math.max(mostResident, host.residentBytes()),
        host.scannedPages(),
        host.stolenPages(),
        host.diskReadBytes(),
        host.diskWrittenBytes(),
        host.watts(),
        isCounted ? after.requests() - before.requests() : 0,
        isCounted ? after.hits() - before.hits() : 0,
        after.bytesSent() < 0
            ? load.bodyBytes()
            : difference(before.bytesSent(), after.bytesSent()),
        difference(before.bytesFetched(), after.bytesFetched()),
        tiers);
  }

  private static long difference(Map<String, Long> before, String tier, long after) {
    return after - before.getOrDefault(tier, 0L);
  }

  private static long difference(long before, long after) {
    return before < 0 || after < 0 ? -1 : after - before;
  }

  /**
   * One sample for each second of the load.
   *
   * @param lead seconds of the machine before the load's first one: the start of the client
   */
  static List<Sample> samples(List<LoadOutcome.Second> load, List<HostSample> host, int lead) {
    List<Sample> samples = new ArrayList<>();
    for (LoadOutcome.Second second : load) {
      int at = second.second() + lead;
      HostSample machine = at >= 0 && at < host.size() ? host.get(at) : null;
      samples.add(
          new Sample(
              second.second(),
              second.requests(),
              second.bodyBytes(),
              second.errors(),
              second.lastByteP99Millis(),
              machine == null ? 0 : machine.user() + machine.system(),
              machine == null ? -1 : machine.wireBytes(),
              machine == null ? null : machine.watts()));
    }
    return samples;
  }
}
