package io.forebay.server.compress;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.aayushatharva.brotli4j.decoder.BrotliInputStream;
import com.github.luben.zstd.ZstdDictDecompress;
import com.github.luben.zstd.ZstdInputStream;
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
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Deltas and hashes of bodies on the pool, by the libraries' own decoders. */
final class DeltaStreamTest {

  private final long buffersBefore = PooledBuffers.active();
  private final EventExecutor loop = new DefaultEventExecutor();
  private final Compressors pool = new Compressors(1, 1, PooledByteBufAllocator.DEFAULT);

  @AfterEach
  void nothingIsLeft() throws Exception {
    Await.until("every place is free", () -> pool.open(Use.COPY) == 0);
    pool.close();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).get(20, TimeUnit.SECONDS);
    Await.until("every buffer is released", () -> PooledBuffers.active() <= buffersBefore);
  }

  private static final class Collected implements CodingStream.Listener {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    final CompletableFuture<byte[]> end = new CompletableFuture<>();

    @Override
    public void onEncoded(ByteBuf data) {
      byte[] part = new byte[data.readableBytes()];
      data.readBytes(part);
      data.release();
      bytes.writeBytes(part);
    }

    @Override
    public void onReady() {}

    @Override
    public void onEnd() {
      end.complete(bytes.toByteArray());
    }

    @Override
    public void onFailed(Throwable why) {
      end.completeExceptionally(why);
    }
  }

  private byte[] through(CodingStream stream, Collected into, byte[] body) throws Exception {
    loop.submit(
            () -> {
              for (int i = 0; i < body.length; i += 50_000) {
                stream.write(Unpooled.wrappedBuffer(body, i, Math.min(50_000, body.length - i)));
              }
              stream.end();
            })
        .get(60, TimeUnit.SECONDS);
    return into.end.get(60, TimeUnit.SECONDS);
  }

  private byte[] delta(DeltaCoding coding, byte[] dictionary, byte[] sha256, byte[] body)
      throws Exception {
    Collected into = new Collected();
    CodingStream stream = pool.openDelta(coding, 9, dictionary, sha256, body.length, loop, into);
    assertNotNull(stream);
    return through(stream, into, body);
  }

  private static byte[] sha256(byte[] bytes) throws Exception {
    return MessageDigest.getInstance("SHA-256").digest(bytes);
  }

  /** Bytes that no encoder makes smaller by itself. */
  private static byte[] noise(long seed, int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  /** The next version: something inserted, something changed, something moved. */
  private static byte[] next(byte[] old) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int third = old.length / 3;
    out.write(old, third, third);
    out.writeBytes(noise(99, 100));
    out.write(old, 0, third);
    out.write(old, 2 * third, old.length - 2 * third);
    return out.toByteArray();
  }

  @ParameterizedTest
  @CsvSource({
    "DCB, 3000",
    "DCB, 200000",
    "DCB, 3000000",
    "DCZ, 3000",
    "DCZ, 200000",
    "DCZ, 3000000"
  })
  void aDeltaIsSmallAndDecodesToTheBodyWithTheDictionaryAlone(DeltaCoding coding, int length)
      throws Exception {
    byte[] old = noise(1, length);
    byte[] body = next(old);
    byte[] coded = delta(coding, old, sha256(old), body);
    assertTrue(coded.length < 400 + length / 50, coded.length + " bytes for " + length);
    String magic = coding == DeltaCoding.DCB ? "ff444342" : "5e2a4d1820000000";
    int head = magic.length() / 2 + 32;
    assertEquals(
        magic + HexFormat.of().formatHex(sha256(old)), HexFormat.of().formatHex(coded, 0, head));
    byte[] stream = Arrays.copyOfRange(coded, head, coded.length);
    assertArrayEquals(body, decoded(coding, stream, old));
    // Another dictionary does not bring the body.
    byte[] wrong;
    try {
      wrong = decoded(coding, stream, noise(2, length));
    } catch (IOException e) {
      wrong = new byte[0];
    }
    assertTrue(!Arrays.equals(body, wrong));
  }

  private static byte[] decoded(DeltaCoding coding, byte[] stream, byte[] dictionary)
      throws IOException {
    if (coding == DeltaCoding.DCB) {
      ByteBuffer direct = ByteBuffer.allocateDirect(dictionary.length);
      direct.put(dictionary).flip();
      try (BrotliInputStream in = new BrotliInputStream(new ByteArrayInputStream(stream))) {
        in.attachDictionary(direct);
        return in.readAllBytes();
      }
    }
    try (ZstdDictDecompress raw = new ZstdDictDecompress(dictionary);
        ZstdInputStream in = new ZstdInputStream(new ByteArrayInputStream(stream))) {
      in.setDict(raw);
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @EnumSource(DeltaCoding.class)
  void aDictionaryWithAnotherHashMakesNoDelta(DeltaCoding coding) throws Exception {
    byte[] old = noise(3, 5_000);
    ExecutionException failed =
        assertThrows(
            ExecutionException.class, () -> delta(coding, old, sha256(noise(4, 5_000)), old));
    assertTrue(failed.toString().contains("another hash"));
  }

  @Test
  void whatTheLibraryOfZstdTakesForItsOwnFormatIsNoDictionary() throws Exception {
    byte[] old = noise(5, 5_000);
    byte[] magic = HexFormat.of().parseHex("37a430ec");
    System.arraycopy(magic, 0, old, 0, magic.length);
    assertThrows(
        ExecutionException.class, () -> delta(DeltaCoding.DCZ, old, sha256(old), next(old)));
    // To br it is bytes like others.
    byte[] coded = deltaOnceThereIsRoom(old, next(old));
    assertArrayEquals(
        next(old), decoded(DeltaCoding.DCB, Arrays.copyOfRange(coded, 36, coded.length), old));
  }

  @Test
  void manyDictionariesInARowFindRoom() throws Exception {
    for (int i = 0; i < 20; i++) {
      byte[] old = noise(i, 1 << 20);
      assertTrue(deltaOnceThereIsRoom(old, next(old)).length < 1 << 16);
    }
  }

  /** Each is indexed by the library of br, which gives its memory back when the collector runs. */
  private byte[] deltaOnceThereIsRoom(byte[] old, byte[] body) throws Exception {
    while (true) {
      try {
        return delta(DeltaCoding.DCB, old, sha256(old), body);
      } catch (ExecutionException full) {
        assertTrue(full.toString().contains("collector"), full::toString);
        System.gc();
      }
    }
  }

  @Test
  void theHashOfABodyIsThatOfItsBytes() throws Exception {
    byte[] body = noise(6, 300_000);
    Collected into = new Collected();
    CodingStream stream = pool.openDigest(loop, into);
    assertNotNull(stream);
    assertArrayEquals(sha256(body), through(stream, into, body));
  }
}
