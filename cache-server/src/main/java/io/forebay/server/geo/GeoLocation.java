package io.forebay.server.geo;

import io.forebay.server.network.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * What the files say of an address.
 *
 * @param country its code by ISO 3166-1, such as {@code DE}; null where it is not known
 * @param asn number of the autonomous system; null where it is not known
 */
public record GeoLocation(IpAddress address, @Nullable String country, @Nullable Long asn) {}
