package io.forebay.server.accesslog;

import io.forebay.server.cmcd.Cmcd;
import io.forebay.server.config.LogConfig;
import io.forebay.server.config.LogTemplate;
import io.forebay.server.config.RouteLog;
import io.forebay.server.counters.LoopCounters;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Formats records as lines. Bytes from the network are text in ISO 8859-1 or escaped, so that every
 * byte has its place in the line whatever a client sends, and no line is more than one. Confined to
 * one thread.
 */
abstract sealed class AccessFormat permits JsonFormat, TextFormat {
  /**
   * No line is longer: every byte escaped, with room for numbers, names and short texts, and for
   * what a template writes between them.
   */
  static final int MAX_LINE_LENGTH =
      (AccessRecord.TEXT_LENGTH
                  + 2 * RouteLog.MAX_HEADERS * (AccessRecord.EXTRA_LENGTH + 128)
                  + 12 * 128)
              * 6
          + Cmcd.MAX_JSON
          + 4096;

  static final int MAX_SHORT_TEXT = 128;

  /** A host name of the DNS has 253 characters at most. */
  static final int MAX_SERVER_NAME = 256;

  /** What results of the cache are called. */
  static final byte[][] CACHE_NAMES =
      Stream.of(LoopCounters.CacheResult.values())
          .map(result -> ascii(result.name().toLowerCase(Locale.ROOT)))
          .toArray(byte[][]::new);

  private final RecordPrivacy privacy;

  // Where the line at hand is written; set by append.
  byte[] out = new byte[0];
  int at;

  AccessFormat(RecordPrivacy privacy) {
    this.privacy = privacy;
  }

  /** The format of a configuration. */
  static AccessFormat of(LogConfig.Lines lines) {
    RecordPrivacy privacy = RecordPrivacy.of(lines);
    LogTemplate template = lines.template();
    return template == null
        ? new JsonFormat(lines.fields(), privacy)
        : new TextFormat(template, privacy);
  }

  /**
   * Writes one line at a position of the target and returns where it ends. The target must have
   * {@link #MAX_LINE_LENGTH} bytes left there. The record loses what lines do not have.
   */
  final int append(byte[] target, int position, AccessRecord record) {
    out = target;
    at = position;
    privacy.apply(record);
    line(record);
    put('\n');
    return at;
  }

  /** Writes the line without its end. */
  abstract void line(AccessRecord record);

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  final void digits(long value) {
    if (value < 0) {
      put(ascii(Long.toString(value)));
      return;
    }
    int digits = 1;
    for (long rest = value / 10; rest > 0; rest /= 10) {
      digits++;
    }
    long rest = value;
    for (int index = at + digits - 1; index >= at; index--) {
      out[index] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    at += digits;
  }

  /** A share in hundredths of a percent as percent. */
  final void percent(int share) {
    digits(share / 100);
    int rest = share % 100;
    if (rest != 0) {
      put('.');
      put('0' + rest / 10);
      if (rest % 10 != 0) {
        put('0' + rest % 10);
      }
    }
  }

  final void put(byte[] bytes) {
    put(bytes, 0, bytes.length);
  }

  final void put(byte[] bytes, int from, int length) {
    System.arraycopy(bytes, from, out, at, length);
    at += length;
  }

  final void put(int b) {
    out[at++] = (byte) b;
  }
}
