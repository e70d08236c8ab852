/**
 * Regions: reservation, generations, holds and pins.
 *
 * <pre>
 *   lane ──► TierSpace ─┬─► SpaceAllocator of cell 0 ──► open region ──► Reservation
 *                       └─► SpaceAllocator of cell 1         ▲
 *   reclaim thread ──── spare regions, open protected ───────┘
 * </pre>
 */
@NullMarked
package io.forebay.storage.region;

import org.jspecify.annotations.NullMarked;
