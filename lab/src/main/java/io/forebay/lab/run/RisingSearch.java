package io.forebay.lab.run;

import io.forebay.lab.scenario.Search;

/**
 * Raises a number until it is too much, then halves the gap between the most that was good and the
 * least that was not.
 */
final class RisingSearch {
  private final Search search;
  private int value;
  private int good;
  private int bad;
  private int refined;

  RisingSearch(Search search) {
    this.search = search;
    this.value = search.from();
  }

  /** What is to be tried next; 0 when it is over. */
  int value() {
    return value;
  }

  /** The most that was good; 0 where nothing was. */
  int best() {
    return good;
  }

  /** Tells how the value was. */
  void tried(boolean isGood) {
    if (isGood) {
      good = value;
    } else {
      bad = value;
    }
    value = bad == 0 ? higher() : between();
  }

  private int higher() {
    if (good >= search.most()) {
      return 0;
    }
    long next = Math.max(good + 1L, Math.round(good * search.growth()));
    return (int) Math.min(search.most(), next);
  }

  private int between() {
    if (refined == search.refinements()) {
      return 0;
    }
    refined++;
    int middle = good + (bad - good) / 2;
    return middle <= good || middle >= bad ? 0 : middle;
  }
}
