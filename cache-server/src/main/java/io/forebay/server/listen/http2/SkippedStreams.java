package io.forebay.server.listen.http2;

/**
 * The stream identifiers that a client has skipped by opening a later one, which closes them (RFC
 * 9113 §5.1.1): a frame on one of them is a protocol error, not a late frame. Only the latest are
 * remembered; clients have no reason to skip any.
 */
final class SkippedStreams {

  private static final int GAPS = 16;

  private final int[] first = new int[GAPS];
  private final int[] last = new int[GAPS];
  private int gaps;
  private int newest = -1;

  /** A stream is there, or was refused. */
  void onSeen(int stream) {
    if (stream <= newest) {
      return;
    }
    if (stream > newest + 2) {
      first[gaps % GAPS] = newest + 2;
      last[gaps % GAPS] = stream - 2;
      gaps++;
    }
    newest = stream;
  }

  boolean contains(int stream) {
    for (int i = 0; i < Math.min(gaps, GAPS); i++) {
      if (stream >= first[i] && stream <= last[i]) {
        return true;
      }
    }
    return false;
  }
}
