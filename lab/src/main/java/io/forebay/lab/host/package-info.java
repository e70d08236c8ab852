/**
 * The machine during a step: CPU of processes, bytes on the wire, page reclaim, disks, watts; and
 * what stands in a report's head. Reads {@code /proc} and {@code /sys}; what a machine lacks is
 * absent or null, never guessed.
 *
 * <pre>
 *   HostMeter.start(server, origin, client) ──► Sampling ──► one HostSample a second, totals
 *   HostFacts.read()                        ──► cpu, microcode, kernel, NICs, disks, memory
 *   PowerMeter: RAPL, a file of an outside meter, or none
 * </pre>
 */
@NullMarked
package io.forebay.lab.host;

import org.jspecify.annotations.NullMarked;
