package io.forebay.core.key;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Selects the query parameters that a recipe keeps, as offsets into the query, in the order of the
 * recipe. One reusable instance; it allocates nothing after warm-up. Names are compared as written,
 * percent-encodings included.
 */
final class QueryParameters {

  private int[] from = new int[32];
  private int[] to = new int[32];
  private int[] nameEnd = new int[32];
  private int[] order = new int[32];
  private int[] merged = new int[32];
  private int count;

  void select(CharSequence query, QueryRecipe recipe) {
    count = 0;
    if (recipe.isIgnored()) {
      return;
    }
    int start = 0;
    for (int i = 0; i <= query.length(); i++) {
      if (i < query.length() && query.charAt(i) != '&') {
        continue;
      }
      if (i > start) {
        int end = start;
        while (end < i && query.charAt(end) != '=') {
          end++;
        }
        if (recipe.keeps(query, start, end)) {
          add(start, end, i);
        }
      }
      start = i + 1;
    }
    if (recipe.isSorted()) {
      sort(query);
    }
  }

  int count() {
    return count;
  }

  int from(int index) {
    return from[order[index]];
  }

  int to(int index) {
    return to[order[index]];
  }

  /** The parameters as a query again; null when there is none. */
  @Nullable String joined(CharSequence query) {
    if (count == 0) {
      return null;
    }
    StringBuilder text = new StringBuilder(query.length());
    for (int i = 0; i < count; i++) {
      if (i > 0) {
        text.append('&');
      }
      text.append(query, from(i), to(i));
    }
    return text.toString();
  }

  private void add(int start, int end, int limit) {
    if (count == from.length) {
      from = Arrays.copyOf(from, 2 * count);
      to = Arrays.copyOf(to, 2 * count);
      nameEnd = Arrays.copyOf(nameEnd, 2 * count);
      order = Arrays.copyOf(order, 2 * count);
      merged = new int[2 * count];
    }
    from[count] = start;
    nameEnd[count] = end;
    to[count] = limit;
    order[count] = count;
    count++;
  }

  /** Merge sort, from runs of one upwards: stable, and a query of thousands costs little. */
  private void sort(CharSequence query) {
    for (int width = 1; width < count; width *= 2) {
      for (int start = 0; start < count; start += 2 * width) {
        merge(query, start, Math.min(start + width, count), Math.min(start + 2 * width, count));
      }
      int[] sorted = merged;
      merged = order;
      order = sorted;
    }
  }

  private void merge(CharSequence query, int start, int middle, int end) {
    int left = start;
    int right = middle;
    for (int i = start; i < end; i++) {
      boolean isLeft =
          right == end || (left < middle && compare(query, order[left], order[right]) <= 0);
      merged[i] = isLeft ? order[left++] : order[right++];
    }
  }

  private int compare(CharSequence query, int one, int other) {
    int i = from[one];
    int j = from[other];
    while (i < nameEnd[one] && j < nameEnd[other]) {
      int difference = query.charAt(i++) - query.charAt(j++);
      if (difference != 0) {
        return difference;
      }
    }
    return (nameEnd[one] - i) - (nameEnd[other] - j);
  }
}
