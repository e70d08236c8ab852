/**
 * Restart and upgrade without a gap: a new process takes the listening sockets of the running one,
 * and then the store. Connections wait in the queues of the sockets meanwhile; none is refused.
 *
 * <pre>
 *   running process (A)              DATA/handover.sock            new process (B)
 *   Predecessor                                                    Successor
 *     serves                     ◄── take-over ───────────────       has checked everything
 *     serves                     ─── offer: names, keys ──────►
 *     serves                     ◄── sockets (2nd connection) ─
 *     serves                     ─── one descriptor a message ►      has the sockets
 *     serves, ends connections   ◄── begin ────────────────────
 *     accepts no more, closes the store
 *     waits                      ─── released ────────────────►      opens the store, accepts
 *     ends                       ◄── serving ──────────────────
 *
 *   B is gone before "begin":    A goes on as if nothing had been
 *   B is gone before "serving":  A opens the store again and accepts from the same sockets
 *   A is gone:                   B goes on by itself
 * </pre>
 *
 * <p>{@link io.forebay.server.handover.HandoverListener} listens on the socket and starts new
 * processes for {@code forebay upgrade}. {@link io.forebay.server.handover.HandoverConnection}
 * carries lines of JSON and descriptors. {@link io.forebay.server.handover.SocketActivation} reads
 * the sockets that systemd passes.
 *
 * <p>Start at {@link io.forebay.server.handover.Predecessor}.
 */
@NullMarked
package io.forebay.server.handover;

import org.jspecify.annotations.NullMarked;
