package io.forebay.server.esi;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.server.compress.CodingStream;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.config.EsiConfig;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.RequestRefusal;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.tunnel.TunnelEnd;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sink of the exchange that answers the client: passes everything on to the client's sink until
 * a page comes, and then takes its body for the assembly.
 *
 * <pre>
 *   head ─┬─ no page: as it came, and so is all that follows
 *         └─ page ─┬─ HEAD, or no body: the head of an assembled page
 *                  └─ that head, and the body goes into a {@link EsiDocument}
 * </pre>
 */
final class PageSink implements ResponseSink, EsiRole {

  private static final String SURROGATE_CONTROL = "surrogate-control";
  private static final String NO_PLACE =
      "no place to decompress the page: compress.streams is reached";

  private final PageAssembly assembly;
  private final EsiConfig config;
  private final ResponseSink client;
  private final boolean stripsSurrogateControl;
  private final RequestView request;

  private @Nullable Listener listener;
  private @Nullable EsiRecord record;
  private @Nullable EsiDocument page;
  private int prefixLength;
  private boolean isPage;
  private boolean isAwaited;
  private boolean hasEnded;
  private boolean isRecordHeld;

  PageSink(
      PageAssembly assembly,
      EsiConfig config,
      ResponseSink client,
      boolean stripsSurrogateControl,
      RequestView request) {
    this.assembly = assembly;
    this.config = config;
    this.client = client;
    this.stripsSurrogateControl = stripsSurrogateControl;
    this.request = request;
  }

  // --- the role of the exchange -----------------------------------------------------------------

  @Override
  public boolean isFragment() {
    return false;
  }

  @Override
  public boolean found(int status, FieldsView response) {
    isPage = PageCondition.isPage(config, status, response);
    return isPage;
  }

  @Override
  public void lookedUpAgain() {
    isPage = false;
  }

  @Override
  public void record(EsiRecord of) {
    record = of;
  }

  @Override
  public boolean holdsRecord() {
    isRecordHeld = page != null && !assembly.isOver();
    return isRecordHeld;
  }

  /** Tells the record of the exchange, if it has one. */
  void told(Consumer<EsiRecord> what) {
    EsiRecord of = record;
    if (of != null) {
      what.accept(of);
    }
  }

  /** The response is over for the client, too. */
  void finish() {
    if (isRecordHeld) {
      isRecordHeld = false;
      told(EsiRecord::finishHeld);
    }
  }

  // --- the client's side, in turns --------------------------------------------------------------

  void onWritable() {
    Listener told = listener;
    if (told != null) {
      told.onWritable();
    }
  }

  void onClosed() {
    Listener told = listener;
    if (told != null) {
      told.onClosed();
    }
  }

  void onRefused(int status, String detail) {
    Listener told = listener;
    if (told != null) {
      told.onRefused(status, detail);
    }
  }

  /** The client of a page left. */
  void clientGone() {
    if (isRecordHeld) {
      told(EsiRecord::clientGone);
      finish();
    } else {
      onClosed();
    }
  }

  /** The rest of the request for a page was bad. */
  void refused(int status, String detail) {
    if (isRecordHeld) {
      told(of -> of.brokenOff("REQUEST_REFUSED", detail));
      finish();
    } else {
      onRefused(status, detail);
    }
  }

  /** The page broke off because of another part of it. */
  void cancel() {
    if (isRecordHeld) {
      finish();
    } else {
      onClosed();
    }
  }

  /** The exchange goes on if it waits and there is room. */
  void resume(EsiDocument of) {
    if (isAwaited && !hasEnded && of.isReady()) {
      isAwaited = false;
      onWritable();
    }
  }

  // --- the exchange -----------------------------------------------------------------------------

  @Override
  public void informational(int status, HeaderFields fields) {
    client.informational(status, fields);
  }

  @Override
  public ByteBuf beginHead(int status) {
    ByteBuf head = client.beginHead(status);
    // A reply of the node may come in place of what was found.
    isPage &= status == 200;
    prefixLength = head.writerIndex();
    return head;
  }

  @Override
  public void head(ByteBuf head, long contentLength, boolean isLast) {
    if (isPage) {
      isPage = false;
      pageHead(head, isLast);
      return;
    }
    if (stripsSurrogateControl) {
      HeaderFields fields = HeadFields.read(head, prefixLength);
      if (fields.has(SURROGATE_CONTROL)) {
        HeadFields.replace(
            head, prefixLength, fields.without(name -> name.equals(SURROGATE_CONTROL)));
      }
    }
    client.head(head, contentLength, isLast);
  }

  private void pageHead(ByteBuf head, boolean isLast) {
    HeaderFields source = HeadFields.read(head, prefixLength);
    boolean isCompressible = assembly.isCompressible(source);
    ContentCoding chosen = assembly.chooseCoding(source);
    if (isLast) {
      boolean isHead = request.method().equals("HEAD");
      String named = chosen == null || !isHead ? null : chosen.token();
      HeadFields.replace(head, prefixLength, HeadFields.ofPage(source, isCompressible, named));
      client.head(head, isHead ? LENGTH_ABSENT : 0, true);
      return;
    }
    EsiDocument begun = assembly.beginPage(PageCondition.coding(source));
    if (begun == null) {
      // It can't be decoded at present, and is no page as it is.
      head.release();
      told(of -> of.brokenOff(AbortCause.INTERNAL.name(), "esi: " + NO_PLACE));
      client.abort(AbortCause.INTERNAL);
      assembly.later(this::onClosed);
      return;
    }
    page = begun;
    CodingStream stream = assembly.beginOutput(chosen);
    String named = chosen == null || stream == null ? null : chosen.token();
    HeadFields.replace(head, prefixLength, HeadFields.ofPage(source, isCompressible, named));
    client.head(head, LENGTH_UNKNOWN, false);
  }

  @Override
  public void body(ByteBuf chunk) {
    EsiDocument into = page;
    if (into == null) {
      client.body(chunk);
    } else {
      into.add(chunk);
    }
  }

  @Override
  public void flush() {
    EsiDocument into = page;
    if (into == null) {
      client.flush();
    } else if (into.hasContent()) {
      into.flush();
    } else if (!assembly.isOver()) {
      client.flush();
    }
  }

  @Override
  public void end(HeaderFields trailers) {
    EsiDocument into = page;
    if (into == null) {
      client.end(trailers);
    } else {
      hasEnded = true;
      into.end();
    }
  }

  @Override
  public boolean acceptsInterim() {
    return client.acceptsInterim();
  }

  @Override
  public boolean acceptsTrailers() {
    return client.acceptsTrailers();
  }

  @Override
  public boolean readyForTunnel() {
    return client.readyForTunnel();
  }

  @Override
  public boolean needsTunnel() {
    return client.needsTunnel();
  }

  @Override
  public TunnelEnd tunnel(ByteBuf head, String protocol) {
    return client.tunnel(head, protocol);
  }

  @Override
  public void abort(AbortCause cause) {
    if (page == null) {
      client.abort(cause);
    } else {
      hasEnded = true;
      assembly.onPageAborted(cause);
    }
  }

  @Override
  public void refuse(RequestRefusal why) {
    client.refuse(why);
  }

  @Override
  public void giveUp() {
    client.giveUp();
  }

  @Override
  public boolean isWritable() {
    EsiDocument into = page;
    if (into == null) {
      return client.isWritable();
    }
    boolean isReady = into.isReady();
    isAwaited = !isReady;
    return isReady;
  }

  @Override
  public int chunkBytes() {
    return page == null ? client.chunkBytes() : EsiDocument.WINDOW;
  }

  @Override
  public void onChunkTaken(long sentBytes) {
    if (page == null) {
      client.onChunkTaken(sentBytes);
    }
  }

  @Override
  public void onChunkStalled() {
    if (page == null) {
      client.onChunkStalled();
    }
  }

  @Override
  public boolean retractHead() {
    if (page == null) {
      return client.retractHead();
    }
    if (!assembly.retract()) {
      return false;
    }
    page = null;
    return true;
  }

  @Override
  public void listener(Listener to) {
    listener = to;
  }

  @Override
  public void onLeaseReleased() {
    if (page == null) {
      client.onLeaseReleased();
    }
  }

  @Override
  public void onCopied() {
    if (page == null) {
      client.onCopied();
    }
  }

  @Override
  public void onCopyRefused() {
    if (page == null) {
      client.onCopyRefused();
    } else {
      giveUp();
    }
  }
}
