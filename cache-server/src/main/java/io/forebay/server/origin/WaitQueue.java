package io.forebay.server.origin;

import io.forebay.server.origin.call.OriginFailure;
import java.time.Duration;

/** Where a call waits for a connection. */
interface WaitQueue {

  /** A call waits no longer: cancelled, or out of time. */
  void removeWaiting(PooledCall call);

  /** What a call fails with that has waited for so long. */
  OriginFailure waitedTooLong(Duration timeout);
}
