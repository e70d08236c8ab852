/**
 * IP addresses as numbers and sets of networks that are compiled once and searched without
 * allocation. Start at {@link NetworkSet}.
 *
 * <pre>
 *   "192.0.2.7", "2001:db8::7" ──► IpAddress: 128 bits, IPv4 as ::ffff:a.b.c.d
 *                                      │
 *   lists, files of networks ──► NetworkSet: sorted, disjoint ranges ──► contains?
 * </pre>
 */
@NullMarked
package io.forebay.server.network;

import org.jspecify.annotations.NullMarked;
