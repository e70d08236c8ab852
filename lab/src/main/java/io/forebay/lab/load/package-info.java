/**
 * Load on a server: a {@link io.forebay.lab.load.LoadPlan} goes in, a {@link
 * io.forebay.lab.load.LoadOutcome} comes out, whatever makes the load. The own client is a process
 * (here or on another host by ssh) that reads the plan as JSON on its standard input and writes
 * outcomes as lines of JSON: one {@code second} for each second, and {@code end} last.
 *
 * <pre>
 *   LoadPlan ──► LoadGenerator ──► OpenLoopClient   TLS, HTTP/1.1, HTTP/2, HTTP/3, rates in steps
 *                        │    └──► RemoteClients    the same on other hosts, merged
 *                        ├───────► Wrk              closed loop, HTTP/1.1
 *                        └───────► H2load           closed loop, HTTP/2 and HTTP/3
 * </pre>
 */
@NullMarked
package io.forebay.lab.load;

import org.jspecify.annotations.NullMarked;
