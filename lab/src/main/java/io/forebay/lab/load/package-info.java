/**
 * Load on a server: a {@link io.forebay.lab.load.LoadPlan} goes in, a {@link
 * io.forebay.lab.load.LoadOutcome} comes out, whatever makes the load. The own client is a process
 * (here or on another host by ssh) that reads the plan as JSON on its standard input and writes
 * outcomes as lines of JSON: one {@code second} for each second, and {@code end} last.
 *
 * <pre>
 *   LoadPlan ──► LoadGenerator ──► ClientProcess   TLS, HTTP/1.1, HTTP/2, HTTP/3, rates in steps
 *                        │    └──► RemoteClients   the same on other hosts, added up
 *                        ├───────► Wrk             closed loop, HTTP/1.1
 *                        └───────► H2load          closed loop, HTTP/2 and HTTP/3
 *
 *   ClientGroup ── RunningClient …  ◄─ ClientLines ─►  load.client.Client, one a process
 *   RequestDraw, ObjectPath         what is asked for, the same for all of them
 *   Measured, SecondCounts          what came of it, in forms that add up without loss
 * </pre>
 *
 * <p>Start at {@link io.forebay.lab.load.LoadGenerators}.
 */
@NullMarked
package io.forebay.lab.load;

import org.jspecify.annotations.NullMarked;
