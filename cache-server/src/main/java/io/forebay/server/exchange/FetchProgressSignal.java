package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.peer.PeerResponseField;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Shows another node that this one still fetches what it asked for: an interim response (102) at
 * once, and again in each period until the response begins. Confined to the loop of the response.
 */
final class FetchProgressSignal {
  private final EventLoop loop;
  private final ClientResponse response;
  private @Nullable Future<?> next;

  /** Sends the first one. */
  FetchProgressSignal(EventLoop loop, ClientResponse response) {
    this.loop = loop;
    this.response = response;
    send();
  }

  private void send() {
    next = null;
    if (response.awaitsHead()) {
      response.sink().informational(PeerResponseField.PROCESSING, HeaderFields.EMPTY);
      next = loop.schedule(this::send, PeerResponseField.PROCESSING_MILLIS, TimeUnit.MILLISECONDS);
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
