package io.forebay.server.compress;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.compress.Compressors.Use;
import io.forebay.testing.Await;
import io.forebay.testing.PooledBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies on their way through a coding: every byte, every end, and nothing left behind. */
final class CodingStreamTest {

  private final long buffersBefore = PooledBuffers.active();
  private final EventExecutor loop = new DefaultEventExecutor();
  private final Compressors pool = new Compressors(2, 2, PooledByteBufAllocator.DEFAULT);

  @AfterEach
  void nothingIsLeft() throws Exception {
    Await.until("every place is free", () -> pool.open(Use.STREAM) + pool.open(Use.COPY) == 0);
    pool.close();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).get(20, TimeUnit.SECONDS);
    // With its thread go the buffers that the thread kept for later.
    Await.until("every buffer is released", () -> PooledBuffers.active() <= buffersBefore);
  }

  /** Collects what comes; touched by the loop, and read after the end. */
  private static final class Collected implements CodingStream.Listener {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    final CompletableFuture<byte[]> end = new CompletableFuture<>();
    volatile int received;
    final AtomicInteger readies = new AtomicInteger();
    boolean pauses;
    @Nullable CodingStream stream;

    @Override
    public void onEncoded(ByteBuf data) {
      byte[] part = new byte[data.readableBytes()];
      data.readBytes(part);
      data.release();
      bytes.writeBytes(part);
      received = bytes.size();
    }

    @Override
    public void onBurstEnd() {
      if (pauses && stream != null) {
        stream.pause();
      }
    }

    @Override
    public void onReady() {
      readies.incrementAndGet();
    }

    @Override
    public void onEnd() {
      end.complete(bytes.toByteArray());
    }

    @Override
    public void onFailed(Throwable why) {
      end.completeExceptionally(why);
    }

    byte[] await() throws Exception {
      return end.get(60, TimeUnit.SECONDS);
    }
  }

  private void onLoop(Runnable task) throws Exception {
    loop.submit(task).get(60, TimeUnit.SECONDS);
  }

  private CodingStream open(ContentCoding coding, Collected into) throws Exception {
    CodingStream stream = pool.open(Use.STREAM, coding, 4, -1, loop, into);
    assertNotNull(stream);
    into.stream = stream;
    return stream;
  }

  private CodingStream openDecoder(ContentCoding coding, Collected into) {
    CodingStream stream = pool.openDecoder(coding, loop, into);
    assertNotNull(stream);
    into.stream = stream;
    return stream;
  }

  private static ByteBuf buffer(byte[] bytes, int from, int length) {
    return PooledByteBufAllocator.DEFAULT
        .directBuffer(Math.max(1, length))
        .writeBytes(bytes, from, length);
  }

  private static byte[] text(SplittableRandom random, int length) {
    byte[] text = new byte[length];
    for (int i = 0; i < length; i++) {
      text[i] = (byte) "etaoin shrdlu\n".charAt(Math.min(random.nextInt(14), random.nextInt(14)));
    }
    return text;
  }

  private byte[] passed(
      CodingStream stream, byte[] body, SplittableRandom random, int maxChunk, Collected into)
      throws Exception {
    int at = 0;
    while (at < body.length) {
      int length = Math.min(body.length - at, 1 + random.nextInt(maxChunk));
      int from = at;
      boolean flushes = random.nextInt(4) == 0;
      onLoop(() -> {
        stream.write(buffer(body, from, length));
        if (flushes) {
          stream.flush();
        }
      });
      at += length;
    }
    onLoop(stream::end);
    return into.await();
  }

  @ParameterizedTest
  @EnumSource(ContentCoding.class)
  void whatIsEncodedInPiecesOfAnyLengthDecodesToTheSame(ContentCoding coding) throws Exception {
    assertTrue(Compressors.available().contains(coding), coding + " has to be there in tests");
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int maxChunk : new int[] {1, 7, 1000, 70_000, 400_000}) {
      byte[] body = text(random, random.nextInt(Math.min(2_000_000, maxChunk * 300)));
      Collected coded = new Collected();
      byte[] encoded = passed(open(coding, coded), body, random, maxChunk, coded);
      Collected decoded = new Collected();
      byte[] plain = passed(openDecoder(coding, decoded), encoded, random, maxChunk, decoded);
      assertArrayEquals(body, plain, coding + ", chunks to " + maxChunk + ", seed " + seed);
      if (coding == ContentCoding.GZIP) {
        assertArrayEquals(body, gunzipped(encoded), "seed " + seed);
      }
    }
  }

  private static byte[] gunzipped(byte[] bytes) throws IOException {
    return new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
  }

  @ParameterizedTest
  @EnumSource(ContentCoding.class)
  void whatIsFlushedCanBeDecodedBeforeMoreIsWritten(ContentCoding coding) throws Exception {
    Collected coded = new Collected();
    CodingStream encoder = open(coding, coded);
    Collected decoded = new Collected();
    CodingStream decoder = openDecoder(coding, decoded);
    int seen = 0;
    int written = 0;
    for (int i = 0; i < 20; i++) {
      byte[] line = ("line " + i + "\n").getBytes(StandardCharsets.US_ASCII);
      written += line.length;
      onLoop(() -> {
        encoder.write(buffer(line, 0, line.length));
        encoder.flush();
      });
      Await.until("the encoder has told", () -> isIdle(encoder));
      byte[] all = new byte[0];
      byte[][] told = {all};
      onLoop(() -> told[0] = coded.bytes.toByteArray());
      byte[] more = Arrays.copyOfRange(told[0], seen, told[0].length);
      seen = told[0].length;
      onLoop(() -> {
        decoder.write(buffer(more, 0, more.length));
        decoder.flush();
      });
      int expected = written;
      Await.until("line " + i + " is decoded", () -> decoded.received == expected);
    }
    onLoop(encoder::cancel);
    onLoop(decoder::cancel);
  }

  private boolean isIdle(CodingStream stream) {
    try {
      boolean[] idle = {false};
      onLoop(() -> idle[0] = stream.isIdle());
      return idle[0];
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anEmptyBodyIsAWholeOne() throws Exception {
    Collected coded = new Collected();
    CodingStream stream = open(ContentCoding.GZIP, coded);
    onLoop(stream::end);
    assertEquals(0, gunzipped(coded.await()).length);
  }

  @Test
  void aCallerThatWaitsIsToldWhenToGoOn() throws Exception {
    Collected coded = new Collected();
    CodingStream stream = open(ContentCoding.GZIP, coded);
    byte[] body = text(new SplittableRandom(1), 1 << 20);
    onLoop(() -> {
      stream.pause();
      stream.write(buffer(body, 0, body.length));
      assertFalse(stream.isReady());
      assertEquals(0, coded.readies.get());
      stream.resume();
    });
    Await.until("ready again", () -> coded.readies.get() == 1);
    onLoop(stream::end);
    assertArrayEquals(body, gunzipped(coded.await()));
  }

  @Test
  void whatIsCancelledAtAnyMomentReleasesEverything() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 200; i++) {
      Collected coded = new Collected();
      CodingStream stream = pool.open(Use.STREAM, ContentCoding.GZIP, 1, -1, loop, coded);
      if (stream == null) {
        Await.until("a place is free", () -> pool.open(Use.STREAM) < 2);
        continue;
      }
      byte[] body = text(random, 1 + random.nextInt(200_000));
      boolean ends = random.nextBoolean();
      onLoop(() -> {
        stream.write(buffer(body, 0, body.length));
        stream.flush();
        if (ends) {
          stream.end();
        }
      });
      if (random.nextBoolean()) {
        Await.until("something came, seed " + seed, () -> coded.received > 0);
      }
      onLoop(() -> {
        stream.cancel();
        stream.cancel();
        stream.write(Unpooled.copiedBuffer(new byte[10]));
        stream.flush();
        stream.end();
      });
    }
  }

  @Test
  void aBodyBeyondThePlacesIsRefusedAndOneThatEndsMakesRoom() throws Exception {
    Collected first = new Collected();
    CodingStream one = open(ContentCoding.GZIP, first);
    CodingStream two = open(ContentCoding.GZIP, new Collected());
    assertNull(pool.open(Use.STREAM, ContentCoding.GZIP, 1, -1, loop, new Collected()));
    assertEquals(1, pool.counters().refused(Use.STREAM));
    CodingStream copy = pool.open(Use.COPY, ContentCoding.GZIP, 1, -1, loop, new Collected());
    assertNotNull(copy, "copies have places of their own");
    onLoop(one::end);
    byte[] ignored = first.await();
    CodingStream three = open(ContentCoding.GZIP, new Collected());
    for (CodingStream stream : new CodingStream[] {two, three, copy}) {
      onLoop(stream::cancel);
    }
  }

  @ParameterizedTest
  @EnumSource(ContentCoding.class)
  void aBombBreaksOffAndIsNeverHeldWhole(ContentCoding coding) throws Exception {
    Collected coded = new Collected();
    CodingStream encoder = pool.open(Use.STREAM, coding, 9, -1, loop, coded);
    assertNotNull(encoder);
    byte[] zeros = new byte[1 << 20];
    for (int i = 0; i < 64; i++) {
      onLoop(() -> encoder.write(buffer(zeros, 0, zeros.length)));
    }
    onLoop(encoder::end);
    byte[] bomb = coded.await();
    Collected decoded = new Collected();
    decoded.pauses = true;
    CodingStream decoder = openDecoder(coding, decoded);
    onLoop(() -> {
      decoder.write(buffer(bomb, 0, bomb.length));
      decoder.end();
    });
    Await.until("the first piece", () -> decoded.received > 0);
    Await.until("a pause", () -> !isWorking(decoder));
    assertTrue(decoded.received < 400_000, decoded.received + " bytes at once");
    decoded.pauses = false;
    onLoop(decoder::resume);
    Exception why = assertFails(decoded);
    assertTrue(String.valueOf(why.getMessage()).contains("bomb"), why.toString());
    assertTrue(decoded.received < 2 << 20, decoded.received + " bytes of a bomb");
    assertEquals(1, pool.counters().failed(Use.STREAM));
  }

  private boolean isWorking(CodingStream stream) {
    try {
      boolean[] working = {false};
      onLoop(() -> working[0] = stream.isWorking());
      return working[0];
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static Exception assertFails(Collected decoded) throws Exception {
    try {
      byte[] ignored = decoded.await();
    } catch (ExecutionException e) {
      return assertInstanceOf(IOException.class, e.getCause());
    }
    throw new AssertionError("it did not fail");
  }

  @ParameterizedTest
  @EnumSource(ContentCoding.class)
  void aStreamThatEndsEarlyOrIsOfAnotherCodingFails(ContentCoding coding) throws Exception {
    Collected coded = new Collected();
    byte[] whole =
        passed(
            open(coding, coded),
            text(new SplittableRandom(3), 50_000),
            new SplittableRandom(4),
            9999,
            coded);
    for (byte[] wrong :
        new byte[][] {
          Arrays.copyOf(whole, whole.length / 2),
          "{\"this\": \"is json, whatever its field says of it\"}"
              .getBytes(StandardCharsets.US_ASCII)
        }) {
      Collected decoded = new Collected();
      CodingStream decoder = openDecoder(coding, decoded);
      onLoop(() -> {
        decoder.write(buffer(wrong, 0, wrong.length));
        decoder.end();
      });
      Exception ignored = assertFails(decoded);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 100_000})
  void gzipWithEveryFieldOfItsHeaderAndSeveralMembersIsDecoded(int chunk) throws Exception {
    byte[] body = text(new SplittableRandom(5), 5000);
    ByteArrayOutputStream members = new ByteArrayOutputStream();
    byte[] plain = gzipped(body);
    members.write(plain);
    // FHCRC, FEXTRA, FNAME, FCOMMENT.
    byte[] head = Arrays.copyOf(plain, 10);
    head[3] = 2 | 4 | 8 | 16;
    members.write(head);
    members.write(new byte[] {3, 0, 'a', 'b', 'c'});
    members.write("name\0comment\0".getBytes(StandardCharsets.US_ASCII));
    members.write(new byte[] {0, 0});
    members.write(plain, 10, plain.length - 10);
    members.write("padding".getBytes(StandardCharsets.US_ASCII));
    byte[] all = members.toByteArray();
    Collected decoded = new Collected();
    CodingStream decoder = openDecoder(ContentCoding.GZIP, decoded);
    byte[] twice = passed(decoder, all, new SplittableRandom(6), chunk, decoded);
    assertEquals(2 * body.length, twice.length);
    assertArrayEquals(body, Arrays.copyOf(twice, body.length));
    assertArrayEquals(body, Arrays.copyOfRange(twice, body.length, twice.length));
  }

  @Test
  void gzipWithAWrongChecksumFails() throws Exception {
    byte[] damaged = gzipped(text(new SplittableRandom(7), 5000));
    damaged[damaged.length - 7] ^= 1;
    Collected decoded = new Collected();
    CodingStream decoder = openDecoder(ContentCoding.GZIP, decoded);
    onLoop(() -> {
      decoder.write(buffer(damaged, 0, damaged.length));
      decoder.end();
    });
    assertTrue(assertFails(decoded).toString().contains("checksum"));
  }

  private static byte[] gzipped(byte[] body) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(body);
    }
    return out.toByteArray();
  }

  @Test
  void afterThePoolIsClosedABodyFailsAtOnce() throws Exception {
    Collected coded = new Collected();
    CodingStream stream = open(ContentCoding.GZIP, coded);
    pool.close();
    onLoop(() -> {
      stream.write(buffer(new byte[100], 0, 100));
      stream.end();
    });
    assertTrue(coded.end.isCompletedExceptionally());
  }
}
