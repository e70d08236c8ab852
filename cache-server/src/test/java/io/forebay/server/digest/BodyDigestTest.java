package io.forebay.server.digest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class BodyDigestTest {
  private final ArrayDeque<Runnable> pool = new ArrayDeque<>();
  private final ArrayDeque<Runnable> loop = new ArrayDeque<>();
  private final List<ByteBuf> given = new ArrayList<>();
  private final Map<DigestAlgorithm, byte[]> told = new EnumMap<>(DigestAlgorithm.class);
  private int caughtUp;
  private final BodyDigest body =
      new BodyDigest(List.of(DigestAlgorithm.values()), pool::add, loop::add, () -> caughtUp++);

  private byte[] add(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    ByteBuf data = Unpooled.wrappedBuffer(bytes);
    given.add(data);
    body.add(data);
    return bytes;
  }

  private void runAll() {
    while (!pool.isEmpty() || !loop.isEmpty()) {
      (pool.isEmpty() ? loop : pool).remove().run();
    }
  }

  private void assertReleased() {
    given.stream()
        .filter(data -> data.capacity() > 0)
        .forEach(data -> assertEquals(0, data.refCnt()));
  }

  @Test
  void aSmallBodyIsHashedAtOnce() throws Exception {
    byte[] bytes = add(1, BodyDigest.ON_LOOP_BYTES);
    body.end(told::putAll);
    assertTrue(pool.isEmpty());
    assertReleased();
    assertArrayEquals(
        MessageDigest.getInstance("SHA-256").digest(bytes), told.get(DigestAlgorithm.SHA_256));
    assertArrayEquals(
        MessageDigest.getInstance("SHA-512").digest(bytes), told.get(DigestAlgorithm.SHA_512));
  }

  @Test
  void piecesAreHashedInOrder() throws Exception {
    MessageDigest whole = MessageDigest.getInstance("SHA-256");
    for (int i = 0; i < 50; i++) {
      whole.update(add(i, i % 7 == 0 ? 0 : 1000 * i));
      if (i % 11 == 3) {
        runAll();
      }
    }
    body.end(told::putAll);
    assertTrue(told.isEmpty(), "not before all of it is hashed");
    runAll();
    assertArrayEquals(whole.digest(), told.get(DigestAlgorithm.SHA_256));
    assertReleased();
  }

  @Test
  void aBodyThatIsFasterIsPausedUntilTheOthersCatchUp() {
    add(1, BodyDigest.BEHIND_BYTES);
    assertFalse(body.isBehind());
    add(2, 1);
    assertTrue(body.isBehind());
    assertEquals(1, pool.size(), "one turn at a time");
    pool.remove().run();
    loop.remove().run();
    assertFalse(body.isBehind());
    assertEquals(1, caughtUp);
    body.cancel();
    runAll();
    assertReleased();
  }

  @Test
  void whatIsCancelledIsReleasedAndTellsNothing() {
    add(1, 100_000);
    add(2, 100_000);
    body.end(told::putAll);
    body.cancel();
    runAll();
    assertTrue(told.isEmpty());
    assertReleased();
  }
}
