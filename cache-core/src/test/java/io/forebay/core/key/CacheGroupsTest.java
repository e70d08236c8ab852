package io.forebay.core.key;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** RFC 9875; the conformance tables test the syntax of the lists. */
final class CacheGroupsTest {

  private static final String ALPHABET = "ab\",;=?()\\: \t@%1.";

  @Test
  void whatIsNoListNeverThrows() {
    long seed = 12;
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    int read = 0;
    for (int i = 0; i < 200_000; i++) {
      StringBuilder value = new StringBuilder(random.nextBoolean() ? "\"a\"" : "");
      for (int n = random.nextInt(12); n > 0; n--) {
        value.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
      }
      read += CacheGroups.of(List.of(value.toString())).size();
    }
    assertTrue(read > 1000, "seed " + seed + ": " + read);
  }

  @Test
  void hostileListsTakeLinearTime() {
    for (String piece : List.of(",", "\"a\",", "\"", "\\", "(", "\"a\";b,", "a;")) {
      String line = piece.repeat(8192 / piece.length());
      assertTimeoutPreemptively(
          Duration.ofSeconds(5),
          () -> assertTrue(CacheGroups.of(List.of(line)).size() <= CacheGroups.MAX_GROUPS));
    }
  }
}
