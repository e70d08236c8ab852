/**
 * The access log: loops write records into rings, one thread formats and writes them.
 *
 * <pre>
 *   loop ─▶ AccessLogRing ─▶ AccessLog (thread) ─▶ AccessFormat ─▶ LogOutput (file, syslog, …)
 *           which ones:                            RecordPrivacy: secrets and addresses go
 *           RouteLog, LogSampling                  JsonFormat, TextFormat
 * </pre>
 *
 * <p>Start at {@link AccessLog}. A full ring loses records and counts them; a loop never waits.
 */
@NullMarked
package io.forebay.server.accesslog;

import org.jspecify.annotations.NullMarked;
