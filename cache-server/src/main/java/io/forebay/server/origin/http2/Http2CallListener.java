package io.forebay.server.origin.http2;

import io.forebay.core.http.HeaderFields;
import io.netty.buffer.ByteBuf;

/**
 * Receives what comes of one request: {@code onInterim* onHead onData* onEnd}, or {@code onFailed}
 * at any point; one of the last two comes last. None is called within a method of {@link Http2Call}
 * or before {@link Http2Session#open} has returned.
 */
public interface Http2CallListener {

  void onInterim(int status, HeaderFields fields);

  /**
   * The final head, checked.
   *
   * @param contentLength body bytes declared, 0 where there is no body, or -1 if unknown
   */
  void onHead(int status, HeaderFields fields, long contentLength);

  /** Body bytes; ownership passes. */
  void onData(ByteBuf data);

  /** A burst of reads is over that brought something for this call. */
  void onReadComplete();

  /** The response is whole. */
  void onEnd(HeaderFields trailers);

  void onFailed(Http2Failure failure, String detail);

  /** Bytes of the request body have left; there may be room for more. */
  void onBodyWritten();
}
