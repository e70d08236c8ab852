package io.forebay.lab.origin;

import io.forebay.lab.body.Body;
import io.netty.handler.codec.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * A response before it is sent.
 *
 * @param content null for none
 * @param delayMillis before the first byte
 * @param bytesPerSecond of the body; 0 for no bound
 * @param isCut whether the connection closes after the first half of the body
 * @param isLast whether the connection closes after the response
 * @param isCounted false for the origin's own figures
 */
record Reply(
    HttpResponse head,
    @Nullable Content content,
    long delayMillis,
    long bytesPerSecond,
    boolean isCut,
    boolean isLast,
    boolean isCounted) {

  /** Bytes of a body, those of a path or a text. */
  sealed interface Content {
    long length();
  }

  /** From the byte {@code from} to the one before {@code end}. */
  record Part(Body body, long from, long end) implements Content {
    @Override
    public long length() {
      return end - from;
    }
  }

  /** A playlist or a message. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Text(byte[] bytes) implements Content {
    @Override
    public long length() {
      return bytes.length;
    }
  }
}
