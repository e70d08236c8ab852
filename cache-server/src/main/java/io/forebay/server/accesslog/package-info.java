/**
 * Notes of requests that have ended: the access log, of which loops write records into rings and
 * one thread formats and writes them, and the request ring, which other processes read.
 *
 * <pre>
 *   loop ─▶ RequestLog ─┬▶ AccessLogRing ─▶ AccessLog (thread) ─▶ AccessFormat ─▶ LogOutput
 *           AccessEvent   │  which ones:        RecordPrivacy         JsonFormat,     file, syslog,
 *                         │  RouteLog,          secrets and           TextFormat      …
 *                         │  LogSampling        addresses go
 *                         └▶ RingRecorder ─▶ package ring
 *                            RecordPrivacy
 * </pre>
 *
 * <p>Start at {@link RequestLog} and {@link AccessLog}. A full ring loses records and counts them;
 * a loop never waits.
 */
@NullMarked
package io.forebay.server.accesslog;

import org.jspecify.annotations.NullMarked;
