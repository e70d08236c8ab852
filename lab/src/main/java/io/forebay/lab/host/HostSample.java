package io.forebay.lab.host;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The machine between two moments.
 *
 * @param seconds between them
 * @param user cores of the server's processes in user mode
 * @param system the same in the kernel
 * @param compilers how much of both the JVM's compiler threads took
 * @param origin cores of the origin's processes
 * @param client cores of the clients' processes on this machine
 * @param others share of the CPUs that the lab may run on which programs used that are neither the
 *     lab's nor the kernel's, 0 to 1; NaN where it is not known
 * @param wireBytes sent by the interface that is watched; -1 where it is not there
 * @param residentBytes of the server's processes at the end
 * @param scannedPages sum of {@code pgscan_*}
 * @param stolenPages sum of {@code pgsteal_*}
 * @param watts null without a meter
 * @param retransmits segments that TCP of this machine sent again
 * @param otherNodePages that processes of this machine got from another NUMA node than the one they
 *     ran on
 * @param residentByNode where the server's memory lies at the end, by NUMA node; only in totals,
 *     and empty on a machine with one node
 */
public record HostSample(
    double seconds,
    double user,
    double system,
    double compilers,
    double origin,
    double client,
    double others,
    long wireBytes,
    long residentBytes,
    long scannedPages,
    long stolenPages,
    long diskReadBytes,
    long diskWrittenBytes,
    @Nullable Double watts,
    long retransmits,
    long otherNodePages,
    Map<Integer, Long> residentByNode) {

  public HostSample {
    residentByNode = Map.copyOf(residentByNode);
  }

  /** Of a machine with one NUMA node, without losses and without other programs. */
  public HostSample(
      double seconds,
      double user,
      double system,
      double compilers,
      double origin,
      double client,
      long wireBytes,
      long residentBytes,
      long scannedPages,
      long stolenPages,
      long diskReadBytes,
      long diskWrittenBytes,
      @Nullable Double watts) {
    this(
        seconds,
        user,
        system,
        compilers,
        origin,
        client,
        0,
        wireBytes,
        residentBytes,
        scannedPages,
        stolenPages,
        diskReadBytes,
        diskWrittenBytes,
        watts,
        0,
        0,
        Map.of());
  }

  /** Cores of the server's processes. */
  public double cores() {
    return user + system;
  }

  /** What the interface sent for each second, in Gbit/s; NaN where it is not there. */
  public double wireGigabitsPerSecond() {
    return wireBytes < 0 || seconds <= 0 ? Double.NaN : wireBytes * 8 / seconds / 1e9;
  }
}
