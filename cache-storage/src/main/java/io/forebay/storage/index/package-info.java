/**
 * The index: from a key to the location of its record. {@code TieredIndex} puts together a map of
 * what has a copy in memory, {@code ChronicleIndex}, and a table of what else each disk has, {@code
 * DiskIndex}. Before it each lane has a cache of its own: {@code NearIndex}, and {@code NearCopies}
 * with the coded copies of what is there.
 */
@NullMarked
package io.forebay.storage.index;

import org.jspecify.annotations.NullMarked;
