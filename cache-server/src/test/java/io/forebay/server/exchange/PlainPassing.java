package io.forebay.server.exchange;

import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.route.Route;
import io.forebay.server.config.ServerConfig.ForwardingConfig;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.runtime.UpstreamRequest;

/**
 * For tests of other packages: the request that the node sends when it passes a client's request.
 */
public final class PlainPassing {
  private static final Route ROUTE = Route.toOrigin("any");

  private final UpstreamRequest upstream;

  public PlainPassing(ForwardingConfig config) {
    upstream = new UpstreamRequest(config);
  }

  public OriginRequest pass(RequestView request, ClientInfo client, RequestBody body) {
    boolean expectsContinue = request.has(KnownField.EXPECT) && body.lengthBytes() != 0;
    return upstream.pass(
        ROUTE, request, client, null, body, new OriginRequest.Hop(null, expectsContinue, false));
  }
}
