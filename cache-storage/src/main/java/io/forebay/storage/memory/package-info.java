/** Mapped memory: the only place that maps files and opens arenas. */
@NullMarked
package io.forebay.storage.memory;

import org.jspecify.annotations.NullMarked;
