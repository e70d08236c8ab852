package io.forebay.cli.warm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class FrequentUrlsTest {

  @Test
  void theMostFrequentComeFirst() {
    FrequentUrls urls = new FrequentUrls();
    for (String url : List.of("b", "a", "c", "a", "c", "a")) {
      urls.add(url, 1);
    }
    urls.add("b", 100);
    assertEquals(List.of("b", "a", "c"), urls.top(10));
    assertEquals(List.of("b"), urls.top(1));
    assertFalse(urls.hasForgotten());
  }

  /** A million URLs that appear once do not push out those that appear again and again. */
  @Test
  void whatIsFrequentStaysWhereNotAllHaveRoom() {
    FrequentUrls urls = new FrequentUrls(100, 10_000);
    for (int i = 0; i < 100_000; i++) {
      urls.add("hot" + i % 10, 1);
      urls.add("once" + i, 1);
    }
    assertEquals(
        List.of("hot0", "hot1", "hot2", "hot3", "hot4", "hot5", "hot6", "hot7", "hot8", "hot9"),
        urls.top(10));
    assertTrue(urls.hasForgotten());
    assertTrue(urls.top(1_000).size() <= 100);
  }

  @Test
  void longUrlsHaveABoundTogether() {
    FrequentUrls urls = new FrequentUrls(1_000, 10_000);
    for (int i = 0; i < 100; i++) {
      urls.add(i + "x".repeat(1_000), 1);
    }
    assertTrue(urls.top(1_000).size() <= 10);
  }
}
