package io.forebay.server.listen.http1;

import io.netty.channel.Channel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Read flow control of a connection: owns auto-read, the bytes held back from the decoder, and
 * whether part of a header section has arrived. Confined to the event loop.
 */
final class ReadFlowControl {
  private static final Logger LOG = LoggerFactory.getLogger(ReadFlowControl.class);

  private final Http1Connection connection;
  private final Channel channel;
  private final RequestDecoder decoder;
  private final Runnable resumption = this::resume;

  private boolean isAutoRead = true;
  private boolean isResuming;
  private boolean hasPartialHead;
  private boolean hasDecoded;

  ReadFlowControl(Http1Connection connection, Channel channel, RequestDecoder decoder) {
    this.connection = connection;
    this.channel = channel;
    this.decoder = decoder;
  }

  /** The decoder has seen bytes; {@code isHead} where they can belong to a header section alone. */
  void onBytes(boolean isHead) {
    hasPartialHead = isHead && (!hasDecoded || decoder.heldBytes() > 0);
    hasDecoded = false;
  }

  /** The decoder has made a message of bytes. */
  void onMessage() {
    hasDecoded = true;
  }

  /** The fast lane has taken bytes up to the end of a request. */
  void onFastBytes() {
    hasPartialHead = false;
  }

  /** Whether a request has begun and its header section is not complete. */
  boolean hasPartialHead() {
    return hasPartialHead;
  }

  /** Whether bytes of the client wait in the decoder. */
  boolean hasHeldBytes() {
    return decoder.heldBytes() > 0;
  }

  /** Drops what the decoder holds and all that still comes. */
  void discard() {
    decoder.discard();
  }

  /** Decodes the retained bytes, after the present call has returned. */
  void resumeSoon() {
    // While decoding, the decoder asks the gate again before it returns. Otherwise the next request
    // must not begin inside the call that ended the last.
    if (!decoder.isDecoding() && !isResuming && (!isAutoRead || decoder.heldBytes() > 0)) {
      isResuming = true;
      channel.eventLoop().execute(resumption);
    }
  }

  private void resume() {
    isResuming = false;
    if (connection.isClosed()) {
      return;
    }
    try {
      decoder.resume();
    } catch (Exception e) {
      LOG.debug("{}: decoding failed", channel.remoteAddress(), e);
      channel.close();
      return;
    }
    update();
  }

  /** Reads from the socket, or leaves bytes there so that TCP holds the client back. */
  void update() {
    boolean isWanted = connection.dropsInput() || connection.isOpen() || decoder.heldBytes() == 0;
    if (isWanted != isAutoRead) {
      isAutoRead = isWanted;
      channel.config().setAutoRead(isWanted);
    }
  }
}
