package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.http.RequestBody;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A request body that gives what the test says, on the loop, and watches its credit. */
final class ScriptedBody implements RequestBody {
  private final Lab lab;
  private final long length;
  private final CountDownLatch received = new CountDownLatch(1);
  private @Nullable Receiver receiver;
  private long credit;
  private long toFeed;
  private boolean isFeeding;
  volatile long delivered;
  volatile boolean isCancelled;

  ScriptedBody(Lab lab, long length) {
    this.lab = lab;
    this.length = length;
  }

  void feedOnDemand(long total) {
    toFeed = total;
  }

  @Override
  public long lengthBytes() {
    return length;
  }

  @Override
  public void receiver(Receiver newReceiver) {
    assertEquals(null, receiver, "a second receiver");
    receiver = newReceiver;
    received.countDown();
  }

  @Override
  public void demand(long bytes) {
    assertTrue(bytes > 0);
    credit += bytes;
    if (!isFeeding) {
      isFeeding = true;
      while (toFeed > 0 && credit > 0 && !isCancelled) {
        int length = (int) Math.min(16 * 1024, toFeed);
        toFeed -= length;
        give("x".repeat(length));
      }
      if (toFeed == 0 && this.length > 1_000_000 && receiver != null) {
        toFeed = -1;
        receiver.onEnd(HeaderFields.EMPTY);
      }
      isFeeding = false;
    }
  }

  @Override
  public void cancel() {
    isCancelled = true;
  }

  /** On the loop. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // written by the loop alone
  void give(String text) {
    Receiver known = receiver;
    if (known == null) {
      throw new IllegalStateException("no receiver yet");
    }
    assertTrue(credit > 0 || isCancelled, "delivered without credit");
    ByteBuf data = lab.allocator.directBuffer(text.length());
    data.writeCharSequence(text, StandardCharsets.US_ASCII);
    credit -= text.length();
    delivered = delivered + text.length();
    known.onData(data);
  }

  ScriptedBody data(String text) throws Exception {
    awaitReceiver();
    lab.onLoop(
        0,
        () -> {
          give(text);
          return null;
        });
    return this;
  }

  ScriptedBody end() throws Exception {
    return tell(known -> known.onEnd(HeaderFields.EMPTY));
  }

  ScriptedBody fail(String reason) throws Exception {
    return tell(known -> known.onFailure(reason));
  }

  void awaitReceiver() throws InterruptedException {
    assertTrue(received.await(10, TimeUnit.SECONDS), "nobody asked for the body");
  }

  private ScriptedBody tell(Consumer<Receiver> what) throws Exception {
    awaitReceiver();
    lab.onLoop(
        0,
        () -> {
          if (receiver != null) {
            what.accept(receiver);
          }
          return null;
        });
    return this;
  }
}
