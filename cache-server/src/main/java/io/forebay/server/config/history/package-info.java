/**
 * The last configurations that the node accepted, kept in the data directory.
 *
 * <pre>
 *   start, reload, rollback ── accepted ──► {@link ConfigHistory} ──► DATA/config-history/
 *                                                │                     12.yaml  the file's text
 *                                                │                     12.included  included files
 *   config history, diff, rollback ◄── entries ──┘                     12.json  when, by whom, hash
 * </pre>
 */
@NullMarked
package io.forebay.server.config.history;

import org.jspecify.annotations.NullMarked;
