/**
 * Programs under test. Each is started for a step from a configuration that the lab writes, in a
 * directory of its own, and stopped by process id.
 *
 * <pre>
 *   TargetSpec ──► Target.start ──► RunningTarget   where it listens, its processes, its counters
 * </pre>
 */
@NullMarked
package io.forebay.lab.target;

import org.jspecify.annotations.NullMarked;
