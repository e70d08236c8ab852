package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Records the events of an origin listener, and lets the test thread wait for them. */
final class Recorder implements OriginListener {
  private static final long PATIENCE_SECONDS = 10;

  final List<Integer> interim = new ArrayList<>();
  private final CountDownLatch headSeen = new CountDownLatch(1);
  private final CountDownLatch over = new CountDownLatch(1);
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();

  volatile int status;
  volatile long contentLength;
  volatile boolean isCloseDelimited;
  volatile int readCompletes;
  volatile int ends;
  volatile @Nullable HeaderFields fields;
  volatile @Nullable HeaderFields trailers;
  volatile @Nullable OriginFailure failure;
  volatile @Nullable String fallback;
  volatile @Nullable Runnable onHead;
  volatile @Nullable Runnable onDataRun;
  volatile @Nullable Runnable onReadCompleteRun;
  volatile @Nullable Runnable onOver;

  @Override
  public synchronized void onInformational(int newStatus, HeaderFields newFields) {
    interim.add(newStatus);
  }

  @Override
  public void onFallback(String origin) {
    fallback = origin;
  }

  @Override
  public void onHead(
      int newStatus, HeaderFields newFields, long newLength, boolean newCloseDelimited) {
    status = newStatus;
    fields = newFields;
    contentLength = newLength;
    isCloseDelimited = newCloseDelimited;
    run(onHead);
    headSeen.countDown();
  }

  @Override
  public void onData(ByteBuf data) {
    synchronized (body) {
      body.writeBytes(ByteBufUtil.getBytes(data));
      body.notifyAll();
    }
    data.release();
    run(onDataRun);
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // written by the loop alone
  public void onReadComplete() {
    readCompletes++;
    run(onReadCompleteRun);
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // written by the loop alone
  public void onEnd(HeaderFields newTrailers) {
    ends++;
    trailers = newTrailers;
    run(onOver);
    over.countDown();
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // written by the loop alone
  public void onFailure(OriginFailure newFailure) {
    ends++;
    failure = newFailure;
    run(onOver);
    over.countDown();
  }

  private static void run(@Nullable Runnable action) {
    if (action != null) {
      action.run();
    }
  }

  boolean isOver() {
    return over.getCount() == 0;
  }

  String field(String name) {
    HeaderFields known = fields;
    assertNotNull(known, "no head");
    return String.join("|", known.all(name));
  }

  Recorder awaitHead() throws InterruptedException {
    if (!headSeen.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("no head; failure " + failure);
    }
    return this;
  }

  Recorder awaitOver() throws InterruptedException {
    if (!over.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("neither end nor failure; status " + status);
    }
    assertEquals(1, ends, "calls of onEnd and onFailure");
    return this;
  }

  Recorder awaitBytes(int count) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    synchronized (body) {
      while (body.size() < count) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          throw new AssertionError(body.size() + " of " + count + " bytes; failure " + failure);
        }
        body.wait(left);
      }
    }
    return this;
  }

  /** Waits for the end and gives the body; fails if the call did. */
  String body() throws InterruptedException {
    awaitOver();
    assertEquals(null, failure, "failure");
    return bodySoFar();
  }

  String bodySoFar() {
    synchronized (body) {
      return body.toString(StandardCharsets.ISO_8859_1);
    }
  }

  int bytesSoFar() {
    synchronized (body) {
      return body.size();
    }
  }

  /** Waits for the failure and checks its kind. */
  String failure(OriginFailure.Kind kind) throws InterruptedException {
    awaitOver();
    OriginFailure known = failure;
    assertNotNull(known, "it did not fail; status " + status);
    assertEquals(kind, known.kind(), known.detail());
    return known.detail();
  }
}
