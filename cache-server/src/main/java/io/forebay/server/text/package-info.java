/**
 * Text utilities: sanitizing of external text for messages and logs, and checks of URLs.
 *
 * <p>Start at {@link Printable}.
 */
@NullMarked
package io.forebay.server.text;

import org.jspecify.annotations.NullMarked;
