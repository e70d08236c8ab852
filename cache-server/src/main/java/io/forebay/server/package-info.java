/**
 * The running node: {@link io.forebay.server.Server} connects listeners, exchanges, store and admin
 * API.
 */
@NullMarked
package io.forebay.server;

import org.jspecify.annotations.NullMarked;
