package io.forebay.server.origin;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.TooLongHttpHeaderException;

/**
 * Checks the names in a response head for what the parser hides: the parser ends a field name at
 * the first blank, so {@code X A: b} would become a field {@code X}, and it does not count field
 * lines. Of the status line and of values only the ends are looked for.
 *
 * <p>Positions count from the reader index, so that they outlive a compaction of the buffer.
 */
final class ResponseHeadValidator {

  private final int mostLines;

  private int scanned;
  private int lines;
  private boolean hasStatusLine;
  private boolean isLineEmpty;
  private boolean isInName;
  private boolean isNameOver;
  private boolean isDone;

  ResponseHeadValidator(int mostLines) {
    this.mostLines = mostLines;
  }

  /** Begins the next head. */
  void reset() {
    scanned = 0;
    lines = 0;
    hasStatusLine = false;
    isLineEmpty = true;
    isInName = false;
    isDone = false;
  }

  /** Bytes were taken from the front of the buffer. */
  void consumed(int lengthBytes) {
    scanned = Math.max(0, scanned - lengthBytes);
  }

  /**
   * Looks over what is new in the buffer, to the end of the head at most.
   *
   * @throws IllegalArgumentException when it must not be passed on, with the reason
   */
  void check(ByteBuf in) {
    int start = in.readerIndex();
    int end = in.writerIndex();
    int at = start + scanned;
    while (!isDone && at < end) {
      if (hasStatusLine && (isLineEmpty || isInName)) {
        onByte(in.getByte(at++));
        continue;
      }
      int lineEnd = in.indexOf(at, end, (byte) '\n');
      at = lineEnd < 0 ? end : lineEnd + 1;
      if (lineEnd >= 0) {
        onLineEnd();
      }
    }
    scanned = at - start;
  }

  /** Of a field line, up to the colon. */
  private void onByte(byte b) {
    if (b == '\n') {
      onLineEnd();
    } else if (b == '\r') {
      // Ends a line or is refused by the parser: nothing that a line could begin with.
      return;
    } else if (isLineEmpty) {
      isLineEmpty = false;
      onFieldStart(b);
    } else if (isInName) {
      onNameByte(b);
    }
  }

  private void onFieldStart(byte first) {
    if (isBlank(first)) {
      // A folded line continues a field (RFC 9112 §5.2); before the first there is none.
      if (lines == 0) {
        throw new IllegalArgumentException("a blank before the first field");
      }
      isInName = false;
      return;
    }
    if (++lines > mostLines) {
      throw new TooLongHttpHeaderException("more than " + mostLines + " field lines");
    }
    isInName = true;
    isNameOver = false;
    onNameByte(first);
  }

  private void onNameByte(byte b) {
    if (b == ':') {
      isInName = false;
    } else if (isBlank(b)) {
      // Between name and colon a proxy takes it away (RFC 9112 §5.1); the parser does.
      isNameOver = true;
    } else if (isNameOver) {
      throw new IllegalArgumentException("a blank in a field's name");
    }
  }

  private void onLineEnd() {
    if (!hasStatusLine) {
      hasStatusLine = true;
    } else if (isLineEmpty) {
      isDone = true;
    }
    isLineEmpty = true;
    isInName = false;
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t';
  }
}
