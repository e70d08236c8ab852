/**
 * Where lines of logs go: standard output, files that are rotated, receivers of syslog.
 *
 * <pre>
 *   a log's thread ─▶ LogSink ─▶ LogOutput ┬▶ FileOutput ──▶ file ┄▶ RotatedFiles (old ones: kept, compressed)
 *                                          ├▶ SyslogOutput ─▶ SyslogTransport (Unix-domain socket, UDP, TCP)
 *                                          └▶ standard output
 * </pre>
 *
 * <p>Start at {@link LogOutputs} and {@link LogSink}. Outputs may block for the time of a write to
 * a file, so no event loop uses one; a receiver that takes nothing at the moment never blocks.
 */
@NullMarked
package io.forebay.server.logsink;

import org.jspecify.annotations.NullMarked;
