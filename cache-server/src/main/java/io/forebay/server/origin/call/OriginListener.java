package io.forebay.server.origin.call;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.tunnel.TunnelEnd;
import io.netty.buffer.ByteBuf;

/**
 * Receives the events of an origin call: {@code onInformational* (onFallback | onPeer)? onHead
 * onData* onEnd}, or {@code onFailure} at any point; exactly one of the last two ends the call.
 */
public interface OriginListener {

  void onInformational(int status, HeaderFields fields);

  /**
   * The origin took the upgrade up that the request offered: the last call, in place of all others.
   *
   * @param fields of the 101, checked
   * @param end the connection, which is the listener's from now on
   */
  default void onTunnel(HeaderFields fields, TunnelEnd end) {
    end.abort();
  }

  /**
   * Another origin stands in for the one that was asked: the response that follows is its.
   *
   * @param origin its name
   */
  default void onFallback(String origin) {}

  /**
   * Another node of the cluster answers: the response that follows is its.
   *
   * @param node its name
   */
  default void onPeer(String node) {}

  /**
   * The final response's head, checked: framing is sound, no field carries CR, LF or NUL.
   *
   * @param contentLength body bytes declared, 0 where a body is not allowed, or -1 if unknown
   * @param isCloseDelimited whether the body's end is only marked by the connection's close
   */
  void onHead(int status, HeaderFields fields, long contentLength, boolean isCloseDelimited);

  /** Body bytes; ownership passes. */
  void onData(ByteBuf data);

  /** One burst of reads is over: a moment to wake followers or flush. */
  void onReadComplete();

  /** The response is whole. */
  void onEnd(HeaderFields trailers);

  void onFailure(OriginFailure failure);
}
