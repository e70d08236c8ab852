package io.forebay.lab.result;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the server spent in one step, from the system's counters.
 *
 * @param coresUser CPU of the server's processes in user mode, in cores
 * @param coresSystem the same in the kernel
 * @param coresCompilers how much of both the JVM's compilers took; 0 for programs without
 * @param coresOrigin CPU of the origin's process, in cores
 * @param wireBytes sent by the interface that clients use, or to loopback; -1 where not known
 * @param residentBytes of the server's processes, most in the step
 * @param reclaimedPages that the kernel scanned for reclaim ({@code pgscan_*})
 * @param stolenPages that it took back ({@code pgsteal_*})
 * @param diskReadBytes of all disks of the machine
 * @param diskWrittenBytes of all disks of the machine
 * @param watts mean of the step, or null without a meter
 * @param requests that the server answered
 * @param hits of these, from the cache
 * @param bytesSent to clients, by the server's own counters; where it has none, what clients got
 * @param bytesFetched from the origin; -1 where it has none
 * @param bytesByTier of hits, where the server tells: {@code memory}, {@code disk}
 */
public record ServerTotals(
    double coresUser,
    double coresSystem,
    double coresCompilers,
    double coresOrigin,
    long wireBytes,
    long residentBytes,
    long reclaimedPages,
    long stolenPages,
    long diskReadBytes,
    long diskWrittenBytes,
    @Nullable Double watts,
    long requests,
    long hits,
    long bytesSent,
    long bytesFetched,
    Map<String, Long> bytesByTier) {

  public ServerTotals {
    bytesByTier = Map.copyOf(bytesByTier);
  }

  public double cores() {
    return coresUser + coresSystem;
  }

  /** Share of requests answered from the cache, 0 to 1; NaN without requests. */
  public double hitRatio() {
    return requests == 0 ? Double.NaN : (double) hits / requests;
  }

  /** Share of bytes that did not come from the origin, 0 to 1; NaN where it is not known. */
  public double byteHitRatio() {
    return bytesSent <= 0 || bytesFetched < 0
        ? Double.NaN
        : Math.max(0, 1 - (double) bytesFetched / bytesSent);
  }
}
