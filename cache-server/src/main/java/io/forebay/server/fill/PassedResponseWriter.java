package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.object.InstallOutcome;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Stores a response while it is passed on to the one client that asked for it. Nobody follows it,
 * and nothing waits for it: where the store does not take a part of it at once, nothing of it is
 * stored.
 *
 * <pre>
 *   begin ──► add* ──► end
 *      └─────────────► abort
 * </pre>
 *
 * <p>Owner: the loop of the exchange.
 */
public final class PassedResponseWriter {

  private static final long BUSY_RETRY_MICROS = 50;

  private final FillContext loop;
  private @Nullable ObjectWriter writer;

  private PassedResponseWriter(FillContext loop, ObjectWriter writer) {
    this.loop = loop;
    this.writer = writer;
  }

  /**
   * Begins to store it; null where there is no room, or its head can't be stored.
   *
   * @param order what a fill would have been asked for it
   * @param contentLength of the whole body, or -1 while it is not known
   */
  public static @Nullable PassedResponseWriter begin(
      FillContext loop,
      FillRequest order,
      int status,
      HeaderFields fields,
      long contentLength,
      StoreVerdict.Store verdict,
      long birth) {
    ReceivedHead received =
        new ReceivedHead(status, fields, contentLength, verdict, loop.nowMillis());
    if (StorableHead.isMarkerOnDisk(loop, order, received)
        || !(StorableHead.of(loop, order, received, birth) instanceof StorableHead.Made made)) {
      return null;
    }
    ObjectWriter begun = loop.lane().begin(made.spec());
    if (begun == null) {
      return null;
    }
    made.writeMarkers(loop, order, birth);
    return new PassedResponseWriter(loop, begun);
  }

  /** Copies bytes of the body, which stay the caller's. */
  public void add(ByteBuf data) {
    ObjectWriter into = writer;
    if (into == null) {
      return;
    }
    for (ByteBuffer bytes : data.nioBuffers()) {
      if (!into.append(bytes)) {
        abort();
        return;
      }
    }
  }

  /** The body is whole. */
  public void end() {
    ObjectWriter done = writer;
    if (done == null) {
      return;
    }
    InstallOutcome outcome = done.finish();
    if (outcome == InstallOutcome.BUSY) {
      loop.eventLoop().schedule(this::end, BUSY_RETRY_MICROS, TimeUnit.MICROSECONDS);
      return;
    }
    writer = null;
    if (outcome == InstallOutcome.INSTALLED) {
      loop.counters().postsStored++;
    }
  }

  /** Nothing of it is stored. */
  public void abort() {
    ObjectWriter partial = writer;
    if (partial != null) {
      writer = null;
      partial.abort();
    }
  }
}
