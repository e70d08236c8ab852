package io.forebay.server.loop;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Generates the request ids of one event loop: a prefix unique to the loop and the start, and a
 * counter. Ids identify log lines and are not secret.
 */
public final class RequestIds {

  private final String prefix;
  private long count;

  /**
   * A loop's ids.
   *
   * @param startMillis when the process started, so that ids do not repeat after a restart
   */
  public RequestIds(long startMillis, int loop) {
    this.prefix =
        Long.toHexString(startMillis) + "-" + HexFormat.of().toHexDigits((byte) loop) + "-";
  }

  /** Of a multipart body: unpredictable for authors of stored content (RFC 2046 §5.1.1). */
  public String boundary() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong());
  }

  public String next() {
    return prefix + Long.toHexString(++count);
  }
}
