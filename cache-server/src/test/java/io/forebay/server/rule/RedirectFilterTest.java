package io.forebay.server.rule;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.Latin1Text;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A filter has all entries, and few others. */
final class RedirectFilterTest {
  private static final int ENTRIES = 100_000;

  private static String path(SplittableRandom random) {
    StringBuilder path = new StringBuilder("/articles/").append(random.nextInt(100)).append('/');
    int length = random.nextInt(20, 40);
    for (int i = 0; i < length; i++) {
      path.append((char) ('a' + random.nextInt(26)));
    }
    return path.append(".html").toString();
  }

  @Test
  void itHasEveryEntryAndFewOthers() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    RedirectFilter filter = new RedirectFilter(ENTRIES);
    String[] entries = new String[ENTRIES];
    for (int i = 0; i < ENTRIES; i++) {
      entries[i] = path(random);
      filter.add(i % 10 == 9, entries[i], entries[i].length(), entries[i].length());
    }
    for (int i = 0; i < ENTRIES; i++) {
      int length = entries[i].length();
      assertTrue(filter.mayBegin(entries[i], length), entries[i]);
      assertTrue(
          i % 10 == 9
              ? filter.mayHavePrefix(entries[i], length, length)
              : filter.mayHaveWhole(entries[i], length, length),
          entries[i]);
    }
    int others = 0;
    for (int i = 0; i < ENTRIES; i++) {
      String path = path(random);
      others += filter.mayHaveWhole(path, path.length(), path.length()) ? 1 : 0;
    }
    assertTrue(others < ENTRIES / 20, others + " of " + ENTRIES);
    assertTrue(filter.bytes() < 140_000, filter.bytes() + " bytes");
  }

  @Test
  void bytesOfARequestAreSeenAsItsText() {
    RedirectFilter filter = new RedirectFilter(100);
    for (int length = 1; length <= 40; length++) {
      String path = "/" + "\u00e4bcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN".substring(0, length - 1);
      filter.add(length % 2 == 0, path, length, length);
      for (int offset = 0; offset < 9; offset++) {
        byte[] octets = ("G".repeat(offset) + path + "H").getBytes(StandardCharsets.ISO_8859_1);
        Latin1Text text = new Latin1Text().over(octets, offset, offset + length);
        assertTrue(filter.mayBegin(text, length), path);
        assertTrue(
            length % 2 == 0
                ? filter.mayHavePrefix(text, length, length)
                : filter.mayHaveWhole(text, length, length),
            path);
      }
    }
  }

  @Test
  void otherBeginningsAreToldUnlessAPathIsTooShortForOne() {
    RedirectFilter filter = new RedirectFilter(2);
    filter.add(true, "/\u00e4rticles/", 10, 10);
    byte[] octets = "/\u00e4rticles/1".getBytes(StandardCharsets.ISO_8859_1);
    assertTrue(filter.mayBegin(new Latin1Text().over(octets, 0, octets.length), octets.length));
    assertFalse(filter.mayBegin("/objects/1", 10));
    assertFalse(filter.mayBegin("/\u00e4r", 3));
    filter.add(false, "/a", 2, 2);
    assertTrue(filter.mayBegin("/objects/1", 10));
    assertTrue(filter.mayBegin("/a", 2));
  }

  @Test
  void otherLengthsAreTold() {
    RedirectFilter filter = new RedirectFilter(2);
    filter.add(false, "/a", 2, 2);
    filter.add(true, "/bc/", 4, 4 + 6);
    assertTrue(filter.mayHaveWhole("/a", 2, 2));
    assertFalse(filter.mayHaveWhole("/a", 2, 3));
    assertFalse(filter.mayHavePrefix("/a", 2, 2));
    assertTrue(filter.mayHavePrefix("/bc/def", 4, 10));
    assertFalse(filter.mayHavePrefix("/bc/def", 4, 4));
    assertFalse(filter.mayHaveWhole("/" + "x".repeat(8000), 8001, 8001));
  }
}
