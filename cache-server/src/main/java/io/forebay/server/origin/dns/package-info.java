/**
 * Resolution of origin names: cached, refreshed before expiry, with the last good answer kept on
 * failure.
 *
 * <p>Start at {@link CachingNameResolver}; {@link DnsLookup} asks the network.
 */
@NullMarked
package io.forebay.server.origin.dns;

import org.jspecify.annotations.NullMarked;
