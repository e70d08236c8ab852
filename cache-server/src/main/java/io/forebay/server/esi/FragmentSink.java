package io.forebay.server.esi;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.RequestRefusal;
import io.forebay.server.http.ResponseSink;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The sink of a fragment's exchange. A response with a status of 2xx becomes the content of its
 * document; of any other a little is read and dropped, so that its exchange ends by itself.
 *
 * <p>Takes calls only: what follows from them happens in a turn of the page.
 */
final class FragmentSink implements ResponseSink, EsiRole {

  private static final int MAX_DROPPED_BYTES = 64 * 1024;

  private final PageAssembly page;
  private final EsiDocument document;
  private final Subrequests exchanges;

  private @Nullable Listener listener;
  private int status;
  private boolean hasTags;
  private boolean hasHead;
  private boolean isTaken;
  private boolean isLive = true;
  private boolean isAwaited;
  private long droppedBytes;
  private long progressNanos = System.nanoTime();

  FragmentSink(PageAssembly page, EsiDocument document, Subrequests exchanges) {
    this.page = page;
    this.document = document;
    this.exchanges = exchanges;
  }

  // --- turns ------------------------------------------------------------------------------------

  boolean isLive() {
    return isLive;
  }

  /** The exchange is not needed any more. */
  void cancel() {
    if (isLive) {
      over();
      Listener told = listener;
      if (told != null) {
        told.onClosed();
      }
    }
  }

  /** Its document is not needed any more: what is dropped anyway may end by itself. */
  void leave() {
    if (isTaken || !hasHead) {
      cancel();
    }
  }

  /** Fails if nothing has come for too long, and not because the page takes nothing. */
  void check(long nowNanos, long timeoutNanos) {
    if (!isLive) {
      return;
    }
    if (isAwaited) {
      progressNanos = nowNanos;
    } else if (nowNanos - progressNanos >= timeoutNanos) {
      document.fail("does not come within esi.timeout");
      cancel();
    }
  }

  /** Lets the source go on, if it waits and there is room. */
  void resume() {
    if (!isLive) {
      return;
    }
    if (droppedBytes > MAX_DROPPED_BYTES) {
      cancel();
      return;
    }
    Listener told = listener;
    if (isAwaited && told != null && document.isReady()) {
      isAwaited = false;
      progressNanos = System.nanoTime();
      told.onWritable();
    }
  }

  private void over() {
    isLive = false;
    page.ended(this);
  }

  private void fail(String why) {
    document.fail(why);
  }

  // --- the role of the exchange -----------------------------------------------------------------

  @Override
  public boolean isFragment() {
    return true;
  }

  @Override
  public boolean found(int foundStatus, FieldsView response) {
    hasTags =
        PageCondition.isPage(
            exchanges.esi(document.uri().authority(), document.uri().path()),
            foundStatus,
            response);
    // It is sent whole and as it came anyway: its request has no conditions and accepts no coding.
    return false;
  }

  @Override
  public void lookedUpAgain() {
    hasTags = false;
  }

  @Override
  public void record(EsiRecord record) {}

  @Override
  public boolean holdsRecord() {
    return false;
  }

  // --- the exchange -----------------------------------------------------------------------------

  @Override
  public void informational(int interimStatus, HeaderFields fields) {}

  @Override
  public ByteBuf beginHead(int finalStatus) {
    status = finalStatus;
    return page.allocator().heapBuffer(1024);
  }

  @Override
  public void head(ByteBuf head, long contentLength, boolean isLast) {
    progressNanos = System.nanoTime();
    hasHead = true;
    HeaderFields fields = HeadFields.read(head, head.readerIndex());
    head.release();
    take(fields);
    if (isLast) {
      end(HeaderFields.EMPTY);
    }
  }

  private void take(HeaderFields fields) {
    if (status / 100 != 2 || status == 206) {
      fail("has status " + status);
      return;
    }
    ContentCoding coding = null;
    if (fields.has("content-encoding")) {
      coding = PageCondition.coding(fields);
      if (coding == null) {
        fail("has a content coding that the node does not undo");
        return;
      }
    }
    isTaken = document.begin(coding, hasTags);
    if (!isTaken) {
      fail("finds no place to be decompressed: compress.streams is reached");
    }
  }

  @Override
  public void body(ByteBuf chunk) {
    if (isLive && isTaken) {
      progressNanos = System.nanoTime();
      document.add(chunk);
    } else {
      droppedBytes += chunk.readableBytes();
      chunk.release();
      if (droppedBytes > MAX_DROPPED_BYTES) {
        page.wake();
      }
    }
  }

  @Override
  public void flush() {
    if (isLive && isTaken) {
      document.flush();
    }
  }

  @Override
  public void end(HeaderFields trailers) {
    if (isLive) {
      over();
      if (isTaken) {
        document.end();
      }
    }
  }

  @Override
  public void abort(AbortCause cause) {
    if (isLive) {
      over();
      fail("is not complete: " + cause);
    }
  }

  @Override
  public void refuse(RequestRefusal why) {
    if (isLive) {
      over();
      fail("is refused: " + why);
      Listener told = listener;
      if (told != null) {
        told.onRefused(408, why.name());
      }
    }
  }

  @Override
  public void giveUp() {
    abort(AbortCause.CLIENT_STALLED);
  }

  @Override
  public boolean acceptsInterim() {
    return false;
  }

  @Override
  public boolean isWritable() {
    boolean isReady = !isTaken || document.isReady();
    isAwaited = !isReady;
    return isReady;
  }

  @Override
  public int chunkBytes() {
    return EsiDocument.WINDOW;
  }

  @Override
  public void onChunkTaken(long sentBytes) {}

  @Override
  public void onChunkStalled() {}

  @Override
  public boolean retractHead() {
    if (!isLive || !isTaken || document.hasContent()) {
      return false;
    }
    isTaken = false;
    document.reset();
    return true;
  }

  @Override
  public void listener(Listener to) {
    listener = to;
  }
}
