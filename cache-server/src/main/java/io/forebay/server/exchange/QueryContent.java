package io.forebay.server.exchange;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.Reason;
import io.forebay.server.fill.FillTable;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginFailure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Reads the content of a QUERY, which is part of its key (RFC 10008 §2.7), completely before the
 * lookup, without blocking the event loop. It remains the exchange's request body, so a request
 * that is then passed is sent unchanged: first the bytes already read, then the rest.
 *
 * <pre>
 *   READING ──► READ       all of it is here: look up
 *      └──────► PASSING    it is longer than the limit
 * </pre>
 *
 * <p>Owner: the loop of the exchange.
 */
public final class QueryContent implements RequestBody, RequestBody.Receiver {

  /** What is longer is passed. */
  static final int LIMIT = 64 * 1024;

  private enum State {
    READING,
    READ,
    PASSING
  }

  private final ClientRequest request;
  private final ClientResponse response;
  private final Continuation exchange;
  private final RequestBody source;
  private final ByteArrayOutputStream content = new ByteArrayOutputStream(1024);
  private State state = State.READING;
  private boolean isBegun;

  // Its result before a receiver was set.
  private boolean hasEnded;
  private @Nullable String failure;

  private @Nullable Receiver receiver;
  private boolean isHeldGiven;

  private QueryContent(ClientRequest request, ClientResponse response, Continuation exchange) {
    this.request = request;
    this.response = response;
    this.exchange = exchange;
    this.source = request.body();
  }

  /** Begins to read it; the exchange goes on when it is here. */
  static Step read(
      FillTable fills, ClientRequest request, ClientResponse response, Continuation exchange) {
    if (request.body().lengthBytes() > LIMIT || !fills.tryBeginContent()) {
      return exchange.passBecause(Reason.PASS_CONTENT);
    }
    QueryContent content = new QueryContent(request, response, exchange);
    request.content(content);
    content.source.receiver(content);
    content.source.demand(LIMIT + 1L);
    content.isBegun = true;
    return content.afterReading();
  }

  byte[] bytes() {
    return content.toByteArray();
  }

  /** What is to be done after bytes came; AWAIT for more of them. */
  private Step afterReading() {
    if (response.isOver()) {
      return Step.AWAIT;
    }
    String broken = failure;
    if (broken != null) {
      return exchange.refuse(new OriginFailure(OriginFailure.Kind.REQUEST_BODY_FAILED, broken));
    }
    if (content.size() > LIMIT) {
      state = State.PASSING;
      return exchange.passBecause(Reason.PASS_CONTENT);
    }
    if (!hasEnded) {
      return Step.AWAIT;
    }
    state = State.READ;
    request.contentDigest(digest(request.view().fields(), content.toByteArray()));
    return Step.LOOK_UP;
  }

  /** The content and what says how to read it, each behind its length. */
  public static String digest(FieldsView fields, byte[] content) {
    MessageDigest sha256;
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
    for (String name : new String[] {"content-type", "content-encoding", "content-language"}) {
      String value = fields.combined(name);
      byte[] bytes =
          value == null ? new byte[0] : value.strip().getBytes(StandardCharsets.ISO_8859_1);
      sha256.update(
          ((value == null ? -1 : bytes.length) + ";").getBytes(StandardCharsets.US_ASCII));
      sha256.update(bytes);
    }
    sha256.update(content);
    return HexFormat.of().formatHex(sha256.digest());
  }

  private void onReading() {
    if (isBegun && state == State.READING) {
      exchange.run(afterReading());
    }
  }

  // --- from the client --------------------------------------------------------------------------

  @Override
  public void onData(ByteBuf data) {
    Receiver to = receiver;
    if (to != null && isHeldGiven) {
      to.onData(data);
      return;
    }
    byte[] bytes = new byte[data.readableBytes()];
    data.readBytes(bytes);
    data.release();
    content.writeBytes(bytes);
    if (content.size() > LIMIT) {
      onReading();
    }
  }

  @Override
  public void onEnd(HeaderFields trailers) {
    hasEnded = true;
    Receiver to = receiver;
    if (to != null && isHeldGiven) {
      to.onEnd(trailers);
    } else {
      onReading();
    }
  }

  @Override
  public void onFailure(String reason) {
    failure = reason;
    Receiver to = receiver;
    if (to != null) {
      to.onFailure(reason);
    } else {
      onReading();
    }
  }

  // --- to an origin, when it is passed
  // ------------------------------------------------------------

  @Override
  public long lengthBytes() {
    return hasEnded ? content.size() : source.lengthBytes();
  }

  @Override
  public void receiver(Receiver to) {
    receiver = to;
  }

  @Override
  public void demand(long bytes) {
    Receiver to = receiver;
    if (to == null) {
      return;
    }
    if (isHeldGiven) {
      source.demand(bytes);
      return;
    }
    // Set first: who is given bytes asks for more at once.
    isHeldGiven = true;
    if (content.size() > 0) {
      to.onData(Unpooled.wrappedBuffer(content.toByteArray()));
    }
    String broken = failure;
    if (broken != null) {
      to.onFailure(broken);
    } else if (hasEnded) {
      to.onEnd(HeaderFields.EMPTY);
    } else {
      source.demand(Math.max(1, bytes - content.size()));
    }
  }

  @Override
  public void cancel() {
    source.cancel();
  }

  /** The same bytes for a fill, which outlives the exchange. */
  static final class Replay implements RequestBody {
    private final byte[] bytes;
    private @Nullable Receiver receiver;
    private boolean isOver;

    Replay(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public long lengthBytes() {
      return bytes.length;
    }

    @Override
    public void receiver(Receiver to) {
      receiver = to;
    }

    @Override
    public void demand(long count) {
      Receiver to = receiver;
      if (to != null && !isOver) {
        isOver = true;
        to.onData(Unpooled.wrappedBuffer(bytes));
        to.onEnd(HeaderFields.EMPTY);
      }
    }

    @Override
    public void cancel() {
      isOver = true;
    }
  }
}
