/** Eviction: reclaiming regions, copying to disks, sweeping after purges, tuning. */
@NullMarked
package io.forebay.storage.evict;

import org.jspecify.annotations.NullMarked;
