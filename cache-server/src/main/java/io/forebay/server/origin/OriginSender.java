package io.forebay.server.origin;

import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginClient;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import org.jspecify.annotations.Nullable;

/** An origin client by which a request can be sent once more on behalf of a call. */
public interface OriginSender extends OriginClient {

  /**
   * Sends a request on behalf of a call that broke off, or that takes long: to another server where
   * there is one, within the retry budget of the origin and what is left of the call's total time.
   * The call itself goes on as it is.
   *
   * @param earlier a call of this client
   * @param isElsewhere whether only another server will do, and only at once
   * @param listener called as by {@link #send}
   * @return null if it is not sent
   */
  @Nullable OriginCall sendAgain(
      OriginCall earlier, OriginRequest request, boolean isElsewhere, OriginListener listener);
}
