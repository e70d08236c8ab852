/**
 * One owner of a data directory: a lock file that a second process cannot take.
 *
 * <p>Start at {@link DirectoryLock}.
 */
@NullMarked
package io.forebay.storage.lock;

import org.jspecify.annotations.NullMarked;
