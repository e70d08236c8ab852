/**
 * Package listen: sockets, TLS and the protocol adapters that turn wire messages into a request
 * view, a body source and a response sink.
 */
@NullMarked
package io.forebay.server.listen;

import org.jspecify.annotations.NullMarked;
