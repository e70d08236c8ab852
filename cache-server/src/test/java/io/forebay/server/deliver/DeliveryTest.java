package io.forebay.server.deliver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.LeaseHolder;
import io.forebay.server.http.RequestRefusal;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.StoreSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bodies in slices of four bytes, to a client that is sent chunks of ten. */
final class DeliveryTest {
  private static final int SLICE = 4;
  private static final int CHUNK = 10;

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  private Path directory;

  @SuppressWarnings("NullAway.Init")
  private ObjectStore store;

  @SuppressWarnings("NullAway.Init")
  private Leases leases;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Sink sink = new Sink();
  private final Body body = new Body("abcdefghijklmnopqrstuvwxy");

  @BeforeEach
  void opens() throws Exception {
    store =
        ObjectStore.open(
            StoreSettings.of(directory.resolve("data"), 1 << 20, 1, System::currentTimeMillis)
                .withMemoryDirectory(directory.resolve("memory"))
                .withLockMemory(false));
    leases =
        new Leases(
            store,
            store.lane(0),
            ByteBufAllocator.DEFAULT,
            new CopyQuota(0),
            new LoopCounters(),
            true);
  }

  @AfterEach
  void closes() throws Exception {
    var ignored = channel.finishAndReleaseAll();
    store.close();
  }

  @Test
  void aChunkSpansSlices() {
    Delivery delivery = delivery();
    delivery.onProgress();
    assertEquals(List.of("abcd|efgh|ij"), sink.flushes);
    sink.takeAll();
    assertEquals("kl|mnop|qrst", sink.flushes.get(1));
  }

  @Test
  void theNextChunkWaitsForAllOfTheLast() {
    Delivery delivery = delivery();
    delivery.onProgress();
    sink.takeFirst();
    channel.runPendingTasks();
    assertEquals(1, sink.flushes.size());
    sink.takeFirst();
    channel.runPendingTasks();
    assertEquals(1, sink.flushes.size());
    sink.takeFirst();
    channel.runPendingTasks();
    assertEquals(2, sink.flushes.size());
  }

  @Test
  void aChunkEndsWhereTheNextSliceIsNotThereYet() {
    body.there = 6;
    Delivery delivery = delivery();
    delivery.onProgress();
    assertEquals(List.of("abcd|ef"), sink.flushes);
    body.there = 25;
    sink.takeAll();
    assertEquals("gh|ijkl|mnop", sink.flushes.get(1));
  }

  @Test
  void allBytesComeInOrderAndTheMessageEnds() {
    Delivery delivery = delivery();
    delivery.onProgress();
    for (int n = 0; n < 10 && !sink.hasEnded; n++) {
      sink.takeAll();
    }
    assertEquals(body.text, sink.sent.toString());
    assertTrue(sink.hasEnded);
  }

  private Delivery delivery() {
    return new Delivery(
        leases, channel.eventLoop(), sink, body, 0, body.text.length(), new Outcome());
  }

  /** Slices of which those below a position are there. */
  private static final class Body implements BodyBytes {
    private final String text;
    private int there;
    private int position;

    Body(String text) {
      this.text = text;
      this.there = text.length();
    }

    @Override
    public int locate(long at) {
      position = (int) at;
      int sliceEnd = Math.min(there, position - position % SLICE + SLICE);
      return Math.max(NOT_YET, sliceEnd - position);
    }

    @Override
    public ByteBuf take(Leases ignored, int lengthBytes, LeaseHolder holder) {
      byte[] bytes =
          text.substring(position, position + lengthBytes).getBytes(StandardCharsets.US_ASCII);
      return new UnpooledHeapByteBuf(UnpooledByteBufAllocator.DEFAULT, bytes, bytes.length) {
        @Override
        protected void deallocate() {
          super.deallocate();
          holder.onLeaseReleased();
        }
      };
    }
  }

  /** A client whose socket takes pieces when it is told to. */
  private final class Sink implements ResponseSink {
    private final List<ByteBuf> waiting = new ArrayList<>();
    private final List<String> flushes = new ArrayList<>();
    private final StringBuilder sent = new StringBuilder();
    private final StringBuilder unflushed = new StringBuilder();
    private boolean hasEnded;

    void takeFirst() {
      waiting.removeFirst().release();
    }

    void takeAll() {
      List<ByteBuf> taken = List.copyOf(waiting);
      waiting.clear();
      taken.forEach(ByteBuf::release);
      channel.runPendingTasks();
    }

    @Override
    public void refuse(RequestRefusal why) {
      throw new AssertionError(why);
    }

    @Override
    public void body(ByteBuf chunk) {
      String text = chunk.toString(StandardCharsets.US_ASCII);
      sent.append(text);
      unflushed.append(unflushed.isEmpty() ? "" : "|").append(text);
      waiting.add(chunk);
    }

    @Override
    public void flush() {
      flushes.add(unflushed.toString());
      unflushed.setLength(0);
    }

    @Override
    public void end(HeaderFields trailers) {
      hasEnded = true;
    }

    @Override
    public int chunkBytes() {
      return CHUNK;
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void informational(int status, HeaderFields fields) {}

    @Override
    public ByteBuf beginHead(int status) {
      return Unpooled.EMPTY_BUFFER;
    }

    @Override
    public void head(ByteBuf head, long contentLength, boolean isLast) {}

    @Override
    public void abort(AbortCause cause) {
      throw new AssertionError(cause);
    }

    @Override
    public void giveUp() {
      throw new AssertionError("given up");
    }

    @Override
    public void onChunkTaken(long sentBytes) {}

    @Override
    public void onChunkStalled() {}

    @Override
    public boolean retractHead() {
      return false;
    }

    @Override
    public void listener(Listener listener) {}
  }

  private static final class Outcome implements Delivery.Outcome {
    @Override
    public void onBodySent() {}

    @Override
    public void onBodyBroken(String why) {
      throw new AssertionError(why);
    }

    @Override
    public void onBodyUnseen(OriginFailure failure) {
      throw new AssertionError(failure);
    }

    @Override
    public @Nullable BodyBytes elsewhere(long from, long to) {
      return null;
    }

    @Override
    public boolean onBytesLost(long from, long to) {
      return false;
    }
  }
}
