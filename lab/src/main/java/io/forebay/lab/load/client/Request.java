package io.forebay.lab.load.client;

import io.forebay.lab.load.ErrorKind;
import org.jspecify.annotations.Nullable;

/** A request and what has come of its response. Used again and again. */
final class Request {
  long due;
  int object;
  long number;

  /** Bytes that the body has, by the plan. */
  long expected;

  /** Of the body, so far. */
  long received;

  /** How many of these came in a time that counts. */
  long measuredBytes;

  /** When it came; -1 before. */
  long firstByte;

  /** What is wrong with a response that goes on, or null. */
  @Nullable ErrorKind failure;

  /** What the body is compared with, or null. */
  BodyCheck.@Nullable Expected check;

  /** Of HTTP/2: bytes since the server was given credit. */
  int uncredited;

  void begin(long due) {
    this.due = due;
    received = 0;
    measuredBytes = 0;
    firstByte = -1;
    failure = null;
    check = null;
    uncredited = 0;
  }
}
