package io.forebay.storage.purge;

import org.jspecify.annotations.Nullable;

/**
 * A number from the node's sequence, together with the position in the log of purges that was read
 * after the number was taken.
 *
 * <p>Any purge of the log with a smaller number than this one is at or before that position: its
 * position had been stored before its number was taken. A purge with a larger number removes what
 * is stored under this one. So a response that another node gives once it has applied the log up to
 * {@code begun} is safe to store under {@code number}. The applied position in its place would not
 * do: it lags behind the numbers of purges that are being applied.
 *
 * @param number -1 when none is reserved
 * @param begun null when the node follows no log
 */
record Birth(long number, @Nullable PurgePosition begun) {}
