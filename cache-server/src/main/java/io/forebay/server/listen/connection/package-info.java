/**
 * Connection handling common to all protocols: limits, overload, local replies, parsing a request's
 * fields.
 *
 * <p>Start at {@link ListenerContext}, which is what one loop's connections share. {@link
 * FramedRequest}, {@link RequestStream}, {@link StreamDispatcher}, {@link StreamProgress} and
 * {@link GoAwaySequence} serve HTTP/2 and HTTP/3.
 */
@NullMarked
package io.forebay.server.listen.connection;

import org.jspecify.annotations.NullMarked;
