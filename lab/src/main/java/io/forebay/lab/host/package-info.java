/**
 * The machine during a step: CPU of processes, bytes on the wire, page reclaim, disks, watts; and
 * what stands in a report's head. Reads {@code /proc} and {@code /sys}; what a machine lacks is
 * absent or null, never guessed.
 *
 * <pre>
 *   HostMeter.start(server, origin, client) ──► Recording ──► HostRecord: a HostSample a second,
 *        │                                                    and one for the measured part
 *        └─ HostReader ─┬─ ProcessGroup, CompilerThreads      CPU
 *                       ├─ MachineCounters                    wire, reclaim, disks
 *                       ├─ ResidentMemory                     memory, by NUMA node
 *                       └─ PowerMeter                         RAPL, an outside meter's file, none
 *   HostFacts.read()  ──► cpu, microcode, kernel, NICs, disks, memory
 * </pre>
 */
@NullMarked
package io.forebay.lab.host;

import org.jspecify.annotations.NullMarked;
