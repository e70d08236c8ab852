package io.forebay.server.network;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * An IP address as a number of 128 bits. An IPv4 address is its IPv4-mapped IPv6 address (RFC 4291
 * §2.5.5.2), so both spellings of one client are the same.
 */
public record IpAddress(long hi, long lo) {

  /** No address is known: of a Unix-domain socket, for example. */
  public static final IpAddress UNKNOWN = new IpAddress(0, 0);

  private static final int V4_PREFIX = 96;
  private static final int V4_BITS = 32;
  private static final long V4_MARK = 0xffffL << V4_BITS;

  /** Reads an address without port and brackets; a zone is ignored. Null for anything else. */
  public static @Nullable IpAddress parse(CharSequence text) {
    IpAddressReader reader = new IpAddressReader();
    int end = 0;
    while (end < text.length() && text.charAt(end) != '%') {
      end++;
    }
    return reader.read(text, 0, end) ? new IpAddress(reader.hi(), reader.lo()) : null;
  }

  /** The same; {@link #UNKNOWN} for what is no address. */
  public static IpAddress of(CharSequence text) {
    IpAddress read = parse(text);
    return read == null ? UNKNOWN : read;
  }

  /** An address as it is written: dotted decimal, or IPv6 by RFC 5952. */
  public static String text(long hi, long lo) {
    try {
      return NetUtil.toAddressString(InetAddress.getByAddress(new IpAddress(hi, lo).bytes()));
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The same with zeros behind so many leading bits of an IPv4 or IPv6 address. */
  public IpAddress withoutHost(int prefixLength) {
    int fixed = prefix(isV4(), prefixLength);
    return new IpAddress(leading(hi, fixed), leading(lo, fixed - Long.SIZE));
  }

  private static long leading(long half, int bits) {
    return bits <= 0 ? 0 : bits >= Long.SIZE ? half : half & (-1L << (Long.SIZE - bits));
  }

  /** As it is written. */
  public String toText() {
    return text(hi, lo);
  }

  /** Its 4 or 16 bytes, the highest first. */
  public byte[] bytes() {
    boolean isV4 = isV4(hi, lo);
    byte[] bytes = new byte[isV4 ? 4 : 16];
    for (int i = 0; i < bytes.length; i++) {
      long half = isV4 || i >= Long.BYTES ? lo : hi;
      int shift = Byte.SIZE * (isV4 ? 3 - i : 7 - (i % Long.BYTES));
      bytes[i] = (byte) (half >>> shift);
    }
    return bytes;
  }

  public boolean isV4() {
    return isV4(hi, lo);
  }

  static boolean isV4(long hi, long lo) {
    return hi == 0 && (lo >>> V4_BITS) << V4_BITS == V4_MARK;
  }

  static long v4(long address) {
    return V4_MARK | address;
  }

  /** How many of the 128 bits are fixed by a prefix length as it is written for that address. */
  static int prefix(boolean isV4, int written) {
    return isV4 ? written + V4_PREFIX : written;
  }
}
