/** Package tunnel: relays bytes between a client and an origin after a change of protocol. */
@NullMarked
package io.forebay.server.tunnel;

import org.jspecify.annotations.NullMarked;
