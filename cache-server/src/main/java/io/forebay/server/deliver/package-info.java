/** Package deliver: sends stored bytes to a socket. */
@NullMarked
package io.forebay.server.deliver;

import org.jspecify.annotations.NullMarked;
