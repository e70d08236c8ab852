/**
 * Package exchange: one request in flight, the same for every protocol, as a table of named steps.
 */
@NullMarked
package io.forebay.server.exchange;

import org.jspecify.annotations.NullMarked;
