package io.forebay.server.origin;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.group.OriginServer;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;

/** Makes the head of a request for HTTP/2 of the same fields as {@link RequestHeadWriter}. */
final class Http2RequestHead {
  private Http2RequestHead() {}

  static Http2Headers of(OriginRequest request, OriginServer server) {
    HeaderFields fields = request.fields();
    String host = fields.first("host");
    // What is in them was checked when the request was given to the client.
    Http2Headers head =
        new DefaultHttp2Headers(false)
            .method(request.method())
            .scheme(server.isTls() ? "https" : "http")
            .authority(host == null ? server.authority() : host)
            .path(request.target());
    for (int i = 0; i < fields.size(); i++) {
      String name = fields.name(i);
      if (!name.equals("host") && !RequestHeadWriter.isOfConnection(name)) {
        head.add(name, fields.value(i));
      }
    }
    if (request.hop().acceptsTrailers()) {
      head.add("te", "trailers");
    }
    if (request.hop().expectsContinue()) {
      head.add("expect", "100-continue");
    }
    long bodyLength = request.body().lengthBytes();
    if (bodyLength > 0 || (bodyLength == 0 && RequestHeadWriter.meansBody(request.method()))) {
      head.add("content-length", Long.toString(bodyLength));
    }
    return head;
  }
}
