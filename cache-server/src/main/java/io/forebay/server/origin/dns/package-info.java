/**
 * Names of origins to addresses: cached, refreshed before they expire, the last good answer kept.
 *
 * <p>Start at {@link CachingNameResolver}; {@link DnsLookup} asks the network.
 */
@NullMarked
package io.forebay.server.origin.dns;

import org.jspecify.annotations.NullMarked;
