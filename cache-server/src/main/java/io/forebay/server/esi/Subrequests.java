package io.forebay.server.esi;

import io.forebay.core.http.RequestView;
import io.forebay.server.config.EsiConfig;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.ResponseSink;

/** Starts exchanges of this node, for the client that asked for the page. */
public interface Subrequests {

  /** Starts an exchange; its sink may be called before this returns. */
  void start(RequestView request, RequestBody body, ResponseSink sink, EsiRole role);

  /** Which responses are assembled of the route that serves such a URL. */
  EsiConfig esi(String authority, String path);
}
