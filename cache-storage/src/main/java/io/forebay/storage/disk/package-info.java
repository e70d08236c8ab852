/**
 * The disk tier: devices, each an independent store with its own file, directories and threads.
 *
 * <p>Records leave the memory tier for a device in large sequential writes and come back into it
 * before they are served: no event loop touches a device.
 */
@NullMarked
package io.forebay.storage.disk;

import org.jspecify.annotations.NullMarked;
