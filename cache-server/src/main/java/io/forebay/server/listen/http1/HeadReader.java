package io.forebay.server.listen.http1;

import io.forebay.core.http.WireRequest;
import io.netty.buffer.ByteBuf;

/**
 * Parses simple requests from the bytes of a connection. It copies them first, which is faster than
 * reading each through a buffer. One per event loop and scheme; it keeps nothing between reads.
 */
public final class HeadReader {

  private final byte[] bytes = new byte[WireRequest.MAX_LENGTH];
  private final WireRequest request;
  private int at;
  private int end;

  public HeadReader(String scheme) {
    request = new WireRequest(scheme);
  }

  /** Begins with what is in the buffer, as far as it finds room here. */
  void take(ByteBuf from) {
    at = 0;
    end = Math.min(from.readableBytes(), bytes.length);
    from.getBytes(from.readerIndex(), bytes, 0, end);
  }

  /** What was read last; good until the next read. */
  WireRequest request() {
    return request;
  }

  /** Reads the next head; its length, or 0 when it is not plain or not whole. */
  int next(int maxTargetLength, int maxFields) {
    int from = at;
    int to = request.read(bytes, from, end, maxTargetLength, maxFields);
    if (to == WireRequest.NOT_READ) {
      return 0;
    }
    at = to;
    return to - from;
  }
}
