/**
 * The origins as configured: groups of servers with their URLs, addresses and TLS.
 *
 * <pre>
 *   {@link Origins} ──► {@link Origin}, a group ──► {@link OriginServer} ──► {@link ServerAddress}
 *    all, by name          balanced as one           URL, TLS, base path       what its name stands
 *                                                                              for and {@link
 *                                                                              AddressPolicy} allows
 * </pre>
 */
@NullMarked
package io.forebay.server.origin.group;

import org.jspecify.annotations.NullMarked;
