/**
 * The lab's own client, as one process: runs a {@link io.forebay.lab.load.LoadPlan} and tells what
 * came of it. It costs little CPU, so that it is not the bound: heads, frames and fields are read
 * in place, bodies are counted and dropped.
 *
 * <pre>
 *   Client            reads the plan, tells seconds and the end
 *     └─ ClientLoop   one a thread: its share of connections and of requests
 *          ├─ Arrivals      when requests are due (open loop)
 *          ├─ Phases        which moments count, and which are a closed loop
 *          ├─ Tally         what is counted
 *          └─ Slot …        one for each connection that the plan wants open
 *               └─ Connection   Http1Connection, Http2Connection, Http3Connection
 * </pre>
 *
 * <p>A request that is due while no connection has room waits, and its time runs on: there is no
 * coordinated omission. Times are nanoseconds since the load began.
 */
@NullMarked
package io.forebay.lab.load.client;

import org.jspecify.annotations.NullMarked;
