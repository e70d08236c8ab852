/**
 * The store: objects in a memory tier of regions and on disks, found through an index.
 *
 * <pre>
 *   loop ─▶ lane ─▶ index ─┬▶ memory regions ─▶ bytes
 *                          └▶ disk ─▶ promoted into memory
 *   reclaim thread: evict ─▶ disk (or dropped) ─▶ free regions
 *   purges: a journal on disk, matched at look-up, then swept
 * </pre>
 *
 * <p>Start at {@link ObjectStore}. Loops use {@link io.forebay.storage.lane.StoreLane}.
 */
@NullMarked
package io.forebay.storage;

import org.jspecify.annotations.NullMarked;
