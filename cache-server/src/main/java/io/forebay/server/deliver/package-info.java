/** Package deliver: stored bytes on their way to a socket. */
@NullMarked
package io.forebay.server.deliver;

import org.jspecify.annotations.NullMarked;
