package io.forebay.core.http;

/**
 * The request fields that can change what a cache does. The protocol adapter notes which are
 * present in the one pass in which it validates the fields, so that a hit asks a bit mask instead
 * of searching the fields a dozen times.
 */
public enum KnownField {
  ACCEPT_ENCODING("accept-encoding"),
  AUTHORIZATION("authorization"),
  CACHE_CONTROL("cache-control"),
  COOKIE("cookie"),
  EXPECT("expect"),
  IF_MATCH("if-match"),
  IF_MODIFIED_SINCE("if-modified-since"),
  IF_NONE_MATCH("if-none-match"),
  IF_RANGE("if-range"),
  IF_UNMODIFIED_SINCE("if-unmodified-since"),
  PRAGMA("pragma"),
  RANGE("range"),
  TRACEPARENT("traceparent"),
  UPGRADE("upgrade");

  private final String fieldName;

  KnownField(String fieldName) {
    this.fieldName = fieldName;
  }

  /** The field's name in lower case. */
  public String fieldName() {
    return fieldName;
  }

  /** This field's bit in {@link RequestView#knownFields()}. */
  public int bit() {
    return 1 << ordinal();
  }
}
