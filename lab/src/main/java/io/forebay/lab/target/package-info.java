/**
 * Programs under test. Each is started for a step from a configuration that the lab writes, in a
 * directory of its own, and stopped by process id.
 *
 * <pre>
 *   TargetSpec ──► Target.start ──► RunningTarget   where it listens, its processes, its counters
 *       │             │                  ▲
 *       │             │                  └─ StartedTarget: a ProgramProcesses, and how it is asked
 *       │             ├─ forebay   admin API              ├─ varnish   varnishstat, hitch for TLS
 *       │             ├─ nginx     status page, miss log  └─ haproxy   statistics socket
 *       │             └─ ats       plugin stats_over_http
 *       └──► TargetGroup.divide ──► TargetGroup   several instances, each with its CPUs and disks
 *
 *   wanted hit ratio ──► RunningTarget.memoryForHitRatio   the program's miss-ratio curve, or
 *                    └─► StoreSizeSearch                   measurements at sizes that it proposes
 * </pre>
 *
 * <p>Start at {@link io.forebay.lab.target.Targets}. A program is configured by its own class
 * alone; docs/LAB.md, Programs, says which settings it has and why they are fair.
 */
@NullMarked
package io.forebay.lab.target;

import org.jspecify.annotations.NullMarked;
