package io.forebay.server.esi;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Finds ESI tags in a body that comes in pieces. What it makes of a body does not depend on where
 * the pieces are cut. Text goes through as slices of what came; held back is at most one tag.
 *
 * <pre>
 *           &lt; or -- or $(            prefix complete              &gt;
 *   TEXT ────────────────► PREFIX ─────────────────► TAG ─────────────────► open, close
 *     ▲                      │                       VARIABLE ── ) ───────► variable
 *     └──── no prefix: text ─┘◄──── malformed, too long or not known: text ──┘
 * </pre>
 *
 * A tag that is malformed, longer than {@link #MAX_TAG} or of an unknown name is text. So is a tag
 * in which another one begins; the other one counts.
 */
final class EsiParser {

  static final int MAX_TAG = 8 * 1024;
  static final int MAX_VARIABLE = 512;
  private static final int MAX_ATTRIBUTES = 16;

  /** Single bytes of text are collected up to so many. */
  private static final int LOOSE_BYTES = 512;

  private static final Set<String> NAMES =
      Set.of(
          "include",
          "remove",
          "comment",
          "try",
          "attempt",
          "except",
          "vars",
          "choose",
          "when",
          "otherwise");

  private static final byte[] OPEN = ascii("<esi:");
  private static final byte[] CLOSE = ascii("</esi:");
  private static final byte[] COMMENT = ascii("<!--esi");
  private static final byte[] COMMENT_END = ascii("-->");
  private static final byte[] VARIABLE = ascii("$(");

  /** What a body consists of, in order. */
  interface Handler {

    /** Text as it came; the bytes are only good during the call. */
    void text(ByteBuf source, int from, int length);

    /** The same, of bytes that were held back. */
    void text(byte[] bytes, int length);

    /** {@code $(expression)} within {@code <esi:vars>}. */
    void variable(String expression);

    /**
     * A tag begins.
     *
     * @param attributes as written, entities included
     * @param isEmpty whether it ends at once: {@code <esi:include .../>}
     */
    void open(String name, Map<String, String> attributes, boolean isEmpty);

    void close(String name);

    /** A tag was taken for text. */
    void left();
  }

  private enum At {
    TEXT,
    PREFIX,
    TAG,
    VARIABLE
  }

  private final Handler handler;

  private At at = At.TEXT;
  private byte[] held = new byte[64];
  private int heldLength;

  /** The quote within which the tag or variable is, or 0. */
  private byte quote;

  private boolean isInComment;
  private boolean isInVars;

  private final byte[] loose = new byte[LOOSE_BYTES];
  private int looseLength;

  EsiParser(Handler handler) {
    this.handler = handler;
  }

  /** Takes a piece; it stays the caller's. */
  void parse(ByteBuf piece) {
    int end = piece.writerIndex();
    int i = piece.readerIndex();
    while (i < end) {
      if (at == At.TEXT) {
        int next = special(piece, i, end);
        if (next > i) {
          flushLoose();
          handler.text(piece, i, next - i);
          i = next;
          continue;
        }
      }
      step(piece.getByte(i));
      i++;
    }
    flushLoose();
  }

  /** The body has ended: what was held back is text. */
  void end() {
    boolean isTag = at == At.TAG;
    int length = at == At.TEXT ? 0 : heldLength;
    at = At.TEXT;
    heldLength = 0;
    for (int i = 0; i < length; i++) {
      loose(held[i]);
    }
    if (isTag) {
      handler.left();
    }
    flushLoose();
  }

  /** Where the next byte is that may begin something, or the end. */
  private int special(ByteBuf piece, int from, int end) {
    if (!isInComment && !isInVars) {
      int next = piece.indexOf(from, end, (byte) '<');
      return next < 0 ? end : next;
    }
    int i = from;
    while (i < end && !isSpecial(piece.getByte(i))) {
      i++;
    }
    return i;
  }

  private boolean isSpecial(byte c) {
    return c == '<' || (c == '-' && isInComment) || (c == '$' && isInVars);
  }

  private void step(byte c) {
    switch (at) {
      case TEXT -> {
        if (isSpecial(c)) {
          heldLength = 0;
          hold(c);
          at = At.PREFIX;
        } else {
          loose(c);
        }
      }
      case PREFIX -> prefix(c);
      case TAG -> tag(c);
      case VARIABLE -> variable(c);
    }
  }

  private void prefix(byte c) {
    hold(c);
    if (is(OPEN) || is(CLOSE)) {
      at = At.TAG;
      quote = 0;
    } else if (is(COMMENT) && !isInComment) {
      isInComment = true;
      at = At.TEXT;
    } else if (is(COMMENT_END) && isInComment) {
      isInComment = false;
      at = At.TEXT;
    } else if (is(VARIABLE) && isInVars) {
      at = At.VARIABLE;
      quote = 0;
    } else if (!begins(OPEN)
        && !begins(CLOSE)
        && !(begins(COMMENT) && !is(COMMENT))
        && !begins(COMMENT_END)
        && !begins(VARIABLE)) {
      giveUp();
    }
  }

  /** The first byte held is text; whatever begins behind it is looked for again. */
  private void giveUp() {
    byte[] again = Arrays.copyOfRange(held, 1, heldLength);
    at = At.TEXT;
    loose(held[0]);
    heldLength = 0;
    for (byte c : again) {
      step(c);
    }
  }

  private void tag(byte c) {
    if (quote == 0 && c == '<') {
      textInstead();
      step(c);
      return;
    }
    hold(c);
    if (!isQuoted(c, "\"'") && c == '>') {
      finishTag();
      return;
    }
    if (heldLength >= MAX_TAG) {
      textInstead();
    }
  }

  /** What is held is no tag. */
  private void textInstead() {
    handler.left();
    asText();
  }

  private void asText() {
    at = At.TEXT;
    flushLoose();
    handler.text(held, heldLength);
    heldLength = 0;
  }

  private void variable(byte c) {
    if (c == '<' || c == '\n') {
      asText();
      step(c);
      return;
    }
    hold(c);
    if (!isQuoted(c, "'") && c == ')') {
      at = At.TEXT;
      flushLoose();
      handler.variable(latin1(VARIABLE.length, heldLength - 1));
      return;
    }
    if (heldLength >= MAX_VARIABLE) {
      asText();
    }
  }

  /** Whether a byte stands between quotes, or is one. */
  private boolean isQuoted(byte c, String quotes) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      }
      return true;
    }
    boolean isQuote = quotes.indexOf(c) >= 0;
    if (isQuote) {
      quote = c;
    }
    return isQuote;
  }

  private void finishTag() {
    boolean isClosing = held[1] == '/';
    int from = isClosing ? CLOSE.length : OPEN.length;
    String inside = latin1(from, heldLength - 1);
    int nameEnd = 0;
    while (nameEnd < inside.length() && isNameChar(inside.charAt(nameEnd))) {
      nameEnd++;
    }
    String name = inside.substring(0, nameEnd);
    boolean isEmpty = !isClosing && inside.endsWith("/");
    String rest = inside.substring(nameEnd, isEmpty ? inside.length() - 1 : inside.length());
    Map<String, String> attributes = new LinkedHashMap<>();
    boolean isKnown =
        NAMES.contains(name) && (isClosing ? rest.isBlank() : attributes(rest, attributes));
    if (!isKnown) {
      textInstead();
      return;
    }
    at = At.TEXT;
    flushLoose();
    if (isClosing) {
      handler.close(name);
    } else {
      handler.open(name, attributes, isEmpty);
    }
    if (name.equals("vars") && !isEmpty) {
      isInVars = !isClosing;
    }
  }

  /** Reads {@code name="value"} as often as it is there; false where that is not all. */
  private static boolean attributes(String text, Map<String, String> into) {
    int i = 0;
    while (true) {
      int start = i;
      i = skipBlanks(text, i);
      if (i == text.length()) {
        return true;
      }
      int nameStart = i;
      while (i < text.length() && isNameChar(text.charAt(i))) {
        i++;
      }
      String name = text.substring(nameStart, i);
      i = skipBlanks(text, i);
      if (nameStart == start || name.isEmpty() || i >= text.length() || text.charAt(i) != '=') {
        return false;
      }
      i = skipBlanks(text, i + 1);
      if (i >= text.length() || (text.charAt(i) != '"' && text.charAt(i) != '\'')) {
        return false;
      }
      int end = text.indexOf(text.charAt(i), i + 1);
      if (end < 0
          || into.size() == MAX_ATTRIBUTES
          || into.putIfAbsent(name, text.substring(i + 1, end)) != null) {
        return false;
      }
      i = end + 1;
    }
  }

  private static int skipBlanks(String text, int from) {
    int i = from;
    while (i < text.length() && " \t\r\n".indexOf(text.charAt(i)) >= 0) {
      i++;
    }
    return i;
  }

  private static boolean isNameChar(char c) {
    return (c >= 'a' && c <= 'z') || c == '-' || c == '_' || (c >= '0' && c <= '9');
  }

  // --- bytes ------------------------------------------------------------------------------------

  private void hold(byte c) {
    if (heldLength == held.length) {
      held = Arrays.copyOf(held, Math.min(MAX_TAG, 2 * held.length));
    }
    held[heldLength++] = c;
  }

  private void loose(byte c) {
    if (looseLength == loose.length) {
      flushLoose();
    }
    loose[looseLength++] = c;
  }

  private void flushLoose() {
    if (looseLength > 0) {
      int length = looseLength;
      looseLength = 0;
      handler.text(loose, length);
    }
  }

  private boolean is(byte[] whole) {
    return heldLength == whole.length && begins(whole);
  }

  /** Whether what is held is the beginning of that, or all of it. */
  private boolean begins(byte[] whole) {
    return heldLength <= whole.length && Arrays.equals(held, 0, heldLength, whole, 0, heldLength);
  }

  private String latin1(int from, int to) {
    return new String(held, from, to - from, StandardCharsets.ISO_8859_1);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
