/**
 * The disk tier: devices, each an independent store with its own file, directories and threads.
 *
 * <p>Records leave the memory tier for a device in large sequential writes. They are read from it
 * into transit buffers, and into memory when they are read again; so are, at once, heads whose
 * bodies lie in slices. An event loop reads from a device only what page cache holds.
 */
@NullMarked
package io.forebay.storage.disk;

import org.jspecify.annotations.NullMarked;
