/**
 * Values that describe a stored object: where its head and slices lie, and what its head record
 * holds.
 *
 * <p>Start at {@link StoredHead}; {@link HeadSpec} is what a writer gives.
 */
@NullMarked
package io.forebay.storage.object;

import org.jspecify.annotations.NullMarked;
