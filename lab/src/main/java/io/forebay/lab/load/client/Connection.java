package io.forebay.lab.load.client;

import io.forebay.lab.load.ErrorKind;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** An open connection. All is called on its loop's thread. */
abstract class Connection extends ChannelInboundHandlerAdapter {
  final ClientLoop loop;
  final Slot slot;

  /** Whether the loop has it in the queue of those with room. */
  boolean isQueued;

  /** Since when it has room. */
  long roomSince;

  /** When its last response ended, or its place became empty. */
  long freeSince;

  private final int mostRequests;
  private int begun;

  Connection(ClientLoop loop, Slot slot) {
    this.loop = loop;
    this.slot = slot;
    mostRequests = loop.plan().requestsPerConnection();
    freeSince = slot.emptySince;
  }

  /** Whether another request may begin now. */
  final boolean hasRoom() {
    return !isUsedUp() && isReady();
  }

  /** Whether it takes no more requests, so that it is closed when the last one has ended. */
  final boolean isUsedUp() {
    return isEnding() || (mostRequests > 0 && begun >= mostRequests);
  }

  final void begin(long due) {
    begun++;
    send(due);
  }

  /** Whether the protocol allows one more request now. */
  abstract boolean isReady();

  /** Whether the server takes no more requests on this connection, or it is closed. */
  abstract boolean isEnding();

  /** Requests whose response has not ended. */
  abstract int active();

  /** Draws a request and writes it. */
  abstract void send(long due);

  /** Ends requests that were due before this moment. */
  abstract void expire(long dueBefore);

  abstract void close();

  /** Notes when the first byte came. */
  static void began(Request request, long now) {
    if (request.firstByte < 0) {
      request.firstByte = now;
    }
  }

  /** Takes the next bytes of a body, which stay readable. */
  final void body(Request request, ByteBuf bytes, int count, long now) {
    BodyCheck.Expected check = request.check;
    if (check != null
        && request.failure == null
        && !check.matches(bytes.slice(bytes.readerIndex(), count), request.received)) {
      request.failure = ErrorKind.BODY;
    }
    request.received += count;
    loop.tally().bytes(request, count, now);
  }

  /** Notes the status. */
  static void status(Request request, int status) {
    if (status != 200) {
      request.failure = ErrorKind.STATUS;
    }
  }

  /** A response has come whole: counts it. */
  final void ended(Request request, long now) {
    if (request.failure == null && request.received != request.expected) {
      request.failure = request.received < request.expected ? ErrorKind.SHORT : ErrorKind.BODY;
    }
    if (request.failure == null) {
      loop.tally().ended(request, now);
    } else {
      loop.tally().failed(request, request.failure, now);
    }
    freeSince = now;
  }

  /** A response will not come whole: counts that. */
  final void broken(Request request, ErrorKind kind, long now) {
    loop.tally().failed(request, request.failure == null ? kind : request.failure, now);
    freeSince = now;
  }

  /** What a connection's end means for a request that is under way. */
  static ErrorKind cutOff(Request request) {
    return request.firstByte < 0 ? ErrorKind.RESET : ErrorKind.SHORT;
  }
}
