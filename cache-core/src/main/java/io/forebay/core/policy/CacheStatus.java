package io.forebay.core.policy;

import io.forebay.core.http.FieldSyntax;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Formats this node's member of the Cache-Status field (RFC 9211). One instance per node, because
 * the member begins with the node's name.
 */
public final class CacheStatus {

  /** For {@link #forwarded}: the origin's status is not known. */
  public static final int NO_STATUS = 0;

  private static final byte[] HIT = "; hit".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TTL = "; ttl=".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] DETAIL = "; detail=".getBytes(StandardCharsets.US_ASCII);
  private static final int MAX_DIGITS = 20;

  private final String name;
  private final byte[] nameBytes;

  /**
   * @param name a token that begins with a letter, such as {@code forebay}
   */
  public CacheStatus(String name) {
    if (!isStructuredToken(name)) {
      throw new IllegalArgumentException("not a token: " + name);
    }
    this.name = name;
    nameBytes = name.getBytes(StandardCharsets.US_ASCII);
  }

  /** Room that {@link #writeHit} needs at most. */
  public int maxHitLength() {
    return nameBytes.length + HIT.length + TTL.length + MAX_DIGITS + DETAIL.length + 32;
  }

  /**
   * Writes the member of a hit, such as {@code forebay; hit; ttl=123}, and gives the offset behind
   * it. Allocates nothing. The ttl of a stale response is negative (RFC 9211 §2.4), also where a
   * soft purge made it stale before its time.
   */
  public int writeHit(Reason reason, long ttlSeconds, byte[] into, int offset) {
    int end = put(nameBytes, into, offset);
    end = put(HIT, into, end);
    end = put(TTL, into, end);
    end = putNumber(reason.isStaleHit() ? Math.min(ttlSeconds, -1) : ttlSeconds, into, end);
    String detail = reason.detail();
    if (detail != null) {
      end = put(DETAIL, into, end);
      for (int i = 0; i < detail.length(); i++) {
        into[end++] = (byte) detail.charAt(i);
      }
    }
    return end;
  }

  /** The member of a hit as a text. */
  public String hit(Reason reason, long ttlSeconds) {
    byte[] text = new byte[maxHitLength()];
    int end = writeHit(reason, ttlSeconds, text, 0);
    return new String(text, 0, end, StandardCharsets.US_ASCII);
  }

  /**
   * The member of a request that went to the origin, such as {@code forebay; fwd=uri-miss;
   * fwd-status=200; stored}.
   *
   * @param fwdStatus the origin's status or {@link #NO_STATUS}
   * @param collapsed whether it waited for the fetch that another request had begun
   * @param notStored why the response was not stored; it is the detail when the reason has none
   */
  public String forwarded(
      Reason reason, int fwdStatus, boolean stored, boolean collapsed, @Nullable Reason notStored) {
    StringBuilder member = new StringBuilder(64).append(name);
    String fwd = reason.fwd();
    if (fwd != null) {
      member.append("; fwd=").append(fwd);
    }
    if (fwdStatus != NO_STATUS) {
      member.append("; fwd-status=").append(fwdStatus);
    }
    if (stored) {
      member.append("; stored");
    }
    if (collapsed) {
      member.append("; collapsed");
    }
    String detail = reason.detail();
    if (detail == null && notStored != null) {
      detail = notStored.detail();
    }
    if (detail != null) {
      member.append("; detail=").append(detail);
    }
    return member.toString();
  }

  /** Our member behind those of the caches nearer to the origin (RFC 9211 §2). */
  public static String append(@Nullable CharSequence received, String member) {
    return received == null || received.isEmpty() ? member : received + ", " + member;
  }

  private static int put(byte[] text, byte[] into, int offset) {
    System.arraycopy(text, 0, into, offset, text.length);
    return offset + text.length;
  }

  /** Writes a number in decimal and gives the offset behind it. */
  static int putNumber(long number, byte[] into, int offset) {
    int end = offset;
    if (number < 0) {
      into[end++] = '-';
    }
    int digits = 1;
    for (long rest = number / 10; rest != 0; rest /= 10) {
      digits++;
    }
    // Digits are taken off the negative number, which has room for Long.MIN_VALUE.
    long rest = number < 0 ? number : -number;
    for (int i = end + digits - 1; i >= end; i--) {
      into[i] = (byte) ('0' - rest % 10);
      rest /= 10;
    }
    return end + digits;
  }

  /** A token of structured fields (RFC 8941 §3.3.4). */
  private static boolean isStructuredToken(String text) {
    if (text.isEmpty() || !Character.isLetter(text.charAt(0))) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isOther = ":/".indexOf(c) >= 0;
      if (!isOther && !FieldSyntax.isTokenChar(c)) {
        return false;
      }
    }
    return true;
  }
}
