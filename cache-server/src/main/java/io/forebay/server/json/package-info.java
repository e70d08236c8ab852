/**
 * JSON of the admin API: strict reading of bounded bodies, and errors with a status.
 *
 * <p>Start at {@link Json}.
 */
@NullMarked
package io.forebay.server.json;

import org.jspecify.annotations.NullMarked;
