/**
 * Code that all commands share: terminal, output as text or JSON, exit codes, the admin client.
 *
 * <p>Start at {@link Output}, {@link ExitCode} and {@link AdminClient}.
 */
@NullMarked
package io.forebay.cli.console;

import org.jspecify.annotations.NullMarked;
