/**
 * Servers of origins that an operator took out of service, and the file that keeps them.
 *
 * <pre>
 *   DrainOrder ──► OriginDrains ──► DrainFile ──► DATA/drained.servers
 *                      │
 *                      └──► Drains ──► endpoints of each event loop
 * </pre>
 *
 * <p>Start at {@link Drains}, which is immutable; {@code OriginDrains} in the package above
 * replaces it. The file is written before a drain is in force, so that a restart does not undo it.
 */
@NullMarked
package io.forebay.server.origin.drain;

import org.jspecify.annotations.NullMarked;
