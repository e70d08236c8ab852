package io.forebay.server.loop;

import io.forebay.core.http.Latin1Text;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Generates the request ids of one event loop: a prefix unique to the loop and the start, and a
 * counter. Ids identify log lines and are not secret.
 */
public final class RequestIds {

  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private final String prefix;
  private final long prefixState;
  private long count;

  /** The id of {@link #view}. */
  private final byte[] shown;

  private final Latin1Text view = new Latin1Text();

  /**
   * A loop's ids.
   *
   * @param startMillis when the process started, so that ids do not repeat after a restart
   */
  public RequestIds(long startMillis, int loop) {
    this.prefix =
        Long.toHexString(startMillis) + "-" + HexFormat.of().toHexDigits((byte) loop) + "-";
    this.prefixState = state(FNV_OFFSET, prefix);
    this.shown = Arrays.copyOf(prefix.getBytes(StandardCharsets.ISO_8859_1), prefix.length() + 16);
  }

  /** Of a multipart body: unpredictable for authors of stored content (RFC 2046 §5.1.1). */
  public String boundary() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong());
  }

  public String next() {
    return text(reserve());
  }

  /** The number of the next id, for which {@link #text} makes the text if it is needed. */
  public long reserve() {
    return ++count;
  }

  /** The id of that number. */
  public String text(long number) {
    return prefix + Long.toHexString(number);
  }

  /** The same without an object made for it, until the next call; on the loop only. */
  public CharSequence view(long number) {
    int digits = digits(number);
    int end = prefix.length() + digits;
    long rest = number;
    for (int at = end - 1; at >= prefix.length(); at--) {
      shown[at] = (byte) Character.forDigit((int) rest & 0xf, 16);
      rest >>>= 4;
    }
    return view.over(shown, 0, end);
  }

  private static int digits(long number) {
    return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(number) + 3) / 4);
  }

  /** As {@link #hash(CharSequence)} of the id of that number, which is not made for it. */
  public long hash(long number) {
    long state = prefixState;
    int digits = digits(number);
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
      state = next(state, Character.forDigit((int) (number >>> shift) & 0xf, 16));
    }
    return mixed(state);
  }

  /** A number that follows from an id; ids that differ little have numbers that differ much. */
  public static long hash(CharSequence id) {
    return mixed(state(FNV_OFFSET, id));
  }

  private static long state(long from, CharSequence text) {
    long state = from;
    for (int i = 0; i < text.length(); i++) {
      state = next(state, text.charAt(i));
    }
    return state;
  }

  private static long next(long state, char c) {
    return (state ^ c) * FNV_PRIME;
  }

  /** The last step of MurmurHash3; never 0 but for one state. */
  private static long mixed(long state) {
    long mixed = state;
    mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }
}
