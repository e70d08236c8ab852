/**
 * The command line: one package for each command over {@code console}.
 *
 * <p>Start at {@link Forebay}, which lists the commands.
 */
@NullMarked
package io.forebay.cli;

import org.jspecify.annotations.NullMarked;
