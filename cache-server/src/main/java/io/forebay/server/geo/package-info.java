/**
 * Countries and networks (AS numbers) of clients, from MMDB files, for conditions of rules. Start
 * at {@link GeoLocator}.
 *
 * <pre>
 *   geo.country-file ──► MmdbFile ─┐ read whole at load
 *   geo.asn-file     ──► MmdbFile ─┴─► GeoLocator ──► GeoLocation: country, AS number
 *                                          └ table of the addresses that were looked up lately
 * </pre>
 *
 * Without rules that ask, no address is looked up.
 */
@NullMarked
package io.forebay.server.geo;

import org.jspecify.annotations.NullMarked;
