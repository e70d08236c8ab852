/**
 * Package fill: bringing a response from an origin into the store, followed by everyone who waits
 * for it.
 */
@NullMarked
package io.forebay.server.fill;

import org.jspecify.annotations.NullMarked;
