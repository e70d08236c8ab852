package io.forebay.server.exchange;

import io.forebay.core.policy.Reason;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.deliver.Delivery;
import io.forebay.server.deliver.ResponseBody;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.protect.rate.Usage;
import org.jspecify.annotations.Nullable;

/**
 * The response of one exchange: where it goes, what is recorded of it, and how far it has come.
 *
 * <pre>
 *   no head ─► head sent ─► body on its way ─► over
 *      ▲            │            │
 *      └────────────┴────────────┘  taken back while the client has seen nothing
 * </pre>
 *
 * <p>{@link Exchange} extends this instead of holding one, so that a hit allocates one object less.
 *
 * <p>Owner: the loop of the client's connection.
 */
abstract class ClientResponse implements ResponseSink.Listener, Delivery.Outcome {

  private final ResponseSink sink;
  private final RequestRecord record;

  private @Nullable ResponseBody sending;

  /** Body bytes sent before {@link #sending} took over. */
  private long sentBefore;

  /** What codes the body on its way to the sink; null where it goes out as it is. */
  private @Nullable CodedSink coded;

  /** What limits of the route charge it for. */
  private @Nullable Usage usage;

  private boolean isHeadSent;
  private boolean isOver;

  ClientResponse(ResponseSink sink, RequestRecord record) {
    this.sink = sink;
    this.record = record;
  }

  /**
   * From now on the exchange is charged for what it uses, until it is over; null for nothing more.
   */
  final void uses(@Nullable Usage charged) {
    if (charged != null) {
      usage = usage == null ? charged : usage.and(charged);
    }
  }

  /** Releases everything allocated for the response, and cancels waits; may be called again. */
  abstract void release();

  /** Where the body goes: to the client, or to what codes it for the client. */
  final ResponseSink sink() {
    CodedSink coding = coded;
    return coding == null ? sink : coding;
  }

  /** Whether the body is coded on its way. */
  final boolean isCoded() {
    return coded != null;
  }

  /**
   * From now on the body goes through that.
   *
   * @param token what the access log says of it
   */
  final void codes(CodedSink coding, String token) {
    coded = coding;
    record.coding(token);
  }

  /** What is counted and logged of the exchange. */
  final RequestRecord record() {
    return record;
  }

  final boolean isHeadSent() {
    return isHeadSent;
  }

  final boolean isOver() {
    return isOver;
  }

  // --- forward ----------------------------------------------------------------------------------

  /** Whether the client waits for the head, so that interim responses may be sent. */
  final boolean awaitsHead() {
    return !isOver && !isHeadSent;
  }

  /** The sink has the head. */
  final void onHeadSent(int status, CacheResult result, Reason why) {
    isHeadSent = true;
    record.head(status, result, why);
  }

  /** From now on that body is on its way; what another had sent before stays counted. */
  final void sends(ResponseBody next) {
    if (sending != null) {
      sentBefore += sending.sentBytes();
    }
    sending = next;
  }

  // --- back -------------------------------------------------------------------------------------

  /** What was begun is unseen by the client: there may be another response. */
  final void onHeadTakenBack() {
    isHeadSent = false;
    sending = null;
    if (coded != null) {
      endCoding();
      coded = null;
      record.coding(null);
    }
  }

  /** The head could not be written: what follows goes out as it is. */
  final void dropCoding() {
    if (coded != null && !isHeadSent) {
      endCoding();
      coded = null;
      record.coding(null);
    }
  }

  private void endCoding() {
    if (coded != null) {
      coded.cancel();
    }
  }

  /** Takes the head back if no byte of the body was handed over and the client has seen nothing. */
  final boolean takeBackUnsent() {
    if (sending == null || sentBefore + sending.sentBytes() > 0 || !sink().retractHead()) {
      return false;
    }
    onHeadTakenBack();
    return true;
  }

  // --- the end ----------------------------------------------------------------------------------

  /** The client sees a broken transfer, and the exchange ends. */
  final void breakOff(AbortCause cause) {
    ResponseBody source = sending;
    sink().abort(cause);
    if (coded != null && source != null) {
      // It may not be the source that breaks off.
      source.onClientGone();
    }
    onBodyBroken(cause.name());
  }

  /**
   * What the origin sent is not of the coding that it named, or a bomb: its failure. The source of
   * the body is told to stop.
   */
  final void onNotDecoded(String why) {
    if (sending != null) {
      sending.onClientGone();
    }
    if (sink().retractHead()) {
      onBodyUnseen(new OriginFailure(OriginFailure.Kind.INVALID_RESPONSE, why));
    } else {
      record.error(why);
      breakOff(AbortCause.ORIGIN_FAILED);
    }
  }

  @Override
  public final void onBytesSent(long bodyBytes) {
    if (usage != null && coded == null) {
      usage.sent(sentBefore + bodyBytes);
    }
  }

  /** The same of a body that is coded on its way. */
  final void onCodedBytesSent(long bodyBytes) {
    if (usage != null) {
      usage.sent(bodyBytes);
    }
  }

  @Override
  public final void onBodySent() {
    if (coded != null && !coded.hasEnded()) {
      // It says so once more when the rest has gone.
      return;
    }
    recordSentBytes();
    over();
  }

  @Override
  public final void onBodyBroken(String why) {
    recordSentBytes();
    record.brokenOff(why);
    over();
  }

  /** What the connection became after it spoke HTTP has ended. */
  final void onTunnelOver(@Nullable String why) {
    if (why != null) {
      record.aborted(why);
    }
    over();
  }

  private void recordSentBytes() {
    if (coded != null) {
      record.bodyBytes(coded.sentBytes());
    } else if (sending != null) {
      record.bodyBytes(sentBefore + sending.sentBytes());
    }
  }

  /** The end: the response is complete, aborted, or abandoned by the client. */
  final void over() {
    release();
    endCoding();
    if (!isOver) {
      isOver = true;
      if (usage != null) {
        usage.sent(record.bytes());
        usage.end();
      }
      record.finish();
    }
  }

  // --- the client's side ------------------------------------------------------------------------

  @Override
  public final void onWritable() {
    if (coded != null) {
      coded.resume();
      if (!coded.isWritable()) {
        return;
      }
    }
    if (sending != null) {
      sending.onWritable();
    }
  }

  @Override
  public final void onClosed() {
    if (isOver) {
      return;
    }
    record.clientGone();
    endWithoutClient();
  }

  @Override
  public final void onRefused(int status, String detail) {
    if (isOver) {
      return;
    }
    if (isHeadSent) {
      record.brokenOff("REQUEST_REFUSED");
    } else {
      record.refused(status, detail);
    }
    endWithoutClient();
  }

  /** There is no client any more; whatever goes on for it alone ends. */
  private void endWithoutClient() {
    if (sending != null) {
      recordSentBytes();
      sending.onClientGone();
    }
    over();
  }
}
