package io.forebay.server.rule;

import io.netty.util.NetUtil;
import java.util.ArrayList;
import java.util.List;

/**
 * An immutable set of networks. An address is 128 bits in two numbers, IPv4 as IPv4-mapped IPv6; a
 * search takes time logarithmic in the number of networks and allocates nothing.
 */
public final class AddressSet {
  private static final long MAPPED = 0xffffL << 32;
  private static final int BITS = 128;
  private static final int GROUPS = 8;

  // Disjoint ranges in ascending order, both ends inclusive.
  private final long[] fromHigh;
  private final long[] fromLow;
  private final long[] toHigh;
  private final long[] toLow;

  private record Range(long fromHigh, long fromLow, long toHigh, long toLow) {}

  private AddressSet(List<Range> ranges) {
    fromHigh = ranges.stream().mapToLong(Range::fromHigh).toArray();
    fromLow = ranges.stream().mapToLong(Range::fromLow).toArray();
    toHigh = ranges.stream().mapToLong(Range::toHigh).toArray();
    toLow = ranges.stream().mapToLong(Range::toLow).toArray();
  }

  /**
   * The addresses of some networks such as {@code 10.0.0.0/8}.
   *
   * @throws IllegalArgumentException when one is not an address or a network
   */
  public static AddressSet of(List<String> networks) {
    List<Range> ranges = new ArrayList<>();
    for (String network : networks) {
      addRange(ranges, network);
    }
    ranges.sort((a, b) -> compare(a.fromHigh, a.fromLow, b.fromHigh, b.fromLow));
    List<Range> disjoint = new ArrayList<>();
    for (Range range : ranges) {
      Range last = disjoint.isEmpty() ? null : disjoint.getLast();
      if (last != null && compare(range.fromHigh, range.fromLow, last.toHigh, last.toLow) <= 0) {
        if (compare(range.toHigh, range.toLow, last.toHigh, last.toLow) > 0) {
          disjoint.set(
              disjoint.size() - 1,
              new Range(last.fromHigh, last.fromLow, range.toHigh, range.toLow));
        }
      } else {
        disjoint.add(range);
      }
    }
    return new AddressSet(disjoint);
  }

  private static void addRange(List<Range> ranges, String network) {
    int slash = network.indexOf('/');
    String address = slash < 0 ? network : network.substring(0, slash);
    long[] bits = new long[2];
    if (!parse(address, bits)) {
      throw new IllegalArgumentException("not an address: " + address);
    }
    boolean isV4 = NetUtil.isValidIpV4Address(address);
    int most = isV4 ? 32 : BITS;
    int prefix = most;
    if (slash >= 0) {
      String length = network.substring(slash + 1);
      if (!length.matches("\\d{1,3}") || Integer.parseInt(length) > most) {
        throw new IllegalArgumentException("not a length of a prefix: " + length);
      }
      prefix = Integer.parseInt(length);
    }
    int hostBits = most - prefix;
    long highMask = hostBits <= 64 ? 0 : hostBits == BITS ? -1 : (1L << (hostBits - 64)) - 1;
    long lowMask = hostBits >= 64 ? -1 : (1L << hostBits) - 1;
    Range range =
        new Range(bits[0] & ~highMask, bits[1] & ~lowMask, bits[0] | highMask, bits[1] | lowMask);
    if (range.fromHigh == 0
        && hostBits > 32
        && compare(0, MAPPED, range.toHigh, range.toLow) <= 0
        && Long.compareUnsigned(range.fromLow, MAPPED) <= 0) {
      // A network of IPv6 holds no addresses of IPv4.
      ranges.add(new Range(0, range.fromLow, 0, MAPPED - 1));
      ranges.add(new Range(0, MAPPED + (1L << 32), range.toHigh, range.toLow));
    } else {
      ranges.add(range);
    }
  }

  boolean contains(long high, long low) {
    int first = 0;
    int last = fromHigh.length - 1;
    while (first <= last) {
      int middle = (first + last) >>> 1;
      if (compare(high, low, fromHigh[middle], fromLow[middle]) < 0) {
        last = middle - 1;
      } else if (compare(high, low, toHigh[middle], toLow[middle]) > 0) {
        first = middle + 1;
      } else {
        return true;
      }
    }
    return false;
  }

  private static int compare(long high, long low, long otherHigh, long otherLow) {
    int order = Long.compareUnsigned(high, otherHigh);
    return order != 0 ? order : Long.compareUnsigned(low, otherLow);
  }

  /** Reads an address into two numbers; false when it is none. Allocates nothing. */
  static boolean parse(String text, long[] into) {
    return text.indexOf(':') < 0 ? parseV4(text, 0, text.length(), into) : parseV6(text, into);
  }

  private static boolean parseV4(String text, int from, int end, long[] into) {
    long value = 0;
    int dots = 0;
    int digits = 0;
    int octet = 0;
    for (int i = from; i <= end; i++) {
      char c = i == end ? '.' : text.charAt(i);
      if (c == '.') {
        if (digits == 0 || octet > 255) {
          return false;
        }
        value = value << Byte.SIZE | octet;
        dots++;
        digits = 0;
        octet = 0;
      } else if (c >= '0' && c <= '9' && digits < 3) {
        octet = octet * 10 + (c - '0');
        digits++;
      } else {
        return false;
      }
    }
    into[0] = 0;
    into[1] = MAPPED | value;
    return dots == 4;
  }

  /** Groups before a double colon are counted from the left, those behind it from the right. */
  private static boolean parseV6(String text, long[] into) {
    int zone = text.indexOf('%');
    int end = zone < 0 ? text.length() : zone;
    long high = 0;
    long low = 0;
    int groups = 0;
    int gap = -1;
    int at = 0;
    if (text.startsWith("::")) {
      gap = 0;
      at = 2;
    }
    while (at < end) {
      int group = 0;
      int start = at;
      while (at < end && at - start < 5 && Character.digit(text.charAt(at), 16) >= 0) {
        group = group << 4 | Character.digit(text.charAt(at), 16);
        at++;
      }
      if (at < end && text.charAt(at) == '.') {
        if (groups > 6 || !parseV4(text, start, end, into)) {
          return false;
        }
        long v4 = into[1] & 0xffff_ffffL;
        high = high << 32 | low >>> 32;
        low = low << 32 | v4;
        groups += 2;
        break;
      }
      if (at == start || at - start > 4 || groups == GROUPS) {
        return false;
      }
      high = high << 16 | low >>> 48;
      low = low << 16 | group;
      groups++;
      if (at == end) {
        break;
      }
      if (text.charAt(at) != ':' || at + 1 == end) {
        return false;
      }
      at++;
      if (text.charAt(at) == ':') {
        if (gap >= 0) {
          return false;
        }
        gap = groups;
        at++;
      }
    }
    if (gap < 0 ? groups != GROUPS : groups >= GROUPS) {
      return false;
    }
    if (gap >= 0) {
      // Moves the groups before the gap to the left.
      int behind = 16 * (groups - gap);
      long behindHigh = behind > 64 ? high & mask(behind - 64) : 0;
      long behindLow = behind >= 64 ? low : low & mask(behind);
      long beforeHigh = high & ~(behind > 64 ? mask(behind - 64) : 0);
      long beforeLow = behind >= 64 ? 0 : low & ~mask(behind);
      int shift = 16 * (GROUPS - groups);
      if (shift >= 64) {
        beforeHigh = shift == 128 ? 0 : beforeLow << (shift - 64);
        beforeLow = 0;
      } else {
        beforeHigh = beforeHigh << shift | beforeLow >>> (64 - shift);
        beforeLow = beforeLow << shift;
      }
      high = beforeHigh | behindHigh;
      low = beforeLow | behindLow;
    }
    into[0] = high;
    into[1] = low;
    return true;
  }

  private static long mask(int bits) {
    return bits >= 64 ? -1 : (1L << bits) - 1;
  }
}
