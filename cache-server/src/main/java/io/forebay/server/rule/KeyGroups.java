package io.forebay.server.rule;

import java.util.List;
import java.util.stream.Stream;

/**
 * The splits that are part of the keys of a route, because what its origin is asked depends on
 * them, and behind them the extensions with groups. Each combination of groups has a number; 0 is
 * that of the last groups of splits and no group of extensions, which keys do not mention.
 * Immutable.
 */
public final class KeyGroups {

  /** None. */
  public static final KeyGroups NONE = new KeyGroups(List.of(), List.of());

  /** The most combinations. */
  public static final int MAX = 64;

  private final Split[] splits;
  private final List<Extension> extensions;
  private final String[] texts;

  /** Those of some splits and extensions, whose combinations are at most {@link #MAX}. */
  public KeyGroups(List<Split> splits, List<Extension> extensions) {
    this.splits = splits.toArray(new Split[0]);
    this.extensions = List.copyOf(extensions);
    texts = new String[Math.toIntExact(combinations(splits, extensions))];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = textOf(i);
    }
  }

  /** How many combinations some splits and extensions have. */
  public static long combinations(List<Split> splits, List<Extension> extensions) {
    return Stream.concat(
            splits.stream().map(split -> split.groups().size()),
            extensions.stream().map(extension -> extension.groups().size() + 1))
        .mapToLong(Integer::longValue)
        .reduce(1, (product, count) -> Math.min(product * count, Integer.MAX_VALUE));
  }

  /** What the number of an extension's group counts for in that of a combination. */
  int weight(Extension extension) {
    int weight = 1;
    for (Split split : splits) {
      weight *= split.groups().size();
    }
    for (Extension one : extensions) {
      if (one.equals(extension)) {
        return weight;
      }
      weight *= one.groups().size() + 1;
    }
    return 0;
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
    for (Extension extension : extensions) {
      int count = extension.groups().size() + 1;
      int digit = rest % count;
      rest /= count;
      if (digit > 0) {
        text.append(text.isEmpty() ? "" : ";")
            .append("p=")
            .append(extension.name())
            .append('.')
            .append(extension.groups().get(digit - 1).name());
      }
    }
    return text.toString();
  }

  public boolean isEmpty() {
    return texts.length == 1;
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
