package io.forebay.server.exchange;

import java.util.HexFormat;

/**
 * Request ids of one loop: a prefix that differs from loop to loop and start to start, and a count.
 * Ids are for finding log lines again, not secrets.
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

  String next() {
    return prefix + Long.toHexString(++count);
  }
}
