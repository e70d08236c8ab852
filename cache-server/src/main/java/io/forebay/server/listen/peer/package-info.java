/**
 * The listener for other nodes of the cluster that ask for objects: HTTP/1.1 over mutual TLS, on
 * every event loop. It hands requests to a handler of their own, with the name of the node that has
 * connected.
 */
@NullMarked
package io.forebay.server.listen.peer;

import org.jspecify.annotations.NullMarked;
