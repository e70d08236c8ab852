package io.forebay.cli.expect;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an origin answers to a request.
 *
 * @param text of the body
 * @param size of a body of digits in place of the text; -1 for the text
 * @param ranges whether a range that is asked for is answered with 206
 * @param failure what becomes of the answer, or null where it is whole
 */
record ScriptedAnswer(
    int status,
    List<HeaderLine> headers,
    String text,
    int size,
    boolean ranges,
    @Nullable Failure failure) {

  /** How an origin fails. */
  enum Failure {
    /** The connection is closed before an answer. */
    CLOSES,
    /** The connection is closed in the middle of the body. */
    BREAKS_OFF
  }

  byte[] body() {
    if (size < 0) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    byte[] body = new byte[size];
    for (int i = 0; i < size; i++) {
      body[i] = (byte) ('0' + i % 10);
    }
    return body;
  }
}
