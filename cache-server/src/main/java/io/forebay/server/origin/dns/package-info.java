/**
 * Resolution of origin names: cached, refreshed before expiry, with the last good answer kept on
 * failure.
 *
 * <p>Start at {@link CachingNameResolver}; {@link DnsLookup} asks the network, and {@link
 * ServiceLookup} for SRV names.
 *
 * <pre>
 *   loops, probes, reports ──► CachingNameResolver ──► DnsLookup ──► hosts file, name servers
 *                              TTL, last good answer       │  ▲
 *                                                  srv:NAME▼  │targets
 *                                                     ServiceLookup
 * </pre>
 */
@NullMarked
package io.forebay.server.origin.dns;

import org.jspecify.annotations.NullMarked;
