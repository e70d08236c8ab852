package io.forebay.server.response;

import io.forebay.server.rule.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * A head as conditions see it: the lines that are written so far, or all those of a stored response
 * where only some of them are sent. A flyweight that allocates nothing, used for one head after the
 * other.
 */
final class HeadFacts implements ResponseHead, CharSequence {
  private ByteBuf lines = Unpooled.EMPTY_BUFFER;
  private int status;
  private int from;
  private int to;
  private boolean isFolded;

  HeadFacts of(int ofStatus, ByteBuf fieldLines) {
    status = ofStatus;
    lines = fieldLines;
    from = 0;
    to = 0;
    return this;
  }

  /** Holds no buffer any more. */
  void clear() {
    lines = Unpooled.EMPTY_BUFFER;
  }

  @Override
  public int status() {
    return status;
  }

  @Override
  public @Nullable CharSequence mediaType() {
    if (next("content-type", FIRST) < 0) {
      return null;
    }
    int end = from;
    while (end < to && lines.getByte(end) != ';') {
      end++;
    }
    to = end;
    trim();
    isFolded = true;
    return this;
  }

  @Override
  public int next(String lowerCaseName, int at) {
    isFolded = false;
    int line = at == FIRST ? lines.readerIndex() : lineEnd(at);
    while (line < lines.writerIndex()) {
      int end = lineEnd(line);
      if (isOf(lowerCaseName, line, end)) {
        from = line + lowerCaseName.length() + 1;
        to = end;
        trim();
        return line;
      }
      line = end;
    }
    return -1;
  }

  private int lineEnd(int line) {
    int end = lines.indexOf(line, lines.writerIndex(), (byte) '\n');
    return end < 0 ? lines.writerIndex() : end + 1;
  }

  private boolean isOf(String name, int line, int end) {
    if (end - line <= name.length() || lines.getByte(line + name.length()) != ':') {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      if (lines.getByte(line + i) != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private void trim() {
    while (from < to && isSpace(lines.getByte(from))) {
      from++;
    }
    while (from < to && isSpace(lines.getByte(to - 1))) {
      to--;
    }
  }

  private static boolean isSpace(byte octet) {
    return octet == ' ' || octet == '\t' || octet == '\r' || octet == '\n';
  }

  @Override
  public CharSequence value() {
    return this;
  }

  @Override
  public int length() {
    return to - from;
  }

  @Override
  public char charAt(int index) {
    char c = (char) (lines.getByte(from + index) & 0xff);
    return isFolded && c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return toString().substring(start, end);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(length());
    for (int i = 0; i < length(); i++) {
      text.append(charAt(i));
    }
    return text.toString();
  }
}
