/**
 * What a node says to systemd, which started it as a service of {@code Type=notify}: sd_notify(3).
 *
 * <pre>
 *   serve ──▶ ServiceManager ──▶ NotifySocket ──▶ datagram socket of systemd ($NOTIFY_SOCKET)
 *                   │                 ▲
 *                   └▶ thread "watchdog" ◀┄ answers ┄ event loops (LoopWatch)
 * </pre>
 *
 * <p>Start at {@link ServiceManager}. Where nothing was started by systemd, nothing is sent and no
 * thread runs.
 */
@NullMarked
package io.forebay.server.systemd;

import org.jspecify.annotations.NullMarked;
