package io.forebay.server.rule;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An immutable set of texts that is searched with a part of a text, without allocating. Its members
 * come from the configuration, so clients cannot cause collisions.
 */
public final class TextSet {
  private final @Nullable String[] slots;
  private final int mask;
  private final int longest;
  private final boolean ignoresCase;

  private TextSet(Collection<String> texts, boolean ignoresCase) {
    this.ignoresCase = ignoresCase;
    slots = new @Nullable String[Integer.highestOneBit(Math.max(1, texts.size())) * 4];
    mask = slots.length - 1;
    int length = 0;
    for (String text : texts) {
      String member = ignoresCase ? text.toLowerCase(Locale.ROOT) : text;
      int slot = slot(member, 0, member.length());
      while (slots[slot] != null && !member.equals(slots[slot])) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = member;
      length = Math.max(length, member.length());
    }
    longest = length;
  }

  public static TextSet of(Collection<String> texts) {
    return new TextSet(texts, false);
  }

  /** Upper and lower case of ASCII letters are the same. */
  public static TextSet ofIgnoringCase(Collection<String> texts) {
    return new TextSet(texts, true);
  }

  boolean contains(CharSequence text, int from, int to) {
    return find(text, from, to) != null;
  }

  /** The member that is the same as a part of a text, or null. */
  @Nullable String find(CharSequence text, int from, int to) {
    if (to - from > longest) {
      return null;
    }
    for (int slot = slot(text, from, to); ; slot = (slot + 1) & mask) {
      String member = slots[slot];
      if (member == null || isSame(text, from, to, member)) {
        return member;
      }
    }
  }

  private int slot(CharSequence text, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + folded(text.charAt(i));
    }
    return (hash ^ hash >>> 16) & mask;
  }

  private boolean isSame(CharSequence text, int from, int to, String member) {
    if (to - from != member.length()) {
      return false;
    }
    for (int i = 0; i < member.length(); i++) {
      if (folded(text.charAt(from + i)) != member.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private char folded(char c) {
    return ignoresCase && c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
  }
}
