/**
 * {@code forebay store}: looks at what is stored, of a running node or of files at rest.
 *
 * <p>Start at {@link StoreCommand}.
 */
@NullMarked
package io.forebay.cli.store;

import org.jspecify.annotations.NullMarked;
