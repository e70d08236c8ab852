package io.forebay.server.loop;

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

  /**
   * A loop's ids.
   *
   * @param startMillis when the process started, so that ids do not repeat after a restart
   */
  public RequestIds(long startMillis, int loop) {
    this.prefix =
        Long.toHexString(startMillis) + "-" + HexFormat.of().toHexDigits((byte) loop) + "-";
    this.prefixState = state(FNV_OFFSET, prefix);
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

  /** As {@link #hash(CharSequence)} of the id of that number, which is not made for it. */
  public long hash(long number) {
    long state = prefixState;
    int digits = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(number) + 3) / 4);
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
