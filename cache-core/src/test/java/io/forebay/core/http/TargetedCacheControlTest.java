package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** RFC 9213; the conformance tables test the rules of its fields. */
final class TargetedCacheControlTest {

  private static final List<String> TARGETS = List.of("cdn-cache-control", "surrogate-control");
  private static final String ALPHABET = "abmaxge09-_.*/,;=?\"()\\: \t:@%+\u00e4";

  @Test
  void saysWhichFieldDecides() {
    HeaderFields both =
        HeaderFields.of("Surrogate-Control", "max-age=1", "CDN-Cache-Control", "max-age=2");
    TargetedCacheControl chosen = TargetedCacheControl.of(both, TARGETS);
    assertEquals("cdn-cache-control", chosen.field());
    assertTrue(chosen.isTargeted());
    assertEquals(2, chosen.control().maxAgeSeconds());

    TargetedCacheControl none =
        TargetedCacheControl.of(HeaderFields.of("Cache-Control", "x"), TARGETS);
    assertNull(none.field());
    assertFalse(none.isTargeted());
  }

  @Test
  void whatIsNotAFieldIsIgnoredAndNeverThrows() {
    long seed = 11;
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    int decided = 0;
    for (int i = 0; i < 200_000; i++) {
      StringBuilder value = new StringBuilder(random.nextBoolean() ? "max-age=9" : "");
      for (int n = random.nextInt(20); n > 0; n--) {
        value.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
      }
      String name = TARGETS.get(i % 2);
      TargetedCacheControl chosen =
          TargetedCacheControl.of(
              HeaderFields.of(name, value.toString(), "cache-control", "max-age=7"), TARGETS);
      decided += chosen.isTargeted() ? 1 : 0;
      assertTrue(
          chosen.isTargeted() || chosen.control().maxAgeSeconds() == 7, "seed " + seed + value);
    }
    assertTrue(decided > 1000 && decided < 199_000, "seed " + seed + ": " + decided);
  }

  @Test
  void hostileFieldsTakeLinearTime() {
    for (String piece : List.of(",", "a,", "a=(", "a;b", "\"", "\\", "max-age=9+", "(", "a=?")) {
      String line = piece.repeat(8192);
      List<String> lines = List.of(line, line);
      assertTimeoutPreemptively(
          Duration.ofSeconds(5),
          () -> {
            for (String target : TARGETS) {
              HeaderFields fields = HeaderFields.of(target, line, target, line);
              assertEquals(
                  7,
                  TargetedCacheControl.of(
                          merged(fields, HeaderFields.of("cache-control", "max-age=7")), TARGETS)
                      .control()
                      .maxAgeSeconds());
            }
          },
          lines::toString);
    }
  }

  private static HeaderFields merged(HeaderFields first, HeaderFields second) {
    HeaderFields.Builder all = HeaderFields.builder();
    first.forEach(all::add);
    second.forEach(all::add);
    return all.build();
  }
}
