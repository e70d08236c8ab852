/**
 * The configuration in force, compiled for the request path; a reload replaces it as a whole.
 *
 * <p>Start at {@link RuntimeConfig}. Immutable.
 */
@NullMarked
package io.forebay.server.runtime;

import org.jspecify.annotations.NullMarked;
