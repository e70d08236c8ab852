package io.forebay.server.origin.sign;

import java.util.List;

/** One way to mark or sign requests. Any event loop calls it; it must not block. */
interface RequestSigner {

  /** The request as it is to be sent now. */
  SignableRequest sign(SignableRequest request);

  /** What it does, for people: no value of a field, no key. */
  List<String> notes();
}
