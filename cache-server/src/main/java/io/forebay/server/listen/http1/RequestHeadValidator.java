package io.forebay.server.listen.http1;

import io.forebay.core.http.FieldSyntax;
import io.forebay.server.listen.connection.Rejection;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Checks the bytes of a request head, line by line and each byte once, for what the decoder hides:
 * more than one empty line before the request, a request line other than three words separated by
 * single spaces, folded lines, and repeated Content-Length lines.
 *
 * <p>Positions count from the reader index, so that they outlive a compaction of the buffer.
 */
final class RequestHeadValidator {

  private static final String CONTENT_LENGTH = "content-length";
  private static final int VERSION_LENGTH = "HTTP/1.1".length();

  // Where the line begins that is not complete yet, and how far its end has been looked for.
  private int lineStart;
  private int scanned;
  private int emptyLines;
  private int contentLengths;
  private boolean hasRequestLine;
  private boolean isDone;

  /** Begins the next head. */
  void reset() {
    lineStart = 0;
    scanned = 0;
    emptyLines = 0;
    contentLengths = 0;
    hasRequestLine = false;
    isDone = false;
  }

  /** Whether nothing of a head has been seen yet, nor an empty line before it. */
  boolean isBetweenHeads() {
    return !hasRequestLine && emptyLines == 0 && scanned == 0;
  }

  /** Bytes were taken from the front of the buffer. */
  void consumed(int lengthBytes) {
    lineStart = Math.max(0, lineStart - lengthBytes);
    scanned = Math.max(0, scanned - lengthBytes);
  }

  /** Looks over what is new in the buffer, to the end of the head at most. */
  @Nullable Rejection check(ByteBuf in) {
    int base = in.readerIndex();
    int end = in.writerIndex();
    while (!isDone && base + lineStart < end) {
      int start = base + lineStart;
      if (scanned <= lineStart) {
        Rejection refusal = checkLineStart(in.getUnsignedByte(start));
        if (refusal != null) {
          return refusal;
        }
      }
      int lf = in.indexOf(Math.max(start, base + scanned), end, (byte) '\n');
      if (lf < 0) {
        scanned = end - base;
        return null;
      }
      boolean hasCr = lf > start && in.getByte(lf - 1) == '\r';
      Rejection refusal = checkLine(in, start, hasCr ? lf - 1 : lf);
      if (refusal != null) {
        return refusal;
      }
      lineStart = lf + 1 - base;
      scanned = lineStart;
    }
    return null;
  }

  /**
   * Whether the decoder must not see the bytes yet: it would take a CR in front of the request line
   * by itself, and whether that stood alone could no more be told.
   */
  boolean isBetweenCrAndLf(ByteBuf in) {
    int start = in.readerIndex() + lineStart;
    return !hasRequestLine && start < in.writerIndex() && in.getByte(start) == '\r';
  }

  private @Nullable Rejection checkLineStart(int first) {
    if (first == '\r' || (first == '\n' && hasRequestLine)) {
      return null;
    }
    if (!hasRequestLine) {
      return FieldSyntax.isTokenChar(first) ? null : Rejection.REQUEST_LINE;
    }
    return first == ' ' || first == '\t' ? Rejection.FOLDED : null;
  }

  private @Nullable Rejection checkLine(ByteBuf in, int start, int end) {
    if (start == end) {
      if (hasRequestLine) {
        isDone = true;
        return null;
      }
      // RFC 9112 §2.2: one empty line is taken from clients that end a body with it.
      return ++emptyLines > 1 ? Rejection.REQUEST_LINE : null;
    }
    if (!hasRequestLine) {
      hasRequestLine = true;
      int afterMethod = in.indexOf(start, end, (byte) ' ');
      int afterTarget = afterMethod < 0 ? -1 : in.indexOf(afterMethod + 1, end, (byte) ' ');
      boolean isSound =
          // Of a line that begins with a CR only that was seen, which is skipped by the decoder.
          FieldSyntax.isTokenChar(in.getUnsignedByte(start))
              && afterTarget > afterMethod + 1
              && afterTarget == end - VERSION_LENGTH - 1
              && isVersion(in, afterTarget + 1)
              // The decoder takes tabs and the like at the ends of a word for blanks: it drops
              // them.
              && in.getUnsignedByte(afterMethod - 1) > ' '
              && in.getUnsignedByte(afterMethod + 1) > ' '
              && in.getUnsignedByte(afterTarget - 1) > ' ';
      return isSound ? null : Rejection.REQUEST_LINE;
    }
    if (isContentLength(in, start, end) && ++contentLengths > 1) {
      return Rejection.CONTENT_LENGTH;
    }
    return null;
  }

  private static boolean isVersion(ByteBuf in, int start) {
    return in.getByte(start) == 'H'
        && in.getByte(start + 1) == 'T'
        && in.getByte(start + 2) == 'T'
        && in.getByte(start + 3) == 'P'
        && in.getByte(start + 4) == '/'
        && in.getByte(start + 6) == '.';
  }

  private static boolean isContentLength(ByteBuf in, int start, int end) {
    int length = CONTENT_LENGTH.length();
    if (end - start <= length
        || (in.getByte(start) | 0x20) != 'c'
        || in.getByte(start + length) != ':') {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if ((in.getByte(start + i) | 0x20) != (CONTENT_LENGTH.charAt(i) | 0x20)) {
        return false;
      }
    }
    return true;
  }
}
