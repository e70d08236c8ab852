package io.forebay.server.ring;

import org.jspecify.annotations.Nullable;

/** A text of a record, with its tag and the bytes that a record has of it at most. */
public enum RingText {
  METHOD(1, 16),
  SCHEME(2, 8),
  HOST(3, 128),
  PATH(4, 512),
  QUERY(5, 256),
  PROTOCOL(6, 16),
  CLIENT(7, 64),
  ROUTE(8, 64),
  ORIGIN(9, 64),
  REASON(10, 64),
  REQUEST_ID(11, 48),
  USER_AGENT(12, 128),
  REFERER(13, 128),
  CODING(14, 16),
  ERROR(15, 128),
  ABORT(16, 32);

  private static final RingText[] BY_TAG = new RingText[values().length + 1];

  static {
    int sum = RingLayout.TEXTS_AT;
    for (RingText text : values()) {
      BY_TAG[text.tag] = text;
      sum += RingLayout.TEXT_PREFIX + text.maxLength;
    }
    if (sum > RingLayout.MAX_RECORD) {
      throw new IllegalStateException("a record of " + sum + " bytes");
    }
  }

  private final byte tag;
  private final int maxLength;

  RingText(int tag, int maxLength) {
    this.tag = (byte) tag;
    this.maxLength = maxLength;
  }

  byte tag() {
    return tag;
  }

  int maxLength() {
    return maxLength;
  }

  /** The text with that tag, or null. */
  static @Nullable RingText of(byte tag) {
    return tag > 0 && tag < BY_TAG.length ? BY_TAG[tag] : null;
  }
}
