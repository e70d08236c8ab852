/**
 * The running node: {@link io.forebay.server.Server} joins listeners, exchanges, store and admin.
 */
@NullMarked
package io.forebay.server;

import org.jspecify.annotations.NullMarked;
