package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.peer.PeerResponseField;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells another node that its request waits here for a fetch: a 102 at once, and again in each
 * period until the response begins. Confined to the loop of the response.
 */
final class PeerSigns {
  private final EventLoop loop;
  private final ClientResponse response;
  private @Nullable Future<?> next;

  /** Gives the first sign. */
  PeerSigns(EventLoop loop, ClientResponse response) {
    this.loop = loop;
    this.response = response;
    give();
  }

  private void give() {
    next = null;
    if (response.awaitsHead()) {
      response.sink().informational(PeerResponseField.SIGN, HeaderFields.EMPTY);
      next = loop.schedule(this::give, PeerResponseField.SIGN_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  void end() {
    Future<?> waiting = next;
    if (waiting != null) {
      waiting.cancel(false);
      next = null;
    }
  }
}
