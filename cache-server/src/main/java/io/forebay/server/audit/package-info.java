/**
 * The audit log: what operators had the node do, who they are, and what came of it.
 *
 * <pre>
 *   admin API ─┐
 *   PURGE ─────┼─▶ AuditEvent ─▶ AuditLog (queue, thread) ─▶ AuditFormat ─▶ LogOutput (file, syslog)
 *   signals ───┘
 * </pre>
 *
 * <p>Start at {@link AuditLog}. Threads that report an action never wait: if the queue is full, the
 * event is lost and counted.
 */
@NullMarked
package io.forebay.server.audit;

import org.jspecify.annotations.NullMarked;
