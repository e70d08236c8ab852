package io.forebay.server.response;

import io.forebay.core.policy.CacheStatus;
import io.forebay.core.policy.Reason;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Writes the header lines that change from response to response, without allocating. */
public final class HeadLines {

  private static final byte[] AGE = ascii("age: ");
  private static final byte[] CACHE_STATUS = ascii("cache-status: ");
  private static final byte[] CONTENT_RANGE = ascii("content-range: bytes ");
  private static final byte[] UNSATISFIED_RANGE = ascii("content-range: bytes */");
  private static final byte[] END = ascii("\r\n");

  private HeadLines() {}

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static void age(ByteBuf out, long seconds) {
    out.writeBytes(AGE);
    number(out, seconds);
    out.writeBytes(END);
  }

  /** Content-Range of a satisfied range, both ends inclusive; a total of -1 is not known. */
  static void contentRange(ByteBuf out, long first, long last, long total) {
    out.writeBytes(CONTENT_RANGE);
    number(out, first);
    out.writeByte('-');
    number(out, last);
    out.writeByte('/');
    if (total < 0) {
      out.writeByte('*');
    } else {
      number(out, total);
    }
    out.writeBytes(END);
  }

  static void unsatisfiedRange(ByteBuf out, long total) {
    out.writeBytes(UNSATISFIED_RANGE);
    number(out, total);
    out.writeBytes(END);
  }

  static void cacheStatus(ByteBuf out, String member) {
    out.writeBytes(CACHE_STATUS);
    text(out, member);
    out.writeBytes(END);
  }

  /** As {@link #cacheStatus}, for a hit; scratch holds at least the longest member of a hit. */
  static void cacheStatusHit(
      ByteBuf out, CacheStatus status, Reason why, long ttlSeconds, byte[] scratch) {
    out.writeBytes(CACHE_STATUS);
    out.writeBytes(scratch, 0, status.writeHit(why, ttlSeconds, scratch, 0));
    out.writeBytes(END);
  }

  public static void text(ByteBuf out, CharSequence text) {
    out.writeCharSequence(text, StandardCharsets.ISO_8859_1);
  }

  /** Decimal digits of a number that is not negative. */
  static void number(ByteBuf out, long value) {
    int digits = 1;
    for (long rest = value / 10; rest > 0; rest /= 10) {
      digits++;
    }
    int end = out.writerIndex() + digits;
    out.ensureWritable(digits);
    out.writerIndex(end);
    long rest = value;
    for (int at = end - 1; at >= end - digits; at--) {
      out.setByte(at, (byte) ('0' + rest % 10));
      rest /= 10;
    }
  }
}
