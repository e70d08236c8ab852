package io.forebay.server.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.TlsConfig.TicketConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When ticket keys are rotated, and what an old key still decrypts. */
final class TicketKeysTest {
  private static final long ROTATION = Duration.ofHours(8).toMillis();

  @TempDir Path directory;

  /** Counts, so that each key is another one. */
  private final RandomGenerator random =
      new RandomGenerator() {
        private long next;

        @Override
        public long nextLong() {
          return ++next;
        }
      };

  @Test
  void keysOfItsOwnAreReplacedByTheClock() throws Exception {
    TicketKeys keys = TicketKeys.of(new TicketConfig(true, Duration.ofHours(8), null), random, 0);
    assertFalse(keys.step(ROTATION - 1));
    assertTrue(keys.step(ROTATION));
    assertFalse(keys.step(2 * ROTATION - 1), "counted from the last time");
    assertTrue(keys.step(2 * ROTATION));
  }

  @Test
  void aKeyOpensTicketsForTwoRotationsMore() throws Exception {
    TicketKeys keys = TicketKeys.of(new TicketConfig(true, Duration.ofHours(8), null), random, 0);
    byte[] first = keys.keys().getFirst();
    for (int rotation = 1; rotation <= 3; rotation++) {
      byte[] before = keys.keys().getFirst();
      assertTrue(keys.step(rotation * ROTATION));
      assertFalse(Arrays.equals(before, keys.keys().getFirst()), "another one encrypts");
      boolean isThere = keys.keys().stream().anyMatch(key -> Arrays.equals(key, first));
      assertEquals(rotation <= 2, isThere, "after " + rotation);
      assertEquals(Math.min(3, rotation + 1), keys.keys().size());
    }
  }

  @Test
  void aFileIsReadAgainAndTheKeysFromBeforeStayWhereItIsBad() throws Exception {
    Path file = directory.resolve("tickets");
    Files.writeString(file, key(1) + "\n");
    TicketKeys keys = TicketKeys.of(new TicketConfig(true, Duration.ofHours(8), file), random, 0);
    assertFalse(keys.step(10 * ROTATION), "the clock has no say");
    Files.writeString(file, key(2) + "\n" + key(1) + "\n");
    assertTrue(keys.step(1));
    assertFalse(keys.step(2));
    Files.writeString(file, "no key\n");
    String said = String.valueOf(assertThrows(TlsException.class, () -> keys.step(3)).getMessage());
    assertTrue(said.endsWith("has a line that is not base64"), said);
    Files.writeString(file, key(2) + "\n" + key(1) + "\n");
    assertFalse(keys.step(4), "they were kept");
  }

  @Test
  void withoutTicketsThereIsNothingToReplace() throws Exception {
    TicketKeys keys = TicketKeys.of(new TicketConfig(false, Duration.ofHours(8), null), random, 0);
    assertFalse(keys.step(10 * ROTATION));
    assertEquals(false, keys.config().enabled());
  }

  private static String key(int fill) {
    byte[] key = new byte[48];
    Arrays.fill(key, (byte) fill);
    return Base64.getEncoder().encodeToString(key);
  }
}
