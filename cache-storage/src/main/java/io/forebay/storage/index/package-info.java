/**
 * The index: from a key to the location of its record. {@code TieredIndex} puts together a map of
 * what has a copy in memory, {@code ChronicleIndex}, and a table of what else each disk has, {@code
 * DiskIndex}.
 */
@NullMarked
package io.forebay.storage.index;

import org.jspecify.annotations.NullMarked;
