/** Reclaiming regions and sweeping out what purges killed. */
@NullMarked
package io.forebay.storage.evict;

import org.jspecify.annotations.NullMarked;
