package io.forebay.server.origin;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.group.Origin;
import io.forebay.server.origin.group.OriginServer;
import io.forebay.server.origin.sign.OriginSigner;
import io.forebay.server.origin.sign.SignableRequest;

/** Brings a request into the form that a server gets: under its base path, and signed. */
final class RequestSigning {
  private RequestSigning() {}

  /** The request as it is sent to that server now; itself without a base path and a signer. */
  static OriginRequest signed(Origin origin, OriginServer server, OriginRequest given) {
    OriginRequest request = given.at(server.base().join(given.target()));
    OriginSigner signer = origin.signer();
    if (signer == null) {
      return request;
    }
    HeaderFields fields = request.fields();
    if (fields.first("host") == null) {
      // What is signed must be what is sent.
      HeaderFields.Builder withHost = HeaderFields.builder().add("host", server.authority());
      fields.forEach(withHost::add);
      fields = withHost.build();
    }
    SignableRequest signed =
        signer.sign(
            new SignableRequest(
                request.method(),
                request.target(),
                fields,
                request.body().lengthBytes() != 0,
                server.authority(),
                server.isTls()));
    return request.at(signed.target()).with(signed.fields());
  }
}
