package io.forebay.server.rule;

import java.util.List;

/**
 * The splits that are part of the keys of a route, because what its origin is asked depends on
 * them. Each combination of groups has a number; 0 is that of the last groups, which keys do not
 * mention. Immutable.
 */
public final class KeyGroups {

  /** None. */
  public static final KeyGroups NONE = new KeyGroups(List.of());

  /** The most combinations. */
  public static final int MAX = 64;

  private final Split[] splits;
  private final String[] texts;

  /** Those of some splits, whose combinations are at most {@link #MAX}. */
  public KeyGroups(List<Split> splits) {
    this.splits = splits.toArray(new Split[0]);
    texts = new String[Math.toIntExact(combinations(splits))];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = textOf(i);
    }
  }

  /** How many combinations some splits have. */
  public static long combinations(List<Split> splits) {
    long product = 1;
    for (Split split : splits) {
      product = Math.min(product * split.groups().size(), Integer.MAX_VALUE);
    }
    return product;
  }

  /** Group 0 of a digit is the last one of its split. */
  private String textOf(int combination) {
    StringBuilder text = new StringBuilder();
    int rest = combination;
    for (Split split : splits) {
      int count = split.groups().size();
      int digit = rest % count;
      rest /= count;
      if (digit > 0) {
        text.append(text.isEmpty() ? "" : ";")
            .append("g=")
            .append(split.name())
            .append('.')
            .append(split.groups().get(digit - 1));
      }
    }
    return text.toString();
  }

  public boolean isEmpty() {
    return splits.length == 0;
  }

  /** What keys say of each combination, by its number. */
  public List<String> texts() {
    return List.of(texts);
  }

  /** The number of a client's combination, or {@link Split#LATER}. */
  int of(RequestFacts facts) {
    int combination = 0;
    int weight = 1;
    for (Split split : splits) {
      int group = split.group(facts);
      if (group == Split.LATER) {
        return Split.LATER;
      }
      int count = split.groups().size();
      combination += weight * (group == count - 1 ? 0 : group + 1);
      weight *= count;
    }
    return combination;
  }
}
