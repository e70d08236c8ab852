package io.forebay.server.geo;

import io.forebay.server.network.IpAddress;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Tells where addresses are, and remembers those that were looked up lately in a table of fixed
 * size. One for each load of the configuration; any thread.
 */
public final class GeoLocator {

  /** Without files. */
  public static final GeoLocator NONE = new GeoLocator(null, null);

  private static final int REMEMBERED = 8192;

  private final @Nullable MmdbFile countries;
  private final @Nullable MmdbFile networks;
  private final @Nullable AtomicReferenceArray<GeoLocation> remembered;

  /**
   * With the files that are there.
   *
   * @param countries has countries, or null
   * @param networks has AS numbers, or null
   */
  public GeoLocator(@Nullable MmdbFile countries, @Nullable MmdbFile networks) {
    this.countries = countries;
    this.networks = networks;
    this.remembered =
        countries == null && networks == null ? null : new AtomicReferenceArray<>(REMEMBERED);
  }

  public @Nullable MmdbFile countries() {
    return countries;
  }

  public @Nullable MmdbFile networks() {
    return networks;
  }

  /** What is remembered of an address, or null. Allocates nothing. */
  public @Nullable GeoLocation known(IpAddress address) {
    GeoLocation location = remembered == null ? null : remembered.get(slot(address));
    return location != null && location.address().equals(address) ? location : null;
  }

  /** What the files say of an address; takes some microseconds. */
  public GeoLocation locate(IpAddress address) {
    GeoLocation known = known(address);
    if (known != null) {
      return known;
    }
    GeoLocation location =
        new GeoLocation(
            address,
            countries == null ? null : countries.country(address),
            networks == null ? null : networks.asn(address));
    if (remembered != null) {
      remembered.set(slot(address), location);
    }
    return location;
  }

  private static int slot(IpAddress address) {
    long mixed = (address.hi() ^ Long.rotateLeft(address.lo(), 17)) * 0x9e3779b97f4a7c15L;
    return (int) (mixed >>> 51);
  }
}
