/**
 * Lock-free access of one event loop to the store: lookups, pins, writes and installs.
 *
 * <pre>
 *   lookup   loop ─▶ LaneLookup ─▶ NearIndex ─▶ index ─▶ pin ─▶ StoredHead
 *   install  loop ─▶ ObjectWriter ─▶ region ─▶ LaneInstaller ─▶ InstallUpdate ─▶ index
 *   absent   loop ─▶ InstallCounts: the same as before the last lookup, so nothing is there now
 *   purge    births of what is being written (LaneBirths) hold back the end of a purge
 * </pre>
 *
 * <p>Start at {@link StoreLane}. {@link StoreState} is what all lanes share. A lane is confined to
 * its loop.
 */
@NullMarked
package io.forebay.storage.lane;

import org.jspecify.annotations.NullMarked;
