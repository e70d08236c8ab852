/**
 * Text from outside made fit for messages and logs, and small checks of URLs.
 *
 * <p>Start at {@link Printable}.
 */
@NullMarked
package io.forebay.server.text;

import org.jspecify.annotations.NullMarked;
