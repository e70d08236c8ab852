package io.forebay.cli.warm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts URLs in bounded memory. When it is full, the less frequent half is forgotten, so of many
 * URLs those that are frequent throughout are counted rightly, and those that appear now and then
 * start anew.
 */
final class FrequentUrls {
  private static final int MAX_URLS = 200_000;
  private static final long MAX_CHARACTERS = 32L << 20;

  private final int maxUrls;
  private final long maxCharacters;
  private final Map<String, Count> counts = new HashMap<>();
  private long characters;
  private long seen;
  private boolean hasForgotten;

  private static final class Count {
    final String url;
    final long order;
    double requests;

    Count(String url, long order) {
      this.url = url;
      this.order = order;
    }
  }

  FrequentUrls() {
    this(MAX_URLS, MAX_CHARACTERS);
  }

  FrequentUrls(int maxUrls, long maxCharacters) {
    this.maxUrls = maxUrls;
    this.maxCharacters = maxCharacters;
  }

  /**
   * Counts a URL.
   *
   * @param requests that it stands for
   */
  void add(String url, double requests) {
    Count count = counts.get(url);
    if (count == null) {
      if (counts.size() >= maxUrls || characters + url.length() > maxCharacters) {
        forgetHalf();
      }
      count = new Count(url, seen++);
      counts.put(url, count);
      characters += url.length();
    }
    count.requests += requests;
  }

  private void forgetHalf() {
    hasForgotten = true;
    List<Count> all = sorted();
    for (Count rare : all.subList(all.size() / 2, all.size())) {
      counts.remove(rare.url);
      characters -= rare.url.length();
    }
  }

  /** Whether there were more URLs than are counted. */
  boolean hasForgotten() {
    return hasForgotten;
  }

  /** The most frequent first; of equals, what was seen first. */
  List<String> top(int limit) {
    return sorted().stream().limit(limit).map(count -> count.url).toList();
  }

  private List<Count> sorted() {
    List<Count> all = new ArrayList<>(counts.values());
    all.sort(
        Comparator.<Count>comparingDouble(count -> -count.requests)
            .thenComparingLong(count -> count.order));
    return all;
  }
}
