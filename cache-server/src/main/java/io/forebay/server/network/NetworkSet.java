package io.forebay.server.network;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An immutable set of networks: sorted ranges of addresses that neither overlap nor touch, 32 bytes
 * each. A lookup is a binary search and allocates nothing.
 */
public final class NetworkSet {

  /** Contains nothing. */
  public static final NetworkSet EMPTY = new NetworkSet(new long[0], 0);

  private static final int V4_BITS = 32;
  private static final int V6_BITS = 128;

  // Four a range: the first address and the last, each in two halves.
  private final long[] ranges;

  private final int networks;

  private NetworkSet(long[] ranges, int networks) {
    this.ranges = ranges;
    this.networks = networks;
  }

  /**
   * Reads networks such as {@code 10.0.0.0/8}, {@code 192.0.2.7} or {@code 2001:db8::/32}.
   *
   * @throws IllegalArgumentException for one that is no network
   */
  public static NetworkSet of(List<String> networks) {
    return of(networks, false);
  }

  /** The same where bits beyond a prefix length are ignored, as {@code 10.1.2.3/8} has them. */
  public static NetworkSet masked(List<String> networks) {
    return of(networks, true);
  }

  private static NetworkSet of(List<String> networks, boolean isMasked) {
    Builder builder = new Builder();
    builder.isMasked = isMasked;
    for (String network : networks) {
      String why = builder.add(network);
      if (why != null) {
        throw new IllegalArgumentException(network + " " + why);
      }
    }
    return builder.build();
  }

  /** Those that are in one of the sets. */
  public static NetworkSet union(Collection<NetworkSet> sets) {
    Builder builder = new Builder();
    for (NetworkSet set : sets) {
      for (int i = 0; i < set.ranges.length; i += 4) {
        builder.add(set.ranges[i], set.ranges[i + 1], set.ranges[i + 2], set.ranges[i + 3]);
      }
      builder.networks += set.networks;
    }
    return builder.build();
  }

  public boolean contains(long hi, long lo) {
    int low = 0;
    int high = ranges.length / 4 - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int at = 4 * middle;
      if (compare(hi, lo, ranges[at], ranges[at + 1]) < 0) {
        high = middle - 1;
      } else if (compare(hi, lo, ranges[at + 2], ranges[at + 3]) > 0) {
        low = middle + 1;
      } else {
        return true;
      }
    }
    return false;
  }

  public boolean contains(IpAddress address) {
    return contains(address.hi(), address.lo());
  }

  public boolean isEmpty() {
    return ranges.length == 0;
  }

  /** How many networks were given; overlapping ones count each. */
  public int networks() {
    return networks;
  }

  private static int compare(long hi, long lo, long otherHi, long otherLo) {
    int upper = Long.compareUnsigned(hi, otherHi);
    return upper != 0 ? upper : Long.compareUnsigned(lo, otherLo);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NetworkSet that
        && networks == that.networks
        && Arrays.equals(ranges, that.ranges);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(ranges);
  }

  @Override
  public String toString() {
    return networks + (networks == 1 ? " network" : " networks");
  }

  /** Collects networks. Not thread-safe. */
  static final class Builder {
    /** Where the IPv4 addresses are: ::ffff:0:0/96. */
    private static final int MAPPED_PREFIX = 96;

    private static final long MAPPED_FIRST = 0xffffL << 32;
    private static final long MAPPED_LAST = MAPPED_FIRST | 0xffff_ffffL;

    private final IpAddressReader reader = new IpAddressReader();
    private long[] ranges = new long[64];
    private int length;
    private int networks;
    private boolean isMasked;

    /** Adds a network; otherwise gives what is wrong with it. */
    @Nullable String add(String network) {
      int slash = network.indexOf('/');
      int end = slash < 0 ? network.length() : slash;
      if (!reader.read(network, 0, end)) {
        return "is not an IP address or network";
      }
      long hi = reader.hi();
      long lo = reader.lo();
      boolean isV4 = network.indexOf(':') < 0;
      int most = isV4 ? V4_BITS : V6_BITS;
      int written = slash < 0 ? most : bits(network, slash + 1);
      if (written < 0 || written > most) {
        return "has no prefix length of 0 to " + most;
      }
      int prefix = IpAddress.prefix(isV4, written);
      long maskHi = prefix >= Long.SIZE ? -1 : prefix == 0 ? 0 : -1L << (Long.SIZE - prefix);
      long maskLo = prefix <= Long.SIZE ? 0 : prefix == V6_BITS ? -1 : -1L << (V6_BITS - prefix);
      if (!isMasked && ((hi & ~maskHi) != 0 || (lo & ~maskLo) != 0)) {
        return "has bits set beyond its prefix length";
      }
      addNetwork(hi & maskHi, lo & maskLo, hi | ~maskHi, lo | ~maskLo, prefix);
      networks++;
      return null;
    }

    /** A shorter IPv6 prefix does not hold the IPv4 addresses, which are written as mapped ones. */
    private void addNetwork(long firstHi, long firstLo, long lastHi, long lastLo, int prefix) {
      boolean holdsMapped =
          prefix < MAPPED_PREFIX
              && firstHi == 0
              && compare(firstHi, firstLo, 0, MAPPED_FIRST) <= 0
              && compare(lastHi, lastLo, 0, MAPPED_LAST) >= 0;
      if (holdsMapped) {
        add(0, firstLo, 0, MAPPED_FIRST - 1);
        add(0, MAPPED_LAST + 1, lastHi, lastLo);
      } else {
        add(firstHi, firstLo, lastHi, lastLo);
      }
    }

    private static int bits(String text, int from) {
      int value = 0;
      for (int i = from; i < text.length(); i++) {
        char c = text.charAt(i);
        if (c < '0'
            || c > '9'
            || i - from == 3
            || (c == '0' && i == from && text.length() > i + 1)) {
          return -1;
        }
        value = value * 10 + c - '0';
      }
      return text.length() == from ? -1 : value;
    }

    private void add(long firstHi, long firstLo, long lastHi, long lastLo) {
      if (length == ranges.length) {
        ranges = Arrays.copyOf(ranges, 2 * length);
      }
      ranges[length++] = firstHi;
      ranges[length++] = firstLo;
      ranges[length++] = lastHi;
      ranges[length++] = lastLo;
    }

    NetworkSet build() {
      int count = length / 4;
      Integer[] order = new Integer[count];
      Arrays.setAll(order, i -> 4 * i);
      Arrays.sort(order, (a, b) -> compare(ranges[a], ranges[a + 1], ranges[b], ranges[b + 1]));
      long[] merged = new long[length];
      int end = 0;
      for (int at : order) {
        if (end > 0 && isJoined(merged, end - 4, ranges[at], ranges[at + 1])) {
          if (compare(ranges[at + 2], ranges[at + 3], merged[end - 2], merged[end - 1]) > 0) {
            merged[end - 2] = ranges[at + 2];
            merged[end - 1] = ranges[at + 3];
          }
        } else {
          System.arraycopy(ranges, at, merged, end, 4);
          end += 4;
        }
      }
      return new NetworkSet(Arrays.copyOf(merged, end), networks);
    }

    /** Whether a range that begins there overlaps the one before, or follows it at once. */
    private static boolean isJoined(long[] merged, int at, long hi, long lo) {
      long nextLo = merged[at + 3] + 1;
      long nextHi = merged[at + 2] + (nextLo == 0 ? 1 : 0);
      boolean isLastOfAll = nextHi == 0 && nextLo == 0;
      return isLastOfAll || compare(hi, lo, nextHi, nextLo) <= 0;
    }
  }
}
